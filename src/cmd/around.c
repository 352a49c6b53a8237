// SPDX-License-Identifier: GPL-2.0-only
/* --around T[,CPU] --context TIME: shows trace around a moment, with a span and a script. */
#include <string.h>

#include "cmd/cmd.h"

/* Remove the unit after a number; without one, seconds. Return: nanoseconds */
static u64 cut_unit(struct span *text)
{
	static const struct {
		const char *name;
		u64 ns;
	} units[] = { { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 }, { "s", 1000000000 } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t n = strlen(units[i].name);

		if (text->n > n && !memcmp(text->s + text->n - n, units[i].name, n)) {
			text->n -= n;
			return units[i].ns;
		}
	}
	return 1000000000;
}

/* A number of @unit, with as many decimals as nanoseconds allow. */
static bool parse_time(struct span text, u64 unit, u64 *ns)
{
	struct span rest = text, whole = span_sep(&rest, ".");
	u64 fraction = 0;

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
	struct span text = span_of(context ? context : "1ms");
	u64 at, width, unit = cut_unit(&text);
	int err;

	if (!parse_time(moment, 1000000000, &at))
		return diags_error(diags, -HIST_EINVAL,
				   "--around takes seconds of the trace clock, such as 12.345678,"
				   " and perhaps a comma and a CPU; not '%s'",
				   around);
	if (!parse_time(text, unit, &width))
		return diags_error(diags, -HIST_EINVAL,
				   "--context takes a time such as 5ms, not '%s'", context);
	if (cs->pieces.n)
		return diags_error(diags, -HIST_EINVAL,
				   "--around shows the trace: it takes no script");
	in->options.from = seconds_text(in, at > width ? at - width : 0);
	in->options.to = seconds_text(in, at + width < at ? UINT64_MAX : at + width);
	if (cpu.s)
		in->options.cpus = cpu.s;
	if (!in->options.from || !in->options.to)
		return HIST_NOMEM;
	/* all recorded events, with enough room for them */
	err = add_line(cs, "echo 1000000 > buffer_size_kb");
	if (!err)
		err = add_line(cs, "echo 1 > events/enable");
	return err ? err : add_line(cs, "cat trace");
}
