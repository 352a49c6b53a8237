// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What SQLite asks a table before it reads it: which constraints make a scan shorter; and what they
 * mean for a replay.
 */
#include "sqlite/event_table.h"

/* Whether a constraint can limit a scan. */
static bool is_useful(const struct event_table *t, sqlite3_index_info *info, int i)
{
	const struct sqlite3_index_constraint *c = &info->aConstraint[i];

	if (!c->usable || c->iColumn < 0 || sqlite3_vtab_in(info, i, -1))
		return false;
	/* equal is the same for both */
	if (strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0 &&
	    strcmp(sqlite3_vtab_collation(info, i), DIGITS) != 0)
		return false;
	if (c->op == SQLITE_INDEX_CONSTRAINT_EQ)
		return c->iColumn != COL_TEXT && c->iColumn != COL_DATE;
	return (c->iColumn == COL_TS || t->columns.v[c->iColumn].affinity == HAS_INTEGER) &&
	       (c->op == SQLITE_INDEX_CONSTRAINT_GT || c->op == SQLITE_INDEX_CONSTRAINT_GE ||
		c->op == SQLITE_INDEX_CONSTRAINT_LT || c->op == SQLITE_INDEX_CONSTRAINT_LE);
}

/*
 * Whether a statement uses only the columns by which it groups, or wants each combination of them
 * once: equal rows can be counted. Of times there are too many. With ORDER BY the same columns,
 * groups have the order that it names, which SQLite does not sort again. Counted rows have no ids,
 * which a table of a RIGHT or FULL JOIN needs, that is compared with another one.
 */
static enum scan_kind kind_of(sqlite3_index_info *info)
{
	const int distinct = sqlite3_vtab_distinct(info);
	sqlite3_value *constant;
	u64 columns = 0;
	int down = 0;

	if (info->nOrderBy < 1 || info->nOrderBy > ORDER_MAX)
		return SCAN_ROWS;
	for (int i = 0; i < info->nOrderBy; i++) {
		down += info->aOrderBy[i].desc;
		if (info->aOrderBy[i].iColumn <= COL_TS || info->aOrderBy[i].iColumn >= 63)
			return SCAN_ROWS;
		columns |= 1ull << info->aOrderBy[i].iColumn;
	}
	for (int i = 0; i < info->nConstraint; i++)
		if (!info->aConstraint[i].usable || sqlite3_vtab_rhs_value(info, i, &constant))
			return SCAN_ROWS;
	if (info->colUsed != columns)
		return SCAN_ROWS;
	if (distinct == 1 && (!down || down == info->nOrderBy))
		return down ? SCAN_DOWN : SCAN_UP;
	return distinct == 2 ? SCAN_DISTINCT : SCAN_ROWS;
}

int scan_plan_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	struct event_table *t = (struct event_table *)vtab;
	scoped(strbuf_release) struct strbuf plan = STRBUF_INIT;
	double rows = 1e6;
	int n = 0;

	strbuf_addf(&plan, "%llx", info->colUsed);
	for (int i = 0; i < info->nConstraint && n < CONSTRAINTS_MAX; i++) {
		if (!is_useful(t, info, i))
			continue;
		strbuf_addf(&plan, " %d %d", info->aConstraint[i].iColumn, info->aConstraint[i].op);
		info->aConstraintUsage[i].argvIndex = ++n;
		rows /= info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ ? 100 : 3;
	}
	info->idxNum = kind_of(info);
	for (int i = 0; i < info->nOrderBy && info->idxNum != SCAN_ROWS; i++)
		strbuf_addf(&plan, " %d", info->aOrderBy[i].iColumn);
	info->orderByConsumed = info->idxNum != SCAN_ROWS;
	info->estimatedRows = (sqlite3_int64)rows + 1;
	info->estimatedCost = rows + 1;
	info->needToFreeIdxStr = 1;
	info->idxStr = plan.failed ? NULL : sqlite3_mprintf("%s", plan.s);
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

struct scan_plan scan_plan_read(const char *text, int n)
{
	struct scan_plan plan = { .n = (size_t)n };
	char *rest;

	plan.used = strtoull(text, &rest, 16);
	for (size_t i = 0; i < plan.n; i++) {
		plan.constraints[i].column = (int)strtol(rest, &rest, 10);
		plan.constraints[i].op = (unsigned char)strtol(rest, &rest, 10);
	}
	while (*rest && plan.n_order < ORDER_MAX)
		plan.order[plan.n_order++] = (int)strtol(rest, &rest, 10);
	/* a store needs them for its index */
	for (size_t i = 0; i < plan.n; i++)
		plan.used |= 1ull << min_t(int, plan.constraints[i].column, 63);
	return plan;
}

static bool is_plain_text(const char *s, int n)
{
	for (int i = 0; i < n; i++)
		if (s[i] < ' ' || s[i] > '~' || strchr("\"\\*?[]", s[i]))
			return false;
	return n > 0;
}

static void limit_time(struct scan_limits *l, unsigned char op, sqlite3_int64 v)
{
	if (op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_GE ||
	    op == SQLITE_INDEX_CONSTRAINT_GT)
		l->from = max_t(u64, l->from, v < 0 ? 0 : (u64)v);
	if (op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_LE ||
	    op == SQLITE_INDEX_CONSTRAINT_LT) {
		l->none |= v < 0;
		l->to = min_t(u64, l->to, (u64)v);
	}
}

static void limit_field(const struct event_table *t, struct scan_limits *l,
			const struct constraint *c, sqlite3_value *value)
{
	const char *name = t->field_names.v[c->column - COL_FIELDS];
	const char *and = l->filter.len ? " && " : "";
	const sqlite3_int64 v = sqlite3_value_int64(value);

	if (t->columns.v[c->column].affinity == HAS_INTEGER)
		strbuf_addf(&l->filter, "%s%s == %lld", and, name, v);
	else if (is_plain_text((const char *)sqlite3_value_text(value), sqlite3_value_bytes(value)))
		strbuf_addf(&l->filter, "%s%s == \"%s\"", and, name, sqlite3_value_text(value));
}

/* Only recorded events: a replay from the middle would make other events. */
struct scan_limits scan_limits_find(const struct event_table *t, const struct scan_plan *plan,
				    sqlite3_value **values)
{
	struct scan_limits l = { .to = UINT64_MAX, .filter = STRBUF_INIT, .host = STRBUF_INIT };

	for (size_t i = 0; i < plan->n; i++) {
		const struct constraint *c = &plan->constraints[i];
		const enum column_affinity affinity = t->columns.v[c->column].affinity;
		const sqlite3_int64 v = sqlite3_value_int64(values[i]);

		if (affinity >= HAS_NUMBER || !constraint_fits(affinity, values[i]))
			continue;
		if (c->column == COL_HOST && c->op == SQLITE_INDEX_CONSTRAINT_EQ) {
			strbuf_reset(&l.host);
			strbuf_addf(&l.host, "%s", sqlite3_value_text(values[i]));
		}
		if (!t->of->recorded)
			continue;
		if (c->column == COL_TS)
			limit_time(&l, c->op, v);
		else if (c->op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		else if (c->column == COL_CPU)
			l.none |= v < 0 || v > UINT32_MAX;
		else if (c->column == COL_PID)
			l.none |= v < INT32_MIN || v > INT32_MAX;
		if (c->column == COL_CPU && c->op == SQLITE_INDEX_CONSTRAINT_EQ) {
			l.has_cpu = true;
			l.cpu = (u32)v;
		} else if (c->column == COL_PID && t->of->event && !l.none) {
			strbuf_addf(&l.filter, "%scommon_pid == %lld", l.filter.len ? " && " : "",
				    v);
		} else if (c->column >= COL_FIELDS && c->op == SQLITE_INDEX_CONSTRAINT_EQ &&
			   ((size_t)c->column < t->first_name ||
			    (size_t)c->column >= t->first_code)) {
			limit_field(t, &l, c, values[i]);
		}
	}
	l.none |= l.from > l.to;
	return l;
}
