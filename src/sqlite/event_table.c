// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The table of an event. Each scan is a replay of its own, which decodes only columns that the
 * statement uses; times, a CPU, a pid and equal fields limit the replay. A scan that is repeated
 * fills a store, from which all others read.
 *
 * Constraints need not be exact: SQLite checks them again.
 */
#include "hist-code.h"
#include "hist-columns.h"
#include "hist-list.h"
#include "sqlite/event_table.h"

struct event_cursor {
	sqlite3_vtab_cursor base;
	struct sqlite_source *source; /* that is read; NULL: the first one is next */
	u64 machine;                  /* which one it is */
	struct scan_limits limits;
	struct hist *h; /* NULL: not reading from a replay */
	struct hist_events *events;
	struct hist_event event;
	struct diags diags;
	int *at;                   /* of columns from COL_FIELDS on: field or question; < 0: none */
	struct row_cursor *stored; /* of ->store; NULL: not reading from a store */
	const struct row_store *store;
	bool from_store;
	enum scan_kind kind;
	struct value_counts *counts; /* NULL: not of ->kind SCAN_ROWS */
	struct scan_plan plan;       /* of ->counts */
	u64 left;                    /* more rows like this one */
	struct strbuf text;
	sqlite3_int64 row, before; /* those of the machines before */
	bool at_end;
};

/* --- messages --- */

/* SQLite reports the first error. */
static int report(struct event_table *t, const struct diags *diags, int err)
{
	sqlite3_free(t->base.zErrMsg);
	t->base.zErrMsg = sqlite3_mprintf("%s", diags_first_error(diags) ?: hist_strerror(err));
	return err == HIST_NOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
}

/* What a replay reported, each once; the error that ended it is SQLite's to report. */
static void pass_on(const struct event_table *t, const struct sqlite_source *source,
		    const struct diags *diags, int err)
{
	struct diags *out = source->diags;

	array_each_while(const struct diag, d, &diags->list, out) {
		bool known = err && d->level == DIAG_ERROR;
		scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

		if (t->machines > 1)
			strbuf_addf(&text, "%s: ", source->host);
		strbuf_addstr(&text, d->text);
		known |= any_of(k, out->list.n, !strcmp(out->list.v[k].text, text.s));
		if (!known)
			diags_add(out, d->level, "%s", text.s);
	}
}

static int disconnect(sqlite3_vtab *vtab)
{
	struct event_table *t = (struct event_table *)vtab;

	array_release(&t->columns);
	array_release(&t->field_names);
	array_release(&t->repeated);
	arena_release(&t->arena);
	free(t);
	return SQLITE_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of xConnect */
static int connect(sqlite3 *db, void *aux, int argc UNUSED, const char *const *argv UNUSED,
		   sqlite3_vtab **out, char **message)
{
	struct event_table *t = calloc(1, sizeof(*t));
	struct diags diags = DIAGS_INIT;
	int err, rc;

	if (!t)
		return SQLITE_NOMEM;
	t->of = aux;
	for (const struct sqlite_source *s = t->of->source; s; s = s->next)
		t->machines++;
	err = event_columns_find(t, &diags);
	rc = err ? report(t, &diags, err) : event_columns_declare(db, t);
	diags_release(&diags);
	if (!rc) {
		*out = &t->base;
		return rc;
	}
	*message = t->base.zErrMsg;
	disconnect(&t->base);
	return rc;
}

/* --- a scan of a replay --- */

/* An empty table is no answer to whether there was none, or none was recorded. */
static void note_missing(struct event_table *t, u64 machine, struct hist *h, struct diags *diags)
{
	const u64 bit = 1ull << min_t(u64, machine, 63);
	const char *event;

	if (t->noted & bit || !t->of->recorded || !t->of->event)
		return;
	t->noted |= bit;
	for (size_t i = 0; (event = hist_recorded_event(h, i)); i++)
		if (!strcmp(event, t->of->event))
			return;
	diags_add(diags, DIAG_NOTE, "%s was not recorded: hist list shows which events were",
		  t->of->event);
}

static void end_scan(struct event_cursor *c, int err)
{
	struct event_table *t = (struct event_table *)c->base.pVtab;

	if (!c->h)
		return;
	if (c->events)
		hist_events_close(c->events, err);
	if (!err && c->at_end && c->row == c->before)
		note_missing(t, c->machine, c->h, &c->diags);
	pass_on(t, c->source, &c->diags, err);
	c->source->cut |= hist_input_cut(c->h);
	hist_close(c->h);
	diags_release(&c->diags);
	c->events = NULL;
	c->h = NULL;
}

/* Leaves ->events NULL if the machine does not know the event. */
static int open_events(struct event_cursor *c, const struct hist_events_options *options)
{
	const struct event_table *t = (struct event_table *)c->base.pVtab;
	int err;

	hist_close(c->h);
	c->h = NULL;
	c->events = NULL;
	diags_release(&c->diags);
	c->diags = (struct diags)DIAGS_INIT;
	err = c->source->open(c->source->arg, &c->h, &c->diags);
	if (err || (t->machines > 1 && options->n_choices &&
		    !source_knows(c->source, c->h, options->choices->event)))
		return err;
	return hist_events_open(c->h, options, &c->events, &c->diags);
}

static bool uses_stacks(const struct event_table *t, const struct scan_plan *plan)
{
	bool uses = false;

	for (size_t i = COL_FIELDS; i < t->first_code && i < t->columns.n; i++)
		uses |= plan_uses(plan, i) && strstr(t->field_names.v[i - COL_FIELDS], "_stack");
	return uses;
}

/* Where the used columns are in the events of this machine. */
static int find_columns(struct event_cursor *c)
{
	const struct event_table *t = (struct event_table *)c->base.pVtab;
	int err = 0;

	for (size_t i = COL_FIELDS; i < t->columns.n && !err; i++) {
		const char *name = t->field_names.v[i - COL_FIELDS];

		if (!plan_uses(&c->plan, i))
			continue;
		c->at[i] = i >= t->first_code
				   ? hist_events_code(c->events, name)
				   : hist_event_field(hist_events_type(c->events, 0), name);
		err = i >= t->first_code && c->at[i] != -HIST_ENOENT ? min_t(int, c->at[i], 0) : 0;
	}
	return err;
}

/* Open the events of the current machine, if it has them. */
static int start_source(struct event_cursor *c)
{
	struct event_table *t = (struct event_table *)c->base.pVtab;
	const struct scan_plan *plan = &c->plan;
	const struct scan_limits *l = &c->limits;
	struct hist_event_choice choice = { t->of->event, l->filter.len ? l->filter.s : NULL };
	const struct hist_events_options options = {
		.script = t->of->recorded ? NULL : c->source->script,
		.choices = &choice,
		.n_choices = t->of->event != NULL,
		.from = l->from,
		.to = l->to,
		.cpu = l->has_cpu ? &l->cpu : NULL,
		.comm = plan_uses(plan, COL_COMM),
		.who = plan_uses(plan, COL_TGID) || plan_uses(plan, COL_PROCESS) ||
		       plan_uses(plan, COL_CMDLINE) || plan_uses(plan, COL_CGROUP),
		.code = plan->used >> min_t(size_t, t->first_code, 63),
		.stacks = uses_stacks(t, plan),
	};
	int err = open_events(c, &options);

	/* a filter can be refused, as of a number that the field cannot have */
	if (err && choice.filter) {
		choice.filter = NULL;
		err = open_events(c, &options);
	}
	return err ?: c->events ? find_columns(c) : 0;
}

static int next_source(struct event_cursor *c)
{
	struct sqlite_source *first = ((struct event_table *)c->base.pVtab)->of->source;
	int err = 0;

	do {
		end_scan(c, 0);
		c->machine += c->source != NULL;
		c->source = c->source ? c->source->next : first;
		c->before = c->row;
		c->at_end = true;
		if (c->source && (!c->limits.host.len || !first->next ||
				  !strcmp(c->limits.host.s, c->source->host)))
			err = start_source(c);
	} while (c->source && !c->events && !err);
	c->at_end = !c->source;
	return err;
}

static int scan_next(struct event_cursor *c)
{
	struct event_table *t = (struct event_table *)c->base.pVtab;
	int err = 0;

	c->at_end = !c->events;
	while (!c->at_end && !(err = hist_events_next(c->events, &c->event))) {
		c->at_end = true;
		err = next_source(c);
	}
	c->at_end |= err < 0;
	c->row += err > 0;
	if (err > 0 && unlikely(c->event.ts > INT64_MAX && !t->late)) {
		t->late = true;
		diags_add(
			&c->diags, DIAG_WARNING,
			"times from 2^63 ns on are texts, for which SQLite has no integers: their "
			"differences are rounded");
	}
	return err < 0 ? report(t, &c->diags, err) : SQLITE_OK;
}

static void release_limits(struct event_cursor *c)
{
	strbuf_release(&c->limits.filter);
	strbuf_release(&c->limits.host);
}

/* Of ->plan. @values: of its constraints; NULL: without them */
static int start_scan(struct event_cursor *c, sqlite3_value **values)
{
	struct event_table *t = (struct event_table *)c->base.pVtab;
	int err;

	release_limits(c);
	c->limits = values ? scan_limits_find(t, &c->plan, values)
			   : (struct scan_limits){ .filter = STRBUF_INIT, .host = STRBUF_INIT };
	c->source = NULL;
	c->machine = 0;
	c->at_end = c->limits.none;
	if (c->limits.filter.failed || c->limits.host.failed)
		return SQLITE_NOMEM;
	if (c->at_end)
		return SQLITE_OK;
	err = next_source(c);
	if (err)
		return err == HIST_NOMEM ? SQLITE_NOMEM : report(t, &c->diags, err);
	return scan_next(c);
}

/* --- repeated scans --- */

/* NULL: out of memory */
static struct repeated *find_repeated(struct event_table *t, const char *text, int n)
{
	struct repeated r = { .text = NULL };

	for (size_t i = 0; i < t->repeated.n; i++)
		if (t->repeated.v[i].plan.n == (size_t)n && !strcmp(t->repeated.v[i].text, text))
			return &t->repeated.v[i];
	r.text = sqlite3_mprintf("%s", text);
	r.plan = scan_plan_read(text, n);
	if (!r.text || array_push(&t->repeated, r)) {
		sqlite3_free(r.text);
		return NULL;
	}
	return &t->repeated.v[t->repeated.n - 1];
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	struct event_cursor *c = (struct event_cursor *)cursor;
	struct event_table *t = (struct event_table *)cursor->pVtab;

	end_scan(c, c->at_end ? -HIST_EINVAL : 0);
	row_cursor_free(c->stored);
	value_counts_free(c->counts);
	release_limits(c);
	strbuf_release(&c->text);
	free(c->at);
	free(c);
	if (!--t->cursors) {
		for (size_t i = 0; i < t->repeated.n; i++) {
			row_store_free(t->repeated.v[i].store);
			sqlite3_free(t->repeated.v[i].text);
		}
		t->repeated.n = 0;
	}
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	const struct event_table *t = (struct event_table *)vtab;
	struct event_cursor *c = calloc(1, sizeof(*c));

	if (c)
		c->at = calloc(t->columns.n, sizeof(*c->at));
	if (!c || !c->at) {
		free(c);
		return SQLITE_NOMEM;
	}
	c->text = (struct strbuf)STRBUF_INIT;
	c->limits = (struct scan_limits){ .filter = STRBUF_INIT, .host = STRBUF_INIT };
	((struct event_table *)vtab)->cursors++;
	*out = &c->base;
	return SQLITE_OK;
}

static struct event_cell cell_of(struct event_cursor *c, size_t column)
{
	const struct event_table *t = (struct event_table *)c->base.pVtab;

	const int at = c->at[column];

	if (column == COL_HOST)
		return event_str_cell(c->source->host);
	if (column < t->first_name || column < COL_FIELDS || at < 0)
		return event_cell(&c->event, column, at, &c->text);
	return event_str_cell(column < t->first_code ? hist_event_name(&c->event, (size_t)at)
						     : hist_event_code(&c->event, at));
}

/*
 * SQLite recognises a row by it in the scans of an OR, of a RIGHT and of a FULL JOIN, which have
 * different limits; but not for the events that a replay makes, so there it is the number of the
 * row, of its machine.
 */
static sqlite3_int64 row_of(const struct event_cursor *c)
{
	const struct event_table *t = (struct event_table *)c->base.pVtab;
	const u64 place = t->of->recorded ? c->event.place : (u64)(c->row - c->before);

	return (sqlite3_int64)(place * t->machines + c->machine);
}

/* All rows of a plan, whatever its constraints are. */
static int fill_store(struct event_cursor *c, struct repeated *r)
{
	const struct scan_plan *plan = &r->plan;
	const struct event_table *t = (struct event_table *)c->base.pVtab;
	sqlite3_stmt *insert;
	int rc;

	r->store = row_store_new(plan, t->columns.v, t->columns.n);
	if (!r->store)
		return SQLITE_NOMEM;
	insert = row_store_insert(r->store);
	rc = start_scan(c, NULL);
	while (!rc && !c->at_end) {
		int at = 0;

		for (size_t i = 0; i < t->columns.n && !rc; i++)
			if (plan_uses(plan, i)) {
				const struct event_cell cell = cell_of(c, i);

				rc = c->text.failed ? SQLITE_NOMEM
						    : event_cell_bind(insert, ++at, &cell);
			}
		rc = rc ? rc : sqlite3_bind_int64(insert, at + 1, row_of(c));
		if (!rc && sqlite3_step(insert) != SQLITE_DONE)
			rc = SQLITE_FULL;
		sqlite3_reset(insert);
		rc = rc ? rc : scan_next(c);
	}
	return rc ? rc : row_store_finish(r->store);
}

static int count_rows(struct event_cursor *c)
{
	const struct event_table *t = (struct event_table *)c->base.pVtab;
	int rc = SQLITE_OK;

	c->left = 0;
	c->counts = value_counts_new();
	if (!c->counts)
		return SQLITE_NOMEM;
	while (!rc && !c->at_end) {
		for (size_t i = 0; i < c->plan.n_order; i++) {
			const size_t column = (size_t)c->plan.order[i];
			const struct event_cell cell = cell_of(c, column);

			value_counts_put(c->counts, &cell,
					 t->columns.v[column].affinity == HAS_NUMBER);
		}
		rc = c->text.failed ? SQLITE_NOMEM : value_counts_add(c->counts);
		rc = rc ? rc : scan_next(c);
	}
	return rc ? rc : value_counts_finish(c->counts, c->kind == SCAN_DOWN);
}

static struct event_cell counted_cell(const struct event_cursor *c, int column)
{
	size_t i = 0;

	while (i < c->plan.n_order && c->plan.order[i] != column)
		i++;
	return i < c->plan.n_order ? value_counts_cell(c->counts, i)
				   : (struct event_cell){ .type = SQLITE_NULL };
}

static int next_row(struct event_cursor *c)
{
	struct event_table *t = (struct event_table *)c->base.pVtab;
	int rc;

	if (c->counts && c->left) {
		c->left--;
		c->row++;
		return SQLITE_OK;
	}
	if (!c->from_store && !c->counts)
		return scan_next(c);
	rc = c->counts ? value_counts_next(c->counts, &c->left) : row_cursor_next(c->stored);
	c->left = c->counts && c->kind >= SCAN_UP ? c->left - 1 : 0;
	c->row++;
	c->at_end = rc != SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : report(t, &c->diags, -HIST_EIO);
}

static int read_store(struct event_cursor *c, struct repeated *r, sqlite3_value **values)
{
	int rc;

	/* SQLite from 3.47 on keeps a cursor for scans with other plans */
	if (c->store != r->store) {
		row_cursor_free(c->stored);
		c->stored = row_cursor_new(r->store);
		c->store = r->store;
	}
	rc = c->stored ? row_cursor_start(c->stored, values) : SQLITE_NOMEM;
	c->from_store = true;
	return rc ? rc : next_row(c);
}

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
		  sqlite3_value **values)
{
	struct event_cursor *c = (struct event_cursor *)cursor;
	struct event_table *t = (struct event_table *)cursor->pVtab;
	struct repeated *r = find_repeated(t, text, argc);
	int rc = SQLITE_OK;

	if (!r)
		return SQLITE_NOMEM;
	end_scan(c, 0);
	c->kind = (enum scan_kind)number;
	c->plan = r->plan;
	c->row = 0;
	c->from_store = false;
	value_counts_free(c->counts);
	c->counts = NULL;
	/* no operator that a plan uses is true of NULL */
	c->at_end = false;
	for (int i = 0; i < argc; i++)
		c->at_end |= sqlite3_value_type(values[i]) == SQLITE_NULL;
	if (c->at_end)
		return SQLITE_OK;
	if (!r->scans++ || c->kind != SCAN_ROWS)
		rc = start_scan(c, values);
	if (!rc && c->kind != SCAN_ROWS)
		return count_rows(c) ?: next_row(c);
	if (rc || r->scans == 1)
		return rc;
	if (!r->store)
		rc = fill_store(c, r);
	return rc ? rc : read_store(c, r, values);
}

/* --- the module --- */

static int step(sqlite3_vtab_cursor *cursor)
{
	return next_row((struct event_cursor *)cursor);
}

static int is_at_end(sqlite3_vtab_cursor *cursor)
{
	return ((struct event_cursor *)cursor)->at_end;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *cx, int i)
{
	struct event_cursor *c = (struct event_cursor *)cursor;
	struct event_cell cell;

	if (c->from_store) {
		sqlite3_result_value(cx, row_cursor_value(c->stored, (size_t)i));
		return SQLITE_OK;
	}
	cell = c->counts ? counted_cell(c, i) : cell_of(c, (size_t)i);
	if (c->text.failed)
		return SQLITE_NOMEM;
	switch (cell.type) {
	case SQLITE_INTEGER:
		sqlite3_result_int64(cx, cell.number);
		break;
	case SQLITE_TEXT:
		sqlite3_result_text(cx, cell.text.s, (int)cell.text.n, SQLITE_TRANSIENT);
		break;
	case SQLITE_BLOB:
		sqlite3_result_blob(cx, cell.text.s, (int)cell.text.n, SQLITE_TRANSIENT);
		break;
	default:
		break;
	}
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row)
{
	struct event_cursor *c = (struct event_cursor *)cursor;

	if (c->counts) {
		cursor->pVtab->zErrMsg = sqlite3_mprintf(
			"rows that are only grouped have no rowid, which a RIGHT or FULL JOIN "
			"needs that does not compare the tables: group by +COLUMN");
		return SQLITE_ERROR;
	}
	*row = c->from_store ? row_cursor_row(c->stored) : row_of(c);
	return SQLITE_OK;
}

/* Without xCreate: the tables exist as soon as the module does. */
const sqlite3_module event_table_module = {
	.xConnect = connect,
	.xBestIndex = scan_plan_best_index,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = step,
	.xEof = is_at_end,
	.xColumn = column,
	.xRowid = rowid,
};
