// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Lines of trace with options/raw, hex or bin: the pid, the CPU and the time as numbers, then for
 * most events only the id.
 *
 * Corresponds to print_raw_fmt(), print_hex_fmt(), print_bin_fmt() in trace.c, trace_nop_print()
 * and the functions named _raw in trace_output.c.
 */
#include "print/trace.h"

static void add_binary(struct trace_printer *tp, u64 v, size_t size)
{
	u8 bytes[8];

	if (size == 8)
		store_u64(bytes, v, tp->machine->big_endian);
	else
		store_u32(bytes, (u32)v, tp->machine->big_endian);
	strbuf_add(&tp->p->buf, bytes, size);
}

/* kernel: an event that only has the usual function */
static void add_type(struct trace_printer *tp, const struct trace_line *line)
{
	if (line->type->format)
		strbuf_addf(&tp->p->buf, "type: %u\n", line->id);
}

static void add_raw(struct trace_printer *tp, const struct trace_line *line)
{
	struct strbuf *out = &tp->p->buf;
	u64 ip;

	if (trace_has(tp, TRACE_ITER_CONTEXT_INFO))
		strbuf_addf(out, "%d %u %llu ", line->pid, line->cpu, line->ts);
	if (!line->type->format) {
		strbuf_addf(out, "%u ?\n", line->id);
		return;
	}
	switch (line->type->style) {
	case TRACE_STYLE_PRINT:
	case TRACE_STYLE_BPRINT:
	case TRACE_STYLE_BPUTS:
		ip = trace_field_number(tp, line, "ip");
		strbuf_addf(out,
			    line->type->style == TRACE_STYLE_PRINT ? "# %llx " : ": %llx : ", ip);
		print_trace_message(tp, line);
		break;
	case TRACE_STYLE_RAW_DATA:
		print_trace_raw_data(tp, line);
		break;
	default:
		add_type(tp, line);
	}
}

bool print_trace_raw(struct trace_printer *tp, const struct trace_line *line)
{
	if (trace_has(tp, TRACE_ITER_BIN)) {
		if (trace_has(tp, TRACE_ITER_CONTEXT_INFO)) {
			add_binary(tp, (u32)line->pid, 4);
			add_binary(tp, line->cpu, 4);
			add_binary(tp, line->ts, 8);
		}
		add_type(tp, line);
	} else if (trace_has(tp, TRACE_ITER_HEX)) {
		struct strbuf *out = &tp->p->buf;

		if (trace_has(tp, TRACE_ITER_CONTEXT_INFO))
			strbuf_addf(out, "%08x %08x %016llx ", (u32)line->pid, line->cpu, line->ts);
		add_type(tp, line);
		strbuf_addch(out, '\n');
	} else if (trace_has(tp, TRACE_ITER_RAW)) {
		add_raw(tp, line);
	} else {
		return false;
	}
	return true;
}
