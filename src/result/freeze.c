// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Creates a result from a trigger and its map. The result does not expose how the map stores
 * values: numbers have their sign, buckets are ranges, symbols have names.
 *
 * Rows are copied in output order, so that the map may change, or be freed, afterwards. Only
 * sketches, which may be large, are shared until the map changes them.
 */
#include "result/freezer.h"

/* SMALL_PARTS: for tests, so that small histograms are copied by threads. */
#ifdef SMALL_PARTS
enum { BLOCK_ROWS = 1 };
#else
enum { BLOCK_ROWS = 1 << 13 };
#endif

enum { AHEAD = 16 };

/* --- ranges --- */

/*
 * kernel: bucket N of log2 contains the values above 2^(N-1) up to 2^N, the first one also 0.
 * Negative numbers are treated as large ones, in the last bucket.
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

/* The numbers of a key whose ranges no kernel has. */
static struct sketch_range own_range(u64 key, const struct key_ranges *r)
{
	struct sketch_range range = { key, r->bounded && key >= r->to ? UINT64_MAX : r->to - 1 };

	if (!r->size)
		return key ? log2_range(key - 1, true)
			   : (struct sketch_range){ (u64)INT64_MIN, UINT64_MAX };
	if (!r->bounded)
		range.max = UINT64_MAX;
	if (key < r->from)
		range.max = r->from - 1;
	else if (range.max - key >= r->size && !(r->bounded && key >= r->to))
		range.max = key + r->size - 1;
	return (struct sketch_range){ range.min ^ r->sign, range.max ^ r->sign };
}

/* --- stacks and labels --- */

static const struct result_frame *frame_of(struct freezer *f, u64 addr)
{
	const struct result_frame *known = stored_known_frame(f->s, addr);

	if (known)
		return known;
	strbuf_reset(&f->text);
	event_print_symbol(f->machine->db, addr, true, &f->text);
	return f->text.failed ? NULL
			      : stored_frame(f->s, addr, (struct span){ f->text.s, f->text.len });
}

/* Entries with the recording's word size; a zero terminates them. */
static int freeze_stack(struct freezer *f, const u8 *key, u64 *words)
{
	const struct result_frame *frames[HIST_STACKTRACE_DEPTH_MAX];
	size_t n = 0, max = rules_stack_depth(f->hd->rules);
	u64 addr;

	for (; n < max; n++) {
		addr = f->machine->long_size == 8
			       ? load_u64(key + n * f->machine->long_size, f->machine->big_endian)
			       : load_u32(key + n * f->machine->long_size, f->machine->big_endian);
		if (!addr)
			break;
		frames[n] = frame_of(f, addr);
		if (!frames[n])
			return HIST_NOMEM;
	}
	words[0] = stored_stack(f->s, frames, n);
	return words[0] ? 0 : HIST_NOMEM;
}

static int freeze_text(struct freezer *f, struct span text, u64 *word)
{
	*word = stored_text(f->s, text);
	return *word ? 0 : HIST_NOMEM;
}

static int freeze_label(struct freezer *f, const struct hist_field *field, const char *comm,
			u64 *words)
{
	const char *name;

	if (field->flags & HIST_FIELD_FL_EXECNAME)
		return freeze_text(f, span_of(comm), &words[1]);
	if (field->flags & HIST_FIELD_FL_SYSCALL) {
		name = event_syscall_name(f->machine->db, f->machine->arch, words[0]);
		if (name || !f->hd->rules->exact)
			return freeze_text(f, span_of(name ? name : "unknown_syscall"), &words[1]);
		/* different rows read different */
		strbuf_reset(&f->text);
		strbuf_addf(&f->text, "syscall %lld", words[0]);
		return f->text.failed ? HIST_NOMEM
				      : freeze_text(f, strbuf_span(&f->text), &words[1]);
	}
	strbuf_reset(&f->text);
	event_print_symbol(f->machine->db, words[0], !(field->flags & HIST_FIELD_FL_SYM), &f->text);
	return f->text.failed ? HIST_NOMEM
			      : freeze_text(f, (struct span){ f->text.s, f->text.len }, &words[1]);
}

/* The text of an answer about code, or its frames, which have names only. */
static int freeze_code(struct freezer *f, const struct hist_field *field, u64 answer, u64 *words)
{
	const struct result_frame **frames;
	const char *room[1];
	size_t n;
	const char *const *texts = code_texts(f->machine->code, field->code, answer, room, &n);

	if (field->code < CODE_USTACK)
		return freeze_text(f, span_of(n ? *texts : "[unknown]"), words);
	frames = calloc(n + 1, sizeof(*frames));
	for (size_t i = 0; i < n && frames; i++) {
		frames[i] = stored_named_frame(f->s, span_of(texts[i]));
		if (!frames[i]) {
			free(frames);
			return HIST_NOMEM;
		}
	}
	words[0] = frames ? stored_stack(f->s, frames, n) : 0;
	free(frames);
	return words[0] ? 0 : HIST_NOMEM;
}

/* --- rows --- */

static int freeze_key(struct freezer *f, size_t column, const u8 *key, const char *comm, u64 *words)
{
	const struct hist_field *field = f->sources[column].field;
	struct sketch_range range;
	char buf[WHO_TEXT_MAX];
	const char *text;
	bool is_signed;
	u64 v;

	key += field->offset;
	if (hist_field_is_code(field))
		return freeze_code(f, field, load_u64(key, f->machine->big_endian), words);
	if (hist_field_is_who_text(field)) {
		text = who_text(f->hd->tracing->count->texts, field->who,
				load_u64(key, f->machine->big_endian), buf);
		return freeze_text(f, span_of(text), words);
	}
	switch (f->s->columns[column].type) {
	case RESULT_TEXT:
		text = (const char *)key;
		return freeze_text(f, (struct span){ text, strnlen(text, field->size) }, words);
	case RESULT_STACK:
		return freeze_stack(f, key, words);
	case RESULT_RANGE:
		v = load_u64(key, f->machine->big_endian);
		is_signed = field->expr.operands[0]->is_signed;
		range = field->ranges ? own_range(v, field->ranges)
			: field->flags & HIST_FIELD_FL_LOG2
				? log2_range(v, is_signed)
				: bucket_range(v, field->buckets, is_signed);
		words[0] = range.min;
		words[1] = range.max;
		return 0;
	default:
		words[0] = load_u64(key, f->machine->big_endian);
	}
	return f->s->columns[column].has_label ? freeze_label(f, field, comm, words) : 0;
}

static int freeze_keys(struct freezer *f, const u8 *key, const char *comm, u64 *row)
{
	int err = 0;

	for (size_t i = 0; i < f->s->result.n_keys && !err; i++)
		err = freeze_key(f, i, key, comm, stored_words(f->s, row, i));
	return err;
}

static int freeze_saved(struct freezer *f, size_t column, struct tracing_map_elt *elt, u64 *words)
{
	const struct result_column *c = &f->s->columns[column];
	const struct cell_source *source = &f->sources[column];
	u64 v = tracing_map_read_var(f->map, elt, source->idx);
	const void *at = (const void *)(uintptr_t)v;

	/* kernel: tracked values start at 0 */
	if (!c->tracked && !tracing_map_var_set(f->map, elt, source->idx))
		return 0;
	if (c->type == RESULT_TEXT)
		return freeze_text(f, span_of(at), words);
	if (c->type == RESULT_STACK) {
		/* a saved stack: the number of entries, then the entries */
		const struct result_frame *frames[HIST_STACKTRACE_DEPTH_MAX];
		const u64 *entries = at;
		size_t n = 0, max = rules_stack_depth(f->hd->rules);

		for (; n < entries[0] && n < max; n++) {
			frames[n] = frame_of(f, entries[1 + n]);
			if (!frames[n])
				return HIST_NOMEM;
		}
		words[0] = stored_stack(f->s, frames, n);
		return words[0] ? 0 : HIST_NOMEM;
	}
	words[0] = hist_field_is_address(source->field) ? 0 : v;
	words[1] = 1;
	return 0;
}

/* @row: all zero */
static int freeze_row(struct freezer *f, struct tracing_map_elt *elt, u64 *row)
{
	const struct hist_data *hd = f->hd;
	const struct result *r = &f->s->result;
	const u64 *sums = tracing_map_sums(elt);
	size_t i = r->n_keys;
	int err = freeze_keys(f, tracing_map_key(f->map, elt), elt_comm(hd, elt), row);

	for (; i < r->n_keys + r->n_values && !err; i++)
		*stored_words(f->s, row, i) = sums[f->sources[i].idx];
	for (; i < r->n_columns && !err; i++)
		err = freeze_saved(f, i, elt, stored_words(f->s, row, i));
	if (err)
		return err;
	if (hd->n_save_vars && tracing_map_var_set(f->map, elt, hd->save_vars[0]->var->var.idx)) {
		stored_saved(f->s, row)[0] = true;
		stored_saved(f->s, row)[1] = *elt_saved_at(hd, elt);
	}
	if (r->exemplars)
		err = stored_copy_exemplars(f->s, row, *elt_exemplars(hd, elt));
	for (size_t k = 0; k < r->n_row_stats; k++)
		stored_samples(f->s, row)[k] = samples_share(elt_samples(hd, elt)[k]);
	return err;
}

/* --- rows by several threads --- */

/* The rows of a result, which threads take block by block. */
struct row_blocks {
	struct freezer *f;
	struct tracing_map_elt **elts; /* in output order */
	size_t n;
	size_t next; /* atomic */
};

static void *freeze_blocks(void *element)
{
	struct row_blocks *rows = element;
	size_t first;

	while ((first = __atomic_fetch_add(&rows->next, BLOCK_ROWS, __ATOMIC_RELAXED)) < rows->n) {
		const size_t end = min_t(size_t, first + BLOCK_ROWS, rows->n);

		for (size_t i = first; i < end; i++) {
			if (i + AHEAD < end)
				__builtin_prefetch(rows->elts[i + AHEAD]);
			freeze_row(rows->f, rows->elts[i], stored_row(rows->f->s, i));
		}
	}
	return NULL;
}

/* Whether rows are numbers and samples only: anything else is allocated, which can fail. */
static bool is_plain(const struct result *r)
{
	bool plain = !result_has_saved(r) && !r->exemplars;

	for (size_t i = 0; i < r->n_columns; i++)
		plain &= !r->columns[i].has_label && (r->columns[i].type == RESULT_NUMBER ||
						      r->columns[i].type == RESULT_RANGE);
	return plain;
}

static int freeze_all(struct freezer *f, struct tracing_map_elt **elts, size_t n)
{
	struct row_blocks rows = { .f = f, .elts = elts, .n = n };
	size_t threads = min_t(size_t, f->options->threads, n / BLOCK_ROWS);

	if (threads < 2 || !is_plain(&f->s->result)) {
		int err = 0;

		for (size_t i = 0; i < n && !err; i++) {
			u64 *row = stored_new_row(f->s);

			if (i + AHEAD < n)
				__builtin_prefetch(elts[i + AHEAD]);
			err = row ? freeze_row(f, elts[i], row) : HIST_NOMEM;
		}
		return err;
	}
	threads_run(&(struct thread_job){
		.work = freeze_blocks, .elements = &rows, .n = (unsigned int)threads });
	stored_set_rows(f->s, n);
	return 0;
}

static int freeze_rows(struct freezer *f)
{
	struct tracing_map_elt **elts;
	size_t n;
	int err = rows_in_order(hist_count_of(f->hd), &elts, &n);

	if (err)
		return err;
	err = stored_begin_rows(f->s, n);
	err = err ?: freeze_all(f, elts, n);
	free(elts);
	return err ? err : stored_end_rows(f->s);
}

/* --- all parts --- */

static int freeze_snapshot(struct freezer *f)
{
	const struct snapshot *s = f->trigger->file->tr->snapshot;
	struct stored_result *to = f->s;
	size_t n = to->result.n_keys;
	struct result_cell *keys;
	u64 *row;

	if (!s || !s->updated || s->hist != f->hd)
		return 0;
	keys = arena_alloc(&to->arena, n * sizeof(*keys));
	row = arena_alloc(&to->arena, to->row_size * sizeof(*row));
	if (!keys || !row || freeze_keys(f, s->key, s->comm, row))
		return HIST_NOMEM;
	stored_load_cells(to, row, n, keys);
	to->snapshot = (struct result_snapshot){
		.handler = s->action->handler == HANDLER_ONMAX ? "onmax" : "onchange",
		.variable = arena_strndup(&to->arena, s->action->text.var.s, s->action->text.var.n),
		.value = hist_field_is_address(s->action->var_ref) ? 0 : s->track_val,
		.keys = keys,
	};
	to->result.snapshot = &to->snapshot;
	return to->snapshot.variable ? 0 : HIST_NOMEM;
}

static int describe(struct freezer *f)
{
	const struct event_file *file = f->trigger->file;
	struct result *r = &f->s->result;
	const char *state;

	trigger_text(&f->text, f->trigger);
	state = strrchr(f->text.s, '[');
	if (state)
		strbuf_cut(&f->text, (size_t)(state - f->text.s) - 1);
	r->trigger = f->text.failed ? NULL : arena_strdup(&f->s->arena, f->text.s);
	r->event = arena_printf(&f->s->arena, "%s:%s", file->system, file->name);
	r->instance = file->tr->name[0] ? arena_strdup(&f->s->arena, file->tr->name) : NULL;
	r->rules = f->hd->rules->exact       ? RESULT_EXACT
		   : f->hd->rules->unlimited ? RESULT_UNLIMITED
					     : RESULT_OF_KERNEL;
	r->paused = f->trigger->paused;
	r->hits = f->map->hits;
	r->drops = f->map->drops;
	return r->trigger && r->event && (r->instance || !file->tr->name[0]) ? 0 : HIST_NOMEM;
}

/* --- hits that are missing because another histogram was full --- */

struct feeders {
	ARRAY(const struct hist_data *) list; /* the first one is the histogram itself */
};

static int add_feeder(struct feeders *f, const struct hist_data *hd)
{
	for (size_t i = 0; i < f->list.n; i++)
		if (f->list.v[i] == hd)
			return 0;
	return array_push(&f->list, hd);
}

/*
 * kernel: a hit without an entry neither sets a variable nor runs an action, so
 * event_hist_trigger() loses the rest, too. A histogram is fed by those whose variables it reads
 * and by those that generate its synthetic event, directly or through others.
 */
int trigger_feeding_drops(const struct trigger *trigger, u64 *drops)
{
	struct feeders all = { .list = ARRAY_INIT };
	int err = add_feeder(&all, trigger->hist);

	*drops = 0;
	for (size_t i = 0; i < all.list.n && !err; i++) {
		const struct hist_data *hd = all.list.v[i];
		const struct event_file *file = i ? hd->file : trigger->file;
		const struct action_data *a = file->synth ? file->synth->generators : NULL;

		for (u32 k = 0; k < hd->n_var_refs && !err; k++)
			err = add_feeder(&all, hd->var_refs[k]->var.hist_data);
		for (; a && !err; a = a->next)
			err = add_feeder(&all, a->owner);
		if (i)
			*drops += hist_map(hist_count_of(hd))->drops;
	}
	array_release(&all.list);
	return err;
}

/* --- the whole --- */

int result_freeze(const struct trigger *trigger, const struct result_info *info,
		  struct stored_result **out)
{
	struct freezer f = { .s = stored_new(),
			     .trigger = trigger,
			     .hd = trigger->hist,
			     .map = hist_map(hist_count_of(trigger->hist)),
			     .machine = &trigger->file->tr->tracing->machine,
			     .options = &trigger->file->tr->tracing->options,
			     .text = STRBUF_INIT };
	int err = f.s ? 0 : HIST_NOMEM;

	if (!err) {
		f.names.arena = &f.s->arena;
		f.s->result.info = info;
		f.s->result.threads = f.options->threads;
		err = describe(&f);
	}
	err = err ?: trigger_feeding_drops(trigger, &f.s->result.feeding_drops);
	err = err ?: freeze_columns(&f);
	err = err ?: freeze_rows(&f);
	err = err ?: freeze_snapshot(&f);
	if (!err && (tracing_failed(f.trigger->file->tr->tracing) ||
		     (f.hd->asks_code && code_failed(f.machine->code))))
		err = HIST_NOMEM; /* symbols, for example, are read when first needed */
	unique_names_release(&f.names);
	strbuf_release(&f.text);
	if (err)
		stored_free(f.s);
	else
		*out = f.s;
	return err;
}
