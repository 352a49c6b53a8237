// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Records of trace_printk() (ftrace:bprint) as text: a hit whose buf is the text without its
 * newline, as triggers see it for trace_marker.
 *
 * kernel: has no triggers for this event.
 */
#include "replay/packed.h"

struct packed_text {
	struct event_db *db;
	u32 fmt_at, fmt_size, buf_at;
	bool big_endian;
};

struct packed_text *packed_text_new(struct hist *h, const struct event_format *format,
				    struct arena *arena)
{
	const struct event_field *fmt, *buf;
	struct packed_text *p;

	if (strcmp(format->system, "ftrace") || strcmp(format->name, "bprint"))
		return NULL;
	fmt = event_find_field(format, span_of("fmt"), GENERICS_6_1);
	buf = event_find_field(format, span_of("buf"), GENERICS_6_1);
	p = fmt && buf && event_field_is_number(fmt) ? arena_alloc(arena, sizeof(*p)) : NULL;
	if (p)
		*p = (struct packed_text){ .db = h->recordings.db,
					   .fmt_at = fmt->offset,
					   .fmt_size = fmt->size,
					   .buf_at = buf->offset,
					   .big_endian = h->recordings.machine.big_endian };
	return p;
}

int packed_text_unpack(const struct packed_text *p, const struct hit *hit, struct strbuf *buf,
		       struct hit *seen)
{
	const char *fmt;

	if (hit->len < p->buf_at || hit->len < p->fmt_at + p->fmt_size)
		return 1;
	strbuf_reset(buf);
	strbuf_add(buf, hit->rec, p->buf_at);
	fmt = event_printk(p->db,
			   load_int(hit->rec + p->fmt_at, p->fmt_size, false, p->big_endian));
	if (fmt && !event_print_packed(p->db, fmt, hit->rec + p->buf_at, hit->len - p->buf_at, buf))
		strbuf_addstr(buf, fmt);
	while (buf->len > p->buf_at && !buf->failed && buf->s[buf->len - 1] == '\n')
		strbuf_cut(buf, buf->len - 1);
	strbuf_addch(buf, '\0');
	if (buf->failed)
		return HIST_NOMEM;
	*seen = *hit;
	seen->rec = (const u8 *)buf->s;
	seen->len = (u32)buf->len;
	return 0;
}
