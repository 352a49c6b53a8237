// SPDX-License-Identifier: GPL-2.0-only
/* --around T[,CPU] --context SEC: the lines of trace around a moment, as a span and a script. */
#include "cmd/cmd.h"

/* Seconds with up to 9 digits after the point, in nanoseconds. */
static bool parse_seconds(struct span text, u64 *ns)
{
	struct span rest = text, whole = span_sep(&rest, ".");
	u64 unit = 1000000000, fraction = 0;

	if (!whole.n || !is_digit(whole.s[0]) || !span_u64(whole, ns) ||
	    __builtin_mul_overflow(*ns, unit, ns))
		return false;
	for (size_t i = 0; rest.s && i < rest.n; i++) {
		if (!is_digit(rest.s[i]))
			return false;
		fraction += (u64)(rest.s[i] - '0') * (unit /= 10);
	}
	return !__builtin_add_overflow(*ns, fraction, ns);
}

static const char *seconds_text(struct cmd_input *in, u64 ns)
{
	return arena_printf(&in->arena, "%llu.%09llu", (unsigned long long)(ns / 1000000000),
			    (unsigned long long)(ns % 1000000000));
}

static int add_line(struct cmd_script *cs, const char *line)
{
	const struct cmd_script_piece piece = {
		.key = 'x', .name = line, .text = line, .len = strlen(line)
	};

	return array_push(&cs->pieces, piece);
}

int cmd_around(struct cmd_script *cs, const char *around, const char *context, struct diags *diags)
{
	struct cmd_input *in = cs->input;
	struct span cpu = span_of(around), moment = span_sep(&cpu, ",");
	u64 at, width;
	int err;

	if (!parse_seconds(moment, &at))
		return diags_error(diags, -HIST_EINVAL,
				   "--around takes seconds of the trace clock, such as 12.345678,"
				   " and perhaps a comma and a CPU; not '%s'",
				   around);
	if (!parse_seconds(span_of(context ? context : "0.001"), &width))
		return diags_error(diags, -HIST_EINVAL, "--context takes seconds, not '%s'",
				   context);
	if (cs->pieces.n)
		return diags_error(diags, -HIST_EINVAL,
				   "--around shows the trace: it takes no script");
	in->options.from = seconds_text(in, at > width ? at - width : 0);
	in->options.to = seconds_text(in, at + width < at ? UINT64_MAX : at + width);
	if (cpu.s)
		in->options.cpus = cpu.s;
	if (!in->options.from || !in->options.to)
		return HIST_NOMEM;
	/* all that was recorded, and room for it */
	err = add_line(cs, "echo 1000000 > buffer_size_kb");
	if (!err)
		err = add_line(cs, "echo 1 > events/enable");
	return err ? err : add_line(cs, "cat trace");
}
