// SPDX-License-Identifier: LGPL-2.1-only
/* Passes text to a sink. */
#include "print/print.h"

enum { FLUSH_AT = 64 * 1024 };

void printer_send(struct printer *p)
{
	if (p->buf.failed && !p->err)
		p->err = HIST_NOMEM;
	if (!p->err && p->buf.len)
		p->err = p->sink(p->arg, p->buf.s, p->buf.len);
	strbuf_reset(&p->buf);
}

void printer_flush(struct printer *p)
{
	if (p->buf.len >= FLUSH_AT || p->buf.failed)
		printer_send(p);
}

int printer_end(struct printer *p)
{
	printer_send(p);
	strbuf_release(&p->buf);
	return p->err;
}
