// SPDX-License-Identifier: LGPL-2.1-only
/* The table of Perfetto's messages; see perfetto_known.h. */
#include "event/perfetto_known.h"

const struct perfetto_known perfetto_known[] = {
#define PERFETTO_EVENT(number, system, name, fields) { number, system, name, fields },
#include "event/perfetto_events.def"
	{ 0, NULL, NULL, NULL },
};

struct perfetto_known_field perfetto_known_next(struct span *fields)
{
	struct span kind = span_sep(fields, " ");
	struct perfetto_known_field f = { .number = 0 };

	if (!kind.n)
		return f;
	for (; kind.n && is_digit(*kind.s); kind = span_skip(kind, 1))
		f.number = f.number * 10 + (u32)(*kind.s - '0');
	f.type = *kind.s;
	f.optional = kind.n > 1;
	f.name = span_sep(fields, " ");
	return f;
}
