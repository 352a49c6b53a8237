// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Warns that ranges of .log2 can contain negative numbers, which programs and statistics take for
 * 0 and 1.
 *
 * kernel: before "log2_up_to_64" (see program/version.c), the bucket 2^0 also contains the numbers
 * above 2^63, and so all negative ones.
 */
#include "tracefs/tracefs.h"

/* "ret >= 0" or "ret > 0" in the filter. */
static bool excludes_negative(const char *trigger, const char *field)
{
	struct strbuf text = STRBUF_INIT;
	bool found;

	strbuf_addf(&text, "%s >", field);
	found = strstr(trigger, text.s) != NULL;
	strbuf_release(&text);
	return found;
}

static bool has_first_bucket(const struct result *r, size_t column)
{
	struct result_row row;

	for (size_t i = 0; i < r->n_rows; i++) {
		r->row(r, i, &row);
		if (row.cells[column].max == 1)
			return true;
	}
	return false;
}

void warn_log2(struct hist *h, const struct result *r)
{
	struct output *o = h->output;

	if (h->tracing->machine.quirks->log2_up_to_64 || o->warned_log2 || !h->recordings.diags)
		return;
	for (size_t i = 0; i < r->n_keys; i++) {
		const struct result_column *c = &r->columns[i];

		if (!c->is_signed || !c->modifier || strcmp(c->modifier, "log2") != 0 ||
		    excludes_negative(r->trigger, c->name) || !has_first_bucket(r, i))
			continue;
		o->warned_log2 = true;
		h->doubtful = true;
		diags_add(
			h->recordings.diags, DIAG_WARNING,
			"%s: this kernel counts negative numbers in the first row of .log2, which is taken "
			"for 0 to 1 here; leave them out with the filter %s >= 0",
			r->event, c->name);
		return;
	}
}
