// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Enters: a table. Leaves: the same as columns and cells, in which nothing is left of how
 * the engine stores it: numbers have their sign, buckets are ranges, symbols have names.
 *
 * Numbers are what the kernel counted; where the kernel's text hides one (values that are
 * expressions, hitcount under nohitcount) it is there all the same.
 */
#include "print/names.h"
#include "print/print.h"
#include "print/result_stats.h"

/* A column and where its cells come from. */
struct source {
	const struct hist_field *field; /* of a key or value; of a saved one what was saved */
	u32 idx;                        /* of the sum, or of the variable that holds it */
	struct strbuf label;            /* of the current row */
	struct result_frame *frames;
	bool is_track; /* what onmax or onchange tracked */
};

struct table_result {
	struct result result;
	struct arena arena;
	const struct table *table;
	const struct machine *machine;
	struct result_column *columns;
	struct source *sources;
	struct result_cell *cells, *snapshot_keys;
	struct result_snapshot snapshot;
	struct names names; /* of the columns of a role */
	struct result_stats stats;
};

/* --- columns --- */

static const u32 with_label = HIST_FIELD_FL_SYM | HIST_FIELD_FL_SYM_OFFSET |
			      HIST_FIELD_FL_EXECNAME | HIST_FIELD_FL_SYSCALL;
static const u32 rounded = HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET;

/* kernel: hist_trigger_print_key() asks in this order. */
static enum result_type key_type(const struct hist_field *f)
{
	if (f->flags & (with_label | HIST_FIELD_FL_HEX))
		return RESULT_NUMBER;
	if (f->flags & HIST_FIELD_FL_STACKTRACE)
		return RESULT_STACK;
	if (f->flags & rounded)
		return RESULT_RANGE;
	return f->flags & HIST_FIELD_FL_STRING ? RESULT_TEXT : RESULT_NUMBER;
}

static const char *key_name(const struct hist_field *f, const struct machine *machine,
			    struct arena *arena)
{
	if (f->flags & HIST_FIELD_FL_STACKTRACE && !f->field)
		return machine->quirks->common_stacktrace ? "common_stacktrace" : "stacktrace";
	if (f->flags & HIST_FIELD_FL_CONST)
		return arena_printf(arena, "%llu", (unsigned long long)f->constant);
	return f->label;
}

/* A variable that another trigger set has the unit that it has there. */
const char *result_unit(const struct hist_field *f, const struct machine *machine)
{
	const struct hist_data *hd = f->hist_data;

	if (f->flags & (HIST_FIELD_FL_VAR_REF | HIST_FIELD_FL_ALIAS))
		hd = f->var.hist_data;
	if (!(f->flags & (HIST_FIELD_FL_TIMESTAMP | HIST_FIELD_FL_TIMESTAMP_USECS)) || !hd ||
	    machine_clock_counts(machine->clock))
		return NULL;
	return hd->ts_in_usecs ? "us" : "ns";
}

struct result_column result_key_column(const struct hist_field *f, const struct machine *machine,
				       struct arena *arena)
{
	return (struct result_column){
		.name = key_name(f, machine, arena),
		.role = RESULT_KEY,
		.type = key_type(f),
		.is_signed = f->flags & rounded && f->operands[0] ? f->operands[0]->is_signed
								  : f->is_signed,
		.has_label = f->flags & with_label,
		.modifier = hist_field_modifier(f),
		.unit = result_unit(f, machine),
	};
}

static int add_column(struct table_result *r, struct result_column column, struct source source)
{
	size_t i = r->result.n_columns;

	if (!column.name)
		return HIST_NOMEM;
	if (i && r->columns[i - 1].role != column.role)
		r->names.given.n = 0;
	column.name = names_add(&r->names, column.name);
	if (!column.name)
		return HIST_NOMEM;
	if (column.type == RESULT_STACK) {
		source.frames =
			arena_alloc(&r->arena, HIST_STACKTRACE_DEPTH * sizeof(*source.frames));
		if (!source.frames)
			return HIST_NOMEM;
	}
	source.label = (struct strbuf)STRBUF_INIT;
	r->columns[i] = column;
	r->sources[i] = source;
	r->result.n_columns++;
	return 0;
}

static int add_key(struct table_result *r, const struct hist_field *f)
{
	return add_column(r, result_key_column(f, r->machine, &r->arena),
			  (struct source){ .field = f });
}

static int add_value(struct table_result *r, u32 i)
{
	const struct hist_field *f = r->table->hist->fields[i];
	struct result_column column = { .name = i == HITCOUNT_IDX ? "hitcount" : f->label,
					.role = RESULT_VALUE,
					.is_signed = f->is_signed,
					.hidden = i == HITCOUNT_IDX ? r->table->hist->no_hitcount
								    : f->flags & HIST_FIELD_FL_EXPR,
					.modifier = hist_field_modifier(f),
					.unit = result_unit(f, r->machine) };

	if (f->flags & HIST_FIELD_FL_CONST)
		column.name = key_name(f, r->machine, &r->arena);
	return add_column(r, column, (struct source){ .field = f, .idx = i });
}

static enum result_type saved_type(const struct hist_field *val)
{
	if (val->flags & HIST_FIELD_FL_STRING)
		return RESULT_TEXT;
	return val->flags & HIST_FIELD_FL_STACKTRACE ? RESULT_STACK : RESULT_NUMBER;
}

static bool tracks(const struct action_data *data)
{
	return data->action != ACTION_SNAPSHOT && data->handler != HANDLER_ONMATCH;
}

/* What onmax and onchange track, then what save() keeps. */
static int add_saved(struct table_result *r)
{
	const struct hist_data *hd = r->table->hist;
	int err = 0;

	for (u32 i = 0; i < hd->n_actions && !err; i++) {
		const struct action_data *data = hd->actions[i];
		struct result_column column = { .name = data->handler == HANDLER_ONMAX ? "max"
										       : "changed",
						.role = RESULT_SAVED,
						.tracked = true };

		if (!tracks(data))
			continue;
		column.is_signed = data->var_ref->is_signed;
		column.unit = result_unit(data->var_ref, r->machine);
		err = add_column(r, column,
				 (struct source){ .field = data->var_ref,
						  .idx = data->track_var->var.idx,
						  .is_track = true });
	}
	for (u32 i = 0; i < hd->n_save_vars && !err; i++) {
		const struct field_var *fv = hd->save_vars[i];
		struct result_column column = { .name = fv->var->var.name,
						.role = RESULT_SAVED,
						.type = saved_type(fv->val),
						.is_signed = fv->val->is_signed,
						.modifier = hist_field_modifier(fv->val),
						.unit = result_unit(fv->val, r->machine) };

		err = add_column(r, column,
				 (struct source){ .field = fv->val, .idx = fv->var->var.idx });
	}
	return err;
}

static int add_columns(struct table_result *r)
{
	const struct hist_data *hd = r->table->hist;
	size_t max = hd->n_fields + hd->n_actions + hd->n_save_vars;
	int err = 0;
	u32 i;

	r->result.columns = r->columns = arena_alloc(&r->arena, max * sizeof(*r->columns));
	r->sources = arena_alloc(&r->arena, max * sizeof(*r->sources));
	r->cells = arena_alloc(&r->arena, max * sizeof(*r->cells));
	if (!r->columns || !r->sources || !r->cells)
		return HIST_NOMEM;
	for_each_hist_key_field(i, hd) err = err ? err : add_key(r, hd->fields[i]);
	r->result.n_keys = r->result.n_columns;
	for (i = 0; i < hd->n_vals - hd->n_vars && !err; i++)
		err = add_value(r, i);
	r->result.n_values = r->result.n_columns - r->result.n_keys;
	return err ? err : add_saved(r);
}

static int add_sort(struct table_result *r)
{
	const struct hist_data *hd = r->table->hist;
	struct result_sort *sort = arena_alloc(&r->arena, hd->n_sort_keys * sizeof(*sort));

	if (!sort)
		return HIST_NOMEM;
	for (size_t i = 0; i < hd->n_sort_keys; i++) {
		u32 idx = hd->sort_keys[i].field_idx;

		/* fields count values first, columns keys */
		sort[i].column = idx < r->result.n_values ? r->result.n_keys + idx
							  : idx - r->result.n_values;
		sort[i].descending = hd->sort_keys[i].descending;
	}
	r->result.sort = sort;
	r->result.n_sort = hd->n_sort_keys;
	return 0;
}

/* --- cells --- */

static u64 load_long(const struct machine *m, const u8 *p)
{
	return m->long_size == 8 ? load_u64(p, m->big_endian) : load_u32(p, m->big_endian);
}

static void add_frame(struct table_result *r, struct source *source, struct result_cell *cell,
		      u64 addr)
{
	size_t at = source->label.len;

	event_print_symbol(r->machine->db, addr, true, &source->label);
	source->frames[cell->n_frames++] =
		(struct result_frame){ .addr = addr, .symbol = { NULL, source->label.len - at } };
}

/* The texts of the symbols lie one behind the other; they no longer move. */
static void place_frames(struct source *source, struct result_cell *cell)
{
	const char *at = source->label.s;

	for (size_t i = 0; i < cell->n_frames; i++) {
		source->frames[i].symbol.s = at;
		at += source->frames[i].symbol.n;
	}
	cell->frames = source->frames;
}

/* Entries of the recording's size; a zero ends them. */
static void set_stack(struct table_result *r, struct source *source, struct result_cell *cell,
		      const u8 *key)
{
	for (u32 i = 0; i < HIST_STACKTRACE_DEPTH; i++) {
		u64 addr = load_long(r->machine, key + (size_t)i * r->machine->long_size);

		if (!addr)
			break;
		add_frame(r, source, cell, addr);
	}
	place_frames(source, cell);
}

static void set_label(struct table_result *r, struct source *source, struct result_cell *cell,
		      const char *comm)
{
	const struct hist_field *f = source->field;
	const char *name;

	if (f->flags & HIST_FIELD_FL_EXECNAME) {
		strbuf_addstr(&source->label, comm);
	} else if (f->flags & HIST_FIELD_FL_SYSCALL) {
		name = event_syscall_name(r->machine->db, r->machine->arch, cell->num);
		strbuf_addstr(&source->label, name ? name : "unknown_syscall");
	} else {
		event_print_symbol(r->machine->db, cell->num, !(f->flags & HIST_FIELD_FL_SYM),
				   &source->label);
	}
	cell->label = (struct span){ source->label.s, source->label.len };
}

/*
 * kernel: bucket N of log2 holds what is over 2^(N-1) up to 2^N, the first also 0. Numbers
 * below zero are large ones to it: they are in the last bucket.
 */
static struct sketch_range log2_range(u64 bits, bool is_signed)
{
	struct sketch_range range = { bits ? (1ull << (bits - 1)) + 1 : 0, 1 };

	if (bits)
		range.max = bits >= 64 ? UINT64_MAX : 1ull << bits;
	if (is_signed && bits == 63)
		range.max = INT64_MAX;
	return range;
}

static struct sketch_range bucket_range(u64 first, u64 width, bool is_signed)
{
	struct sketch_range range = { first, 0 };

	if (__builtin_add_overflow(first, width - 1, &range.max))
		range.max = UINT64_MAX;
	if (is_signed && !(first >> 63) && range.max >> 63)
		range.max = INT64_MAX;
	return range;
}

struct sketch_range result_key_range(const struct hist_field *f, const struct machine *machine,
				     const u8 *key)
{
	u64 v = load_u64(key, machine->big_endian);
	bool is_signed = f->flags & rounded && f->operands[0]->is_signed;

	if (key_type(f) != RESULT_RANGE)
		return (struct sketch_range){ v, v };
	return f->flags & HIST_FIELD_FL_LOG2 ? log2_range(v, is_signed)
					     : bucket_range(v, f->buckets, is_signed);
}

static void set_key(struct table_result *r, size_t i, struct result_cell *cell, const u8 *key,
		    const char *comm)
{
	const struct result_column *column = &r->columns[i];
	struct source *source = &r->sources[i];
	const struct hist_field *f = source->field;
	struct sketch_range range;

	key += f->offset;
	*cell = (struct result_cell){ .absent = false };
	strbuf_reset(&source->label);
	switch (column->type) {
	case RESULT_TEXT:
		cell->text =
			(struct span){ (const char *)key, strnlen((const char *)key, f->size) };
		return;
	case RESULT_STACK:
		set_stack(r, source, cell, key);
		return;
	default:
		range = result_key_range(f, r->machine, key);
		cell->num = range.min;
		cell->max = range.max;
	}
	if (column->has_label)
		set_label(r, source, cell, comm);
}

/* A saved stack: how many, then the entries. */
static void set_saved_stack(struct table_result *r, struct source *source, struct result_cell *cell,
			    u64 v)
{
	const u64 *stack = (const u64 *)(uintptr_t)v;

	for (u64 i = 0; i < stack[0] && i < HIST_STACKTRACE_DEPTH; i++)
		add_frame(r, source, cell, stack[1 + i]);
	place_frames(source, cell);
}

static void set_saved(struct table_result *r, size_t i, struct result_cell *cell,
		      struct tracing_map_elt *elt)
{
	const struct tracing_map *map = r->table->hist->map;
	struct source *source = &r->sources[i];
	u64 v = tracing_map_read_var(map, elt, source->idx);

	if (r->columns[i].type == RESULT_NUMBER && source->field &&
	    hist_field_is_address(source->field))
		v = 0;
	*cell = (struct result_cell){ .num = v, .max = v };
	strbuf_reset(&source->label);
	/* kernel: what is tracked starts as 0 */
	cell->absent = !source->is_track && !tracing_map_var_set(map, elt, source->idx);
	if (cell->absent)
		return;
	if (r->columns[i].type == RESULT_TEXT)
		cell->text = span_of((const char *)(uintptr_t)v);
	else if (r->columns[i].type == RESULT_STACK)
		set_saved_stack(r, source, cell, v);
}

static int row(const struct result *result, size_t i, struct result_row *out)
{
	struct table_result *r = result->arg;
	const struct hist_data *hd = r->table->hist;
	struct tracing_map_elt *elt = r->table->rows[i];
	const u64 *sums = tracing_map_sums(elt);
	bool failed = false;

	table_prefetch(r->table, i);
	for (size_t c = 0; c < result->n_columns; c++) {
		struct result_cell *cell = &r->cells[c];

		switch (r->columns[c].role) {
		case RESULT_KEY:
			set_key(r, c, cell, tracing_map_key(hd->map, elt), elt_comm(hd, elt));
			break;
		case RESULT_VALUE:
			*cell = (struct result_cell){ .num = sums[r->sources[c].idx] };
			break;
		default:
			set_saved(r, c, cell, elt);
		}
		failed |= r->sources[c].label.failed;
	}
	*out = (struct result_row){ .cells = r->cells,
				    .sketches = result_stats_row(&r->stats, hd, elt) };
	if (hd->n_save_vars && tracing_map_var_set(hd->map, elt, hd->save_vars[0]->var->var.idx)) {
		out->saved = true;
		out->saved_at = *elt_saved_at(hd, elt);
	}
	return failed ? HIST_NOMEM : 0;
}

/* --- the whole --- */

static int add_snapshot(struct table_result *r)
{
	const struct snapshot *s = r->table->trigger->file->tr->snapshot;
	const struct action_data *data = s ? s->action : NULL;

	if (!s || !s->updated || s->hist != r->table->hist)
		return 0;
	r->snapshot_keys = arena_alloc(&r->arena, r->result.n_keys * sizeof(*r->snapshot_keys));
	if (!r->snapshot_keys)
		return HIST_NOMEM;
	for (size_t i = 0; i < r->result.n_keys; i++)
		set_key(r, i, &r->snapshot_keys[i], s->key, s->comm);
	r->snapshot = (struct result_snapshot){
		.handler = data->handler == HANDLER_ONMAX ? "onmax" : "onchange",
		.variable = arena_strndup(&r->arena, data->text.var.s, data->text.var.n),
		.value = s->track_val,
		.keys = r->snapshot_keys,
	};
	r->result.snapshot = &r->snapshot;
	return r->snapshot.variable ? 0 : HIST_NOMEM;
}

static int add_stats(struct table_result *r)
{
	int err;

	if (!r->machine->stats)
		return 0;
	err = result_stats_init(&r->stats, r->table, &r->arena);
	r->result.stats = r->stats.v;
	r->result.n_stats = r->stats.n;
	r->result.n_row_stats = r->stats.n_row;
	return err;
}

static int describe(struct table_result *r)
{
	const struct trigger *t = r->table->trigger;
	struct strbuf line = STRBUF_INIT;
	const char *state;

	print_trigger_line(&line, t, r->machine->quirks);
	state = strrchr(line.s, '[');
	if (state)
		strbuf_cut(&line, (size_t)(state - line.s) - 1);
	r->result.trigger = line.failed ? NULL : arena_strdup(&r->arena, line.s);
	strbuf_release(&line);
	r->result.event = arena_printf(&r->arena, "%s:%s", t->file->system, t->file->name);
	r->result.instance = t->file->tr->name[0] ? t->file->tr->name : NULL;
	r->result.paused = t->paused;
	r->result.n_rows = r->table->n_rows;
	r->result.hits = r->table->hits;
	r->result.drops = r->table->drops;
	r->result.row = row;
	r->result.arg = r;
	return r->result.trigger && r->result.event ? 0 : HIST_NOMEM;
}

int result_new(const struct table *table, const struct result_info *info, struct result **out)
{
	struct table_result *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return HIST_NOMEM;
	r->result.info = info;
	r->table = table;
	r->machine = &table->trigger->file->tr->tracing->machine;
	r->names.arena = &r->arena;
	err = describe(r);
	if (!err)
		err = add_columns(r);
	if (!err)
		err = add_sort(r);
	if (!err)
		err = add_snapshot(r);
	if (!err)
		err = add_stats(r);
	if (err) {
		result_free(&r->result);
		return err;
	}
	*out = &r->result;
	return 0;
}

void result_free(struct result *result)
{
	struct table_result *r;

	if (!result)
		return;
	r = container_of(result, struct table_result, result);
	for (size_t i = 0; i < result->n_columns; i++)
		strbuf_release(&r->sources[i].label);
	result_stats_release(&r->stats);
	names_release(&r->names);
	arena_release(&r->arena);
	free(r);
}
