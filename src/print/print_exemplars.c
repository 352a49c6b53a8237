// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Exemplars in text: lines that start with '#', those of a row below it and those of all rows below
 * the totals. Time and CPU have the form that report --around accepts.
 */
#include "print/print_hist.h"

void print_exemplars(struct strbuf *out, const struct result *r, const struct exemplar_row *of)
{
	for (u32 i = 0; of && i < of->n; i++) {
		const struct exemplar *e = &of->v[i];

		strbuf_addf(out,
			    r->exemplars->is_signed ? "# %s: %10lld  at " : "# %s: %10llu  at ",
			    r->exemplars->name, (long long)e->value);
		text_add_time(out, e->at, r->info->clock_counts);
		strbuf_addf(out, ",%u  %.*s-%d", e->cpu, EXEMPLAR_COMM_LEN, e->comm, e->pid);
		if (e->file && r->info->n_files > 1)
			strbuf_addf(out, "  in %s", e->file);
		strbuf_addch(out, '\n');
	}
}

void print_all_exemplars(struct strbuf *out, const struct result *r)
{
	if (!r->exemplars)
		return;
	strbuf_addf(out, "\n# the largest %s", r->exemplars->name);
	if (r->exemplars->unit)
		strbuf_addf(out, " in %s", r->exemplars->unit);
	strbuf_addstr(out, ", at TIME,CPU (for hist report --around)\n");
	print_exemplars(out, r, r->exemplars->all);
}
