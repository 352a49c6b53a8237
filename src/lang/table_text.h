/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A table of a question, in words:
 *
 *	table EVENT[,EVENT...] by KEYS [sum FIELDS] [worst FIELD [save FIELDS]]
 *		[sort FIELDS] [if FILTER]
 *
 * and a change of the histograms that the lines after it show, up to the next such line:
 *
 *	filter FILTER
 *	group by KEYS [sum FIELDS] [if FILTER]
 *
 * KEYS may have attributes of a trigger after them, as in comm:sort=comm.
 */
#pragma once
#include "base/base.h"

enum table_part {
	TABLE_EVENTS,
	TABLE_KEYS,
	TABLE_SUMS,
	TABLE_WORST, /* the row has the fields of ->parts[TABLE_SAVE] at its largest value */
	TABLE_SAVE,
	TABLE_SORT,
	TABLE_FILTER,
	N_TABLE_PARTS,
};

struct table_text {
	struct span parts[N_TABLE_PARTS]; /* absent: not given */
};

/* Cut the words after "table", or after "group". @bad: set to what is missing or wrong if false */
bool table_text_cut(struct span text, bool events, struct table_text *out, struct span *bad);

/* The same words, after @verb: they can be cut again. */
void table_text_add(const struct table_text *t, const char *verb, struct strbuf *out);

/* Append a part as one line: newlines become blanks, but for those of texts in quotes. */
void table_text_line(struct span part, struct strbuf *out);
