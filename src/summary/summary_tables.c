// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The tables of a summary, and their rows.
 *
 * Filters keep the costs low: a sleep of less than a millisecond is never the worst thing about a
 * recording.
 */
#include "hist-list.h"
#include "summary/summary_run.h"

/*
 * ORDER enum summary_table; tables of an event follow each other. @what: what a recording without
 * the event knows nothing about, at the first table that needs it
 */
static const struct {
	const char *event, *rest, *what;
} tables[] = {
	{ "derived:task_state", "by comm sum ns worst ns save pid,cpu if state == \"running\"",
	  NULL },
	{ "derived:task_state", "by comm sum ns worst ns save pid,cpu if state == \"disk\"", NULL },
	{ "derived:task_state",
	  "by comm sum ns worst ns save pid,cpu,prio,waker_pid,waker_comm "
	  "if prio < 100 && ns >= 1000000 && waker_pid > 0 && in_irq == 0",
	  NULL },
	{ "derived:wait", "by comm,kind sum ns worst ns save pid,cpu,reason", "tasks and CPUs" },
	{ "derived:wait", "by ns.log2", NULL },
	{ "derived:wait",
	  "by comm sum ns worst ns save pid,cpu,prio,reason if prio < 100 && ns >= 1000000", NULL },
	{ "derived:wait", "by reason sum ns worst ns save pid,comm,cpu", NULL },
	{ "derived:runqueue", "by depth sum ns worst ns save cpu", NULL },
	{ "derived:syscall", "by id.syscall sum ns worst ns save pid,comm,cpu", "system calls" },
	{ "derived:syscall",
	  "by id.syscall,ret worst ns save pid,comm,cpu if ret < 0 && ret > -4096", NULL },
	{ "derived:irq", "by name,cpu,kind sum ns,self_ns worst ns save comm", "interrupts" },
	{ "derived:softirq_wait", "by name sum ns worst ns save cpu,comm", "softirqs" },
	{ "derived:lock_wait", "by lock.sym,kind sum ns worst ns save pid,comm,cpu", "locks" },
	{ "derived:block_io", "by dev,op sum ns,bytes worst ns save comm,pid", "disks" },
	{ "derived:block_io", "by dev,op,error worst ns save comm,pid if error != 0", NULL },
	{ "derived:throttle", "by cgroup sum ns worst ns save cpu", NULL },
	/* of the time of one wait; of all, most of the time of a replay would be for this table */
	{ "derived:delay",
	  "by culprit_comm,culprit_pid,culprit_kind sum ns worst ns save culprit_prio,victim_pid "
	  "if victim_pid == ",
	  NULL },
};

static int take(void *arg, const struct taken_result *t)
{
	struct summary_run *s = arg;
	const char *event = t->frozen->result.event;

	/* events come in any order, the tables of one in the order of the script */
	for (size_t i = 0; i < N_SUMMARY_TABLES; i++)
		if (!s->tables[i].named && !strcmp(tables[i].event, event)) {
			s->tables[i] = *t;
			return 0;
		}
	return -HIST_EINVAL;
}

/* Its intervals begin and end in any task, so the events of some are not enough. */
static bool needs_all_tasks(enum summary_table i)
{
	return i == SUMMARY_DEPTH || i == SUMMARY_SOFTIRQ || i == SUMMARY_BLOCK ||
	       i == SUMMARY_BLOCK_ERROR;
}

/* @only: of one event; NULL: of all */
static int add_tables(struct summary_run *s, const char *only, struct hist_script *script)
{
	int err = 0;

	for (size_t i = 0; i < N_SUMMARY_TABLES && !err; i++) {
		const char *line;

		if ((only ? strcmp(only, tables[i].event) != 0 : i == SUMMARY_DELAY) ||
		    (s->of_some && needs_all_tasks(i)) || !hist_can_derive(s->h, tables[i].event))
			continue;
		line = arena_printf(&s->arena, "table %s %s%s\n", tables[i].event, tables[i].rest,
				    i == SUMMARY_DELAY ? s->victim : "");
		err = line ? hist_script_parse(script, "summary", line, strlen(line), s->diags)
			   : HIST_NOMEM;
	}
	return err;
}

static int ask(struct summary_run *s, const char *only, struct diags *diags)
{
	const struct hist_run_options options = { .top = 0 };
	struct output *o = &directory_of(s->h)->output;
	struct hist_script *script = hist_script_new();
	int err = script ? add_tables(s, only, script) : HIST_NOMEM;

	o->take = take;
	o->take_arg = s;
	err = err ?: hist_run(s->h, script, &options, strbuf_sink, NULL, diags);
	o->take = NULL;
	hist_script_free(script);
	return err;
}

/* Those that the fields of this recording allow, each by itself; the first error is a line. */
static int ask_each(struct summary_run *s)
{
	scoped(diags_release) struct diags diags = DIAGS_INIT;
	const char *refused;
	int err = 0;

	for (size_t i = 0; i < SUMMARY_DELAY && err != HIST_NOMEM; i++) {
		if (i && !strcmp(tables[i].event, tables[i - 1].event))
			continue;
		err = directory_restart(s->h);
		err = err ?: ask(s, tables[i].event, &diags);
	}
	refused = diags_first_error(&diags);
	if (refused) {
		strbuf_addf(&s->text, "not answered: %s", refused);
		summary_say(s,
			    &(struct summary_form){ SUMMARY_TROUBLE, "refused", "", "list", NULL },
			    NULL);
	}
	return err == HIST_NOMEM ? err : 0;
}

int summary_ask(struct summary_run *s)
{
	scoped(diags_release) struct diags diags = DIAGS_INIT;
	int err = ask(s, NULL, &diags);

	/* notes are about single tables; what is wrong with the recording is in the summary */
	for (size_t i = 0; i < diags.list.n; i++)
		if (diags.list.v[i].level == DIAG_WARNING)
			diags_add(s->diags, DIAG_WARNING, "%s", diags.list.v[i].text);
	return err && err != HIST_NOMEM ? ask_each(s) : err;
}

void summary_lacking(struct summary_run *s, struct strbuf *what, struct strbuf *events)
{
	for (size_t i = 0; i < N_SUMMARY_TABLES; i++) {
		const char *comma = what->len ? "," : "";

		if (!tables[i].what || hist_can_derive(s->h, tables[i].event))
			continue;
		strbuf_addf(what, "%s%s%s", comma, *comma ? " " : "", tables[i].what);
		strbuf_addf(events, "%s%s", comma, tables[i].event);
	}
}

/* Replays up to the end of the wait; the row of the table has to end with it. */
bool summary_culprit(struct summary_run *s, const struct summary_row *wait,
		     struct summary_row *culprit)
{
	enum { MIN_NS = 1000000 };
	const u64 at = wait->saved_at;
	const struct replay_span all = s->h->span;
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	struct summary_row row;
	u64 most = 0;
	int err;

	if (summary_number(wait, "max") < MIN_NS)
		return false;
	if (s->tables[SUMMARY_DELAY].named)
		taken_result_free(&s->tables[SUMMARY_DELAY]);
	snprintf(s->victim, sizeof(s->victim), "%d", (int)summary_number(wait, "pid"));
	s->h->span.from = max_t(u64, all.from, at - summary_number(wait, "max"));
	s->h->span.to = at;
	err = directory_restart(s->h) ?: ask(s, "derived:delay", &ignored);
	s->h->span = all;
	s->failed |= err == HIST_NOMEM;
	for (size_t i = 0; !err && summary_row(s, SUMMARY_DELAY, i, &row); i++)
		if (row.saved_at == at && summary_number(&row, "max") > most) {
			most = summary_number(&row, "max");
			*culprit = row;
		}
	return most;
}

/* --- rows --- */

static size_t column_of(const struct result *r, const char *name)
{
	size_t i = 0;

	while (i < r->n_columns && strcmp(r->columns[i].name, name) != 0)
		i++;
	return i;
}

static const struct result_cell *cell_of(const struct summary_row *row, const char *column)
{
	const size_t i = column_of(row->r, column);

	return i < min_t(size_t, row->r->n_columns, SUMMARY_CELLS) && !row->cells[i].absent
		       ? &row->cells[i]
		       : NULL;
}

bool summary_row(const struct summary_run *s, enum summary_table table, size_t i,
		 struct summary_row *row)
{
	struct result_row borrowed;

	row->table = table;
	row->r = summary_result(s, table);
	if (!row->r || i >= row->r->n_rows)
		return false;
	row->r->row(row->r, i, &borrowed);
	row->saved = borrowed.saved;
	row->saved_at = borrowed.saved_at;
	memcpy(row->cells, borrowed.cells,
	       min_t(size_t, row->r->n_columns, SUMMARY_CELLS) * sizeof(*row->cells));
	return true;
}

bool summary_worst(const struct summary_run *s, enum summary_table table, const char *by,
		   struct summary_row *row)
{
	size_t best = SIZE_MAX;
	u64 most = 0;

	for (size_t i = 0; summary_row(s, table, i, row); i++)
		if (best == SIZE_MAX || summary_number(row, by) > most) {
			most = summary_number(row, by);
			best = i;
		}
	return best != SIZE_MAX && summary_row(s, table, best, row);
}

bool summary_has(const struct summary_row *row, const char *column)
{
	return cell_of(row, column);
}

u64 summary_number(const struct summary_row *row, const char *column)
{
	const struct result_cell *c = cell_of(row, column);

	return c ? c->num : 0;
}

void summary_add_text(const struct summary_row *row, const char *column, struct strbuf *out)
{
	const struct result_cell *c = cell_of(row, column);
	const struct result_column *of = &row->r->columns[column_of(row->r, column)];

	if (c && (c->label.n || c->text.n))
		text_add_encoded(out, c->label.n ? c->label : c->text);
	else if (c && of->unit)
		people_text(out, (double)c->num, of->unit);
	else if (c && !strcmp(of->name, "hitcount"))
		text_add_grouped(out, c->num, false);
	else if (c)
		text_add_number(out, c->num, of->is_signed);
}

bool summary_is(const struct summary_row *row, const char *column, const char *text)
{
	const struct result_cell *c = cell_of(row, column);

	return c && span_eq(c->label.n ? c->label : c->text, text);
}

bool summary_is_call(const struct summary_row *row, const char *const *names, size_t n)
{
	static const char prefix[] = "sys_";
	const struct result_cell *c = cell_of(row, "id");
	struct span name = c ? c->label : (struct span){ NULL, 0 };

	if (span_starts(name, prefix))
		name = span_skip(name, strlen(prefix));
	return any_of(i, n, span_eq(name, names[i]));
}

u64 summary_sum(const struct summary_run *s, enum summary_table table, const char *column)
{
	struct summary_row row;
	u64 sum = 0;

	for (size_t i = 0; summary_row(s, table, i, &row); i++)
		sum += summary_number(&row, column);
	return sum;
}
