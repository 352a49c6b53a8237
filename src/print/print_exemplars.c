// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Exemplars: in text, lines that start with '#', those of a row below it and those of all rows
 * below the totals; in json, objects. Time and CPU have the form that report --around accepts.
 */
#include "print/encode.h"
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

static void add_objects(struct json *j, const struct result *r, const struct exemplar_row *of)
{
	json_open(j, '[');
	for (u32 i = 0; of && i < of->n; i++) {
		const struct exemplar *e = &of->v[i];

		json_open(j, '{');
		json_name(j, "value");
		json_number(j, e->value, r->exemplars->is_signed);
		json_name(j, "time");
		json_time(j, e->at, r->info->clock_counts);
		json_member_u64(j, "cpu", e->cpu);
		json_name(j, "pid");
		json_s64(j, e->pid);
		json_name(j, "comm");
		json_text(j, (struct span){ e->comm, strnlen(e->comm, sizeof(e->comm)) });
		if (e->file && r->info->n_files > 1)
			json_member_str(j, "file", e->file);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void json_exemplars_row(struct json *j, const struct result *r, const struct result_row *row)
{
	if (!r->exemplars)
		return;
	json_name(j, "exemplars");
	add_objects(j, r, row->exemplars);
}

static void add_description(struct json *j, const struct result_exemplars *exemplars)
{
	json_member_str(j, "name", exemplars->name);
	json_member_bool(j, "signed", exemplars->is_signed);
	if (exemplars->unit)
		json_member_str(j, "unit", exemplars->unit);
}

void json_exemplars_column(struct json *j, const struct result *r)
{
	if (!r->exemplars)
		return;
	json_name(j, "exemplars");
	json_open(j, '{');
	add_description(j, r->exemplars);
	json_member_u64(j, "max", r->exemplars->max);
	json_close(j, '}');
}

void json_exemplars_all(struct json *j, const struct result *r)
{
	if (!r->exemplars)
		return;
	json_name(j, "exemplars");
	json_open(j, '{');
	add_description(j, r->exemplars);
	json_name(j, "all");
	add_objects(j, r, r->exemplars->all);
	json_close(j, '}');
}
