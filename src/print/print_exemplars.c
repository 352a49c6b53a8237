// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Exemplars: in text, lines that start with '#', those of a row below it and those of all rows
 * below the totals; in json, objects. Time and CPU have the form that report --around accepts.
 */
#include "print/print_hist.h"
#include "print/summary.h"

enum { NUMBER_WIDTH = 10 };

static void add_value(struct strbuf *out, u64 value, bool is_signed)
{
	size_t start = out->len, n;
	char text[24];

	text_add_number(out, value, is_signed);
	n = out->len - start;
	if (n >= NUMBER_WIDTH || out->failed)
		return;
	memcpy(text, out->s + start, n);
	strbuf_cut(out, start);
	strbuf_fill(out, ' ', NUMBER_WIDTH - n);
	strbuf_add(out, text, n);
}

void print_exemplars(struct strbuf *out, const struct result *r, const struct exemplar_row *of)
{
	for (u32 i = 0; of && i < of->n; i++) {
		const struct exemplar *e = &of->v[i];

		strbuf_addf(out, "# %s: ", r->exemplars->name);
		add_value(out, e->value, r->exemplars->is_signed);
		strbuf_addstr(out, "  at ");
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

void json_exemplar(struct json *j, const struct exemplar *e, bool is_signed, bool clock_counts,
		   bool file)
{
	json_object(j, NULL);
	json_number(j, "value", e->value, is_signed);
	json_time(j, "time", e->at, clock_counts);
	json_u64(j, "cpu", e->cpu);
	json_s64(j, "pid", e->pid);
	json_text(j, "comm", (struct span){ e->comm, strnlen(e->comm, sizeof(e->comm)) });
	if (e->file && file)
		json_str(j, "file", e->file);
	json_close(j, '}');
}

static void add_objects(struct json *j, const char *name, const struct result *r,
			const struct exemplar_row *of)
{
	json_array(j, name);
	for (u32 i = 0; of && i < of->n; i++)
		json_exemplar(j, &of->v[i], r->exemplars->is_signed, r->info->clock_counts,
			      r->info->n_files > 1);
	json_close(j, ']');
}

void json_exemplars_row(struct json *j, const struct result *r, const struct result_row *row)
{
	if (r->exemplars)
		add_objects(j, "exemplars", r, row->exemplars);
}

void json_exemplars_described(struct json *j, const char *name,
			      const struct result_exemplars *exemplars)
{
	json_object(j, name);
	json_members(j, exemplars_members, EXEMPLARS_MEMBERS - 1, exemplars);
}

void json_exemplars_column(struct json *j, const struct result *r)
{
	if (!r->exemplars)
		return;
	json_exemplars_described(j, "exemplars", r->exemplars);
	json_u64(j, "max", r->exemplars->max);
	json_close(j, '}');
}

void json_exemplars_all(struct json *j, const struct result *r)
{
	if (!r->exemplars)
		return;
	json_exemplars_described(j, "exemplars", r->exemplars);
	add_objects(j, "all", r, r->exemplars->all);
	json_close(j, '}');
}
