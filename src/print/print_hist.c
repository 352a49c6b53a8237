// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The hist file: every histogram of the event, sorted.
 * Answers to hist_trigger_show(), hist_trigger_print_key(), hist_trigger_print_val().
 */
#include "print/print_hist.h"
#include "print/stats.h"

struct hist_printer {
	struct printer *p;
	const struct table *table;
	const struct hist_data *hd;
	const struct machine *machine;
};

/* --- keys --- */

static void print_symbol(struct hist_printer *hp, u64 addr, bool offset, size_t width)
{
	struct strbuf name = STRBUF_INIT;

	event_print_symbol(hp->machine->db, addr, offset, &name);
	hp->p->buf.failed |= name.failed;
	strbuf_addpad(&hp->p->buf, name.s, width);
	strbuf_release(&name);
}

static void print_stack(struct hist_printer *hp, const u8 *key)
{
	u32 size = hp->machine->long_size;

	for (u32 i = 0; i < HIST_STACKTRACE_DEPTH; i++) {
		const u8 *at = key + (size_t)i * size;
		u64 addr = size == 8 ? load_u64(at, hp->machine->big_endian)
				     : load_u32(at, hp->machine->big_endian);

		if (!addr)
			return;
		strbuf_fill(&hp->p->buf, ' ', 9);
		print_symbol(hp, addr, true, 0);
		strbuf_addch(&hp->p->buf, '\n');
	}
}

static void print_syscall(struct hist_printer *hp, const char *label, u64 nr)
{
	const char *name = event_syscall_name(hp->machine->db, hp->machine->arch, nr);

	strbuf_addf(&hp->p->buf, "%s: %-30s[%3llu]", label, name ? name : "unknown_syscall",
		    (unsigned long long)nr);
}

/* As system calls are shown; false: the number has no name. */
static bool print_label(struct hist_printer *hp, const char *sep, const char *field, u64 v,
			bool is_signed)
{
	struct printer *p = hp->p;
	struct strbuf label = STRBUF_INIT;
	bool named = p->label && p->label(p->label_arg, field, v, is_signed, &label);

	if (named)
		strbuf_addf(&p->buf, is_signed ? "%s%s: %-30s[%3lld]" : "%s%s: %-30s[%3llu]", sep,
			    field, label.s, (unsigned long long)v);
	strbuf_release(&label);
	return named;
}

/* A key that is a number, shown by its modifier. */
static void print_num_key(struct hist_printer *hp, const struct hist_field *f, u64 v,
			  const char *comm)
{
	struct strbuf *out = &hp->p->buf;
	unsigned long long n = v;

	if (f->flags & HIST_FIELD_FL_HEX) {
		strbuf_addf(out, "%s: %llx", f->label, n);
	} else if (f->flags & (HIST_FIELD_FL_SYM | HIST_FIELD_FL_SYM_OFFSET)) {
		bool offset = !(f->flags & HIST_FIELD_FL_SYM);

		strbuf_addf(out, "%s: [%llx] ", f->label, n);
		print_symbol(hp, v, offset, offset ? 55 : 45);
	} else if (f->flags & HIST_FIELD_FL_EXECNAME) {
		strbuf_addf(out, "%s: %-16s[%10llu]", f->label, comm, n);
	} else if (f->flags & HIST_FIELD_FL_SYSCALL) {
		print_syscall(hp, f->label, v);
	} else if (f->flags & HIST_FIELD_FL_LOG2) {
		strbuf_addf(out, "%s: ~ 2^%-2llu", f->label, n);
	} else if (f->flags & HIST_FIELD_FL_BUCKET) {
		strbuf_addf(out, "%s: ~ %llu-%llu", f->label, n, n + f->buckets - 1);
	} else if (!print_label(hp, "", f->label, v, f->is_signed)) {
		strbuf_addf(out, "%s: %10llu", f->label, n);
	}
}

/* kernel: these are asked before it looks whether the key is a stack or a text */
static const u32 shown_as_number = HIST_FIELD_FL_HEX | HIST_FIELD_FL_SYM |
				   HIST_FIELD_FL_SYM_OFFSET | HIST_FIELD_FL_EXECNAME |
				   HIST_FIELD_FL_SYSCALL;

static bool print_key_field(struct hist_printer *hp, const struct hist_field *f, const u8 *key,
			    const char *comm)
{
	struct strbuf *out = &hp->p->buf;
	const char *text = (const char *)key;
	u32 rounded = HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET;

	if (!(f->flags & shown_as_number) && f->flags & HIST_FIELD_FL_STACKTRACE) {
		if (f->field)
			strbuf_addf(out, "%s.stacktrace", f->field->name);
		else
			strbuf_addstr(out, hp->machine->quirks->common_stacktrace
						   ? "common_stacktrace:\n"
						   : "stacktrace:\n");
		print_stack(hp, key);
		return true;
	}
	if (f->flags & (shown_as_number | rounded) || !(f->flags & HIST_FIELD_FL_STRING))
		print_num_key(hp, f, load_u64(key, hp->machine->big_endian), comm);
	else
		strbuf_addf(out, "%s: %-50.*s", f->label, (int)strnlen(text, f->size), text);
	return false;
}

static void print_key(struct hist_printer *hp, const u8 *key, const char *comm)
{
	struct strbuf *out = &hp->p->buf;
	bool multiline = false;
	u32 i;

	strbuf_addstr(out, "{ ");
	for_each_hist_key_field(i, hp->hd)
	{
		const struct hist_field *f = hp->hd->fields[i];

		if (i > hp->hd->n_vals)
			strbuf_addstr(out, ", ");
		multiline |= print_key_field(hp, f, key + f->offset, comm);
	}
	strbuf_addstr(out, multiline ? "}" : " }");
}

void print_hist_key(struct printer *p, const struct table *table, const u8 *key, const char *comm)
{
	const struct machine *machine = &table->trigger->file->tr->tracing->machine;
	struct hist_printer hp = { .p = p, .table = table, .hd = table->hist, .machine = machine };

	print_key(&hp, key, comm);
}

/* --- values --- */

static void print_val(struct hist_printer *hp, u32 i, const struct hist_field *f, u64 val)
{
	const struct table_column_stat *stat = &hp->table->stats[i];
	struct strbuf *out = &hp->p->buf;

	strbuf_addch(out, ' ');
	if (f->flags & HIST_FIELD_FL_PERCENT)
		print_hist_percent(out, f->label, val, stat->total);
	else if (f->flags & HIST_FIELD_FL_GRAPH)
		print_hist_graph(out, f->label, val, stat->max);
	else if (f->flags & HIST_FIELD_FL_HEX)
		strbuf_addf(out, " %s: %10llx", f->label, (unsigned long long)val);
	else
		strbuf_addf(out, " %s: %10llu", f->label, (unsigned long long)val);
}

/* --- what onmax and onchange keep --- */

static unsigned long long shown_value(const struct hist_field *f, u64 v)
{
	return hist_field_is_address(f) ? 0 : v;
}

static void print_saved(struct hist_printer *hp, struct tracing_map_elt *elt)
{
	struct strbuf *out = &hp->p->buf;

	for (u32 i = 0; i < hp->hd->n_save_vars; i++) {
		const struct field_var *fv = hp->hd->save_vars[i];
		u64 v = tracing_map_read_var(hp->hd->map, elt, fv->var->var.idx);

		if (fv->val->flags & HIST_FIELD_FL_STRING)
			strbuf_addf(out, "  %s: %-32s", fv->var->var.name,
				    v ? (const char *)(uintptr_t)v : "(null)");
		else if (!print_label(hp, "  ", fv->var->var.name, shown_value(fv->val, v),
				      fv->val->is_signed))
			strbuf_addf(out, "  %s: %10llu", fv->var->var.name,
				    shown_value(fv->val, v));
	}
}

static void print_actions(struct hist_printer *hp, struct tracing_map_elt *elt)
{
	for (u32 i = 0; i < hp->hd->n_actions; i++) {
		const struct action_data *data = hp->hd->actions[i];
		u64 v;

		if (data->action == ACTION_SNAPSHOT || data->handler == HANDLER_ONMATCH)
			continue;
		v = tracing_map_read_var(hp->hd->map, elt, data->track_var->var.idx);
		strbuf_addf(&hp->p->buf, "\n\t%s: %10llu",
			    data->handler == HANDLER_ONMAX ? "max" : "changed",
			    shown_value(data->var_ref, v));
		print_saved(hp, elt);
	}
}

/* --- the whole --- */

static void print_row(struct hist_printer *hp, struct tracing_map_elt *elt)
{
	const struct hist_data *hd = hp->hd;
	const u64 *sums = tracing_map_sums(elt);

	print_key(hp, tracing_map_key(hd->map, elt), elt_comm(hd, elt));
	if (!hd->no_hitcount)
		strbuf_addf(&hp->p->buf, " hitcount: %10llu",
			    (unsigned long long)sums[HITCOUNT_IDX]);
	for (u32 i = 1; i < hd->n_vals - hd->n_vars; i++)
		if (!(hd->fields[i]->flags & HIST_FIELD_FL_EXPR))
			print_val(hp, i, hd->fields[i], sums[i]);
	print_actions(hp, elt);
	strbuf_addch(&hp->p->buf, '\n');
	printer_flush(hp->p);
}

static const struct action_data *snapshot_action(const struct hist_data *hd)
{
	for (u32 i = 0; i < hd->n_actions; i++)
		if (hd->actions[i]->action == ACTION_SNAPSHOT)
			return hd->actions[i];
	return NULL;
}

static void print_snapshot(struct hist_printer *hp)
{
	const struct snapshot *s = hp->table->trigger->file->tr->snapshot;
	const struct action_data *data = snapshot_action(hp->hd);
	struct strbuf *out = &hp->p->buf;

	if (!s || !s->updated || !data)
		return;
	strbuf_addstr(out, "\nSnapshot taken (see tracing/snapshot).  Details:\n");
	strbuf_addf(out, "\ttriggering value { %s(%.*s) }: %10llu",
		    data->handler == HANDLER_ONMAX ? "onmax" : "onchange", (int)data->text.var.n,
		    data->text.var.s, shown_value(data->var_ref, s->track_val));
	strbuf_addstr(out, "\ttriggered by event with key: ");
	print_key(hp, s->key, s->comm);
	strbuf_addch(out, '\n');
}

/* Names are asked for once even if there are no rows, so that a wrong field shows. */
static void offer_labels(const struct hist_printer *hp)
{
	struct printer *p = hp->p;
	struct strbuf unused = STRBUF_INIT;
	u32 i;

	for_each_hist_key_field(i, hp->hd)
	{
		const struct hist_field *f = hp->hd->fields[i];

		if (!hist_field_modifier(f) && !(f->flags & HIST_FIELD_FL_STRING))
			p->label(p->label_arg, f->label, 0, f->is_signed, &unused);
	}
	for (i = 0; i < hp->hd->n_save_vars; i++)
		p->label(p->label_arg, hp->hd->save_vars[i]->var->var.name, 0, false, &unused);
	strbuf_release(&unused);
}

static void print_table(struct printer *p, const struct table *table)
{
	const struct machine *machine = &table->trigger->file->tr->tracing->machine;
	struct hist_printer hp = { .p = p, .table = table, .hd = table->hist, .machine = machine };

	strbuf_addstr(&p->buf, "# event histogram\n#\n# trigger info: ");
	print_trigger_line(&p->buf, table->trigger, machine->quirks);
	strbuf_addstr(&p->buf, "#\n\n");
	if (p->label)
		offer_labels(&hp);
	for (size_t i = 0; i < table->n_rows && !p->err; i++)
		print_row(&hp, table->rows[i]);
	print_snapshot(&hp);
	strbuf_addf(&p->buf, "\nTotals:\n    Hits: %llu\n    Entries: %zu\n    Dropped: %llu\n",
		    (unsigned long long)table->hits, table->n_rows,
		    (unsigned long long)table->drops);
}

void print_hist_of(struct printer *p, const struct trigger *trigger)
{
	struct table *table;

	if (table_new(trigger, trigger->file->tr->tracing->machine.quirks, &table)) {
		p->err = HIST_NOMEM;
		return;
	}
	print_table(p, table);
	if (!p->err)
		p->err = print_stats(p, table);
	table_free(table);
}

void print_hist(struct printer *p, const struct event_file *file)
{
	bool first = true;

	for (size_t i = 0; i < file->triggers.n && !p->err; i++) {
		const struct trigger *t = file->triggers.v[i];

		if (!t->hist)
			continue;
		strbuf_addstr(&p->buf, first ? "" : "\n\n");
		first = false;
		print_hist_of(p, t);
	}
}
