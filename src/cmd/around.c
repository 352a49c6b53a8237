// SPDX-License-Identifier: GPL-2.0-only
/* --around T[,CPU] --context TIME: shows trace around a moment, by means of a span and a script. */
#include <string.h>

#include "cmd/cmd.h"

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
	u64 at, width;
	int err;

	if (!span_time(moment, &at))
		return diags_error(diags, -HIST_EINVAL,
				   "--around takes seconds of the trace clock and optionally a "
				   "CPU, such as 12.345678 or 12.345678,3, not '%s'",
				   around);
	if (!span_time(text, &width))
		return diags_error(diags, -HIST_EINVAL,
				   "--context takes a time such as 5ms, not '%s'", context);
	if (cs->pieces.n)
		return diags_error(diags, -HIST_EINVAL,
				   "--around shows the trace and takes no script");
	in->options.from = seconds_text(in, at > width ? at - width : 0);
	in->options.to = seconds_text(in, at + width < at ? UINT64_MAX : at + width);
	if (cpu.s)
		in->options.cpus = cpu.s;
	if (!in->options.from || !in->options.to)
		return HIST_NOMEM;
	/* all recorded events, with enough room for them; a 32-bit program has less for each CPU */
	err = add_line(cs, sizeof(void *) == 8 ? "echo 1000000 > buffer_size_kb"
					       : "echo 50000 > buffer_size_kb");
	if (!err)
		err = add_line(cs, "echo 1 > events/enable");
	return err ? err : add_line(cs, "cat trace");
}
