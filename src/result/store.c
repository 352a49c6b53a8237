// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Rows in memory. Equal strings that occur close together, such as names of system calls and comms,
 * are stored once.
 *
 * Invariant: all rows have all columns, and samples for each statistic of rows. An absent string,
 * stack or label is a word of 0.
 */
#include "result/store.h"

struct stored_stack {
	size_t n;
	const struct result_frame *frames[];
};

/* --- texts and stacks --- */

static u64 word_of(const void *p)
{
	return (uintptr_t)p;
}

static const struct stored_text *text_at(u64 word)
{
	return (const struct stored_text *)(uintptr_t)word;
}

u64 stored_text(struct stored_result *s, struct span text)
{
	const struct stored_text **recent = &s->texts[hash_bytes(0, text.s, text.n) % STORED_TEXTS];
	struct stored_text *t;

	if (*recent && span_same((struct span){ (*recent)->s, (*recent)->n }, text))
		return word_of(*recent);
	t = arena_alloc(&s->arena, sizeof(*t) + text.n);
	if (!t)
		return 0;
	t->n = text.n;
	if (text.n)
		memcpy(t->s, text.s, text.n);
	*recent = t;
	return word_of(t);
}

static const struct result_frame **recent_frame(const struct stored_result *s, u64 addr)
{
	return &s->frames[hash_number(addr) % STORED_FRAMES];
}

const struct result_frame *stored_known_frame(const struct stored_result *s, u64 addr)
{
	const struct result_frame *frame = *recent_frame(s, addr);

	return frame && frame->addr == addr ? frame : NULL;
}

/* A new frame, which @recent has then; NULL if out of memory. */
static const struct result_frame *keep_frame(struct stored_result *s,
					     const struct result_frame **recent, u64 addr,
					     struct span symbol)
{
	struct result_frame *frame = arena_alloc(&s->arena, sizeof(*frame));
	const char *copy = arena_strndup(&s->arena, symbol.s, symbol.n);

	if (!frame || !copy)
		return NULL;
	*frame = (struct result_frame){ .addr = addr, .symbol = { copy, symbol.n } };
	*recent = frame;
	return frame;
}

const struct result_frame *stored_frame(struct stored_result *s, u64 addr, struct span symbol)
{
	const struct result_frame *known = stored_known_frame(s, addr);

	if (known && span_same(known->symbol, symbol))
		return known;
	return keep_frame(s, recent_frame(s, addr), addr, symbol);
}

const struct result_frame *stored_named_frame(struct stored_result *s, struct span symbol)
{
	const u32 hash = hash_bytes(0, symbol.s, symbol.n);
	const struct result_frame *known = s->frames[hash % STORED_FRAMES];

	if (known && !known->addr && span_same(known->symbol, symbol))
		return known;
	return keep_frame(s, &s->frames[hash % STORED_FRAMES], 0, symbol);
}

u64 stored_stack(struct stored_result *s, const struct result_frame *const *frames, size_t n)
{
	struct stored_stack *stack =
		arena_alloc(&s->arena, sizeof(*stack) + n * sizeof(struct result_frame *));

	if (!stack)
		return 0;
	stack->n = n;
	for (size_t i = 0; i < n; i++)
		stack->frames[i] = frames[i];
	return word_of(stack);
}

static u64 copy_stack(struct stored_result *s, const struct result_cell *cell)
{
	u64 word = stored_stack(s, cell->frames, cell->n_frames);
	struct stored_stack *stack = (struct stored_stack *)(uintptr_t)word;

	for (size_t i = 0; i < cell->n_frames && stack; i++) {
		stack->frames[i] = stored_frame(s, cell->frames[i]->addr, cell->frames[i]->symbol);
		if (!stack->frames[i])
			return 0;
	}
	return word;
}

/* --- cells --- */

static u32 words_of(const struct result_column *c)
{
	if (c->type == RESULT_NUMBER)
		return c->has_label || c->role == RESULT_SAVED ? 2 : 1;
	return c->type == RESULT_RANGE ? 2 : 1;
}

static int store_cell(struct stored_result *s, size_t column, const struct result_cell *cell,
		      u64 *words)
{
	const struct result_column *c = &s->columns[column];
	u64 *rest = &words[words_of(c) - 1];

	words[0] = cell->num;
	if (c->type == RESULT_RANGE) {
		words[1] = cell->max;
		return 0;
	}
	if (rest == words && c->type == RESULT_NUMBER)
		return 0;
	*rest = 0;
	if (cell->absent)
		return 0;
	if (c->type == RESULT_STACK)
		*rest = copy_stack(s, cell);
	else if (c->type == RESULT_TEXT)
		*rest = stored_text(s, cell->text);
	else
		*rest = c->has_label ? stored_text(s, cell->label) : 1;
	return *rest ? 0 : HIST_NOMEM;
}

static struct span span_at(u64 word)
{
	return (struct span){ text_at(word)->s, text_at(word)->n };
}

static void load_cell(const struct result_column *c, const u64 *words, struct result_cell *cell)
{
	const struct stored_stack *stack;

	*cell = (struct result_cell){ .absent = false };
	switch (c->type) {
	case RESULT_RANGE:
		cell->num = words[0];
		cell->max = words[1];
		return;
	case RESULT_NUMBER:
		cell->num = cell->max = words[0];
		if (words_of(c) == 1)
			return;
		cell->absent = !words[1];
		if (c->has_label && words[1])
			cell->label = span_at(words[1]);
		return;
	case RESULT_TEXT:
		cell->absent = !words[0];
		if (words[0])
			cell->text = span_at(words[0]);
		return;
	case RESULT_STACK:
		stack = (const struct stored_stack *)(uintptr_t)words[0];
		cell->absent = !stack;
		if (stack) {
			cell->frames = stack->frames;
			cell->n_frames = stack->n;
		}
	}
}

void stored_load_cells(const struct stored_result *s, const u64 *row, size_t n,
		       struct result_cell *cells)
{
	for (size_t c = 0; c < n; c++)
		load_cell(&s->columns[c], row + s->at[c], &cells[c]);
}

int stored_set_cell(struct stored_result *s, size_t row, size_t column,
		    const struct result_cell *cell)
{
	return store_cell(s, column, cell, stored_words(s, stored_row(s, row), column));
}

void stored_get_cell(const struct stored_result *s, size_t row, size_t column,
		     struct result_cell *cell)
{
	load_cell(&s->columns[column], stored_words(s, stored_row(s, row), column), cell);
}

int stored_copy_cell(struct stored_result *s, size_t column, const struct result_cell *cell,
		     struct result_cell *copy)
{
	u64 words[2] = { 0, 0 };
	int err = store_cell(s, column, cell, words);

	if (!err)
		load_cell(&s->columns[column], words, copy);
	return err;
}

u64 *stored_samples(const struct stored_result *s, u64 *row)
{
	return row + s->samples_at;
}

/* --- exemplars --- */

static const struct exemplar_row *stored_exemplars(const struct stored_result *s, const u64 *row)
{
	return s->result.exemplars ? (const struct exemplar_row *)(uintptr_t)row[s->exemplars_at]
				   : NULL;
}

static void copy_exemplars(struct exemplar_row *to, const struct exemplar_row *from)
{
	to->n = from->n;
	memcpy(to->v, from->v, from->n * sizeof(*from->v));
}

int stored_copy_exemplars(struct stored_result *s, u64 *row, const struct exemplar_row *exemplars)
{
	struct exemplar_row *copy;

	if (!exemplars || !s->result.exemplars)
		return 0;
	copy = exemplar_row_in(&s->arena, exemplars->n);
	if (!copy)
		return HIST_NOMEM;
	copy_exemplars(copy, exemplars);
	/* they are in order now; those of several rows are ordered by their other members */
	for (u32 i = 0; i < copy->n; i++)
		copy->v[i].place = 0;
	row[s->exemplars_at] = word_of(copy);
	return 0;
}

/* A row of the arena has room for what it contains; it doubles when it is added to. */
int stored_merge_exemplars(struct stored_result *s, u64 *row, const struct exemplar_row *from)
{
	const struct exemplar_row *own = stored_exemplars(s, row);
	struct exemplar_row *sum;
	u32 n;

	if (!from || !own)
		return stored_copy_exemplars(s, row, from);
	n = min_t(u32, own->n + from->n, s->exemplars.max);
	if (n > own->max) {
		sum = exemplar_row_in(&s->arena,
				      min_t(u32, max_t(u32, n, own->max * 2), s->exemplars.max));
		if (!sum)
			return HIST_NOMEM;
		copy_exemplars(sum, own);
		row[s->exemplars_at] = word_of(sum);
	}
	exemplar_row_merge((struct exemplar_row *)(uintptr_t)row[s->exemplars_at], from,
			   s->exemplars.is_signed);
	return 0;
}

void stored_trim_exemplars(struct stored_result *s)
{
	for (size_t i = 0; i < s->result.n_rows && s->result.exemplars; i++) {
		struct exemplar_row *row =
			(struct exemplar_row *)(uintptr_t)stored_row(s, i)[s->exemplars_at];

		if (row)
			row->n = min_t(u32, row->n, s->exemplars.max);
	}
}

/* The largest exemplars of all rows. */
static int all_exemplars(struct stored_result *s)
{
	s->exemplars.all = s->all_exemplars = exemplar_row_new(s->exemplars.max);
	if (!s->all_exemplars)
		return HIST_NOMEM;
	for (size_t i = 0; i < s->result.n_rows; i++) {
		const struct exemplar_row *row = stored_exemplars(s, stored_row(s, i));

		if (row)
			exemplar_row_merge(s->all_exemplars, row, s->exemplars.is_signed);
	}
	return 0;
}

/* --- rows --- */

static void get_row_in(const struct result *result, size_t i, const struct row_space *space,
		       struct result_row *row)
{
	const struct stored_result *s = result->arg;
	u64 *words = stored_row(s, s->order ? s->order[i] : i);

	stored_load_cells(s, words, result->n_columns, space->cells);
	for (size_t k = 0; k < result->n_row_stats; k++)
		space->sketches[k] = samples_view(stored_samples(s, words)[k],
						  result->stats[k].is_signed, &space->samples[k]);
	*row = (struct result_row){ .cells = space->cells,
				    .sketches = space->sketches,
				    .exemplars = stored_exemplars(s, words) };
	if (result_has_saved(result)) {
		row->saved = stored_saved(s, words)[0];
		row->saved_at = stored_saved(s, words)[1];
	}
}

static void get_row(const struct result *result, size_t i, struct result_row *row)
{
	const struct stored_result *s = result->arg;

	get_row_in(result, i, &s->space, row);
}

u64 *stored_new_row(struct stored_result *s)
{
	size_t row_bytes = s->row_size * sizeof(*s->words), max = s->max_rows * 2 + 8;
	u64 *words;

	if (s->result.n_rows == s->max_rows) {
		words = realloc(s->words, max * row_bytes);
		if (!words)
			return NULL;
		s->words = words;
		s->max_rows = max;
	}
	words = stored_row(s, s->result.n_rows++);
	memset(words, 0, row_bytes);
	return words;
}

int stored_add_row(struct stored_result *s, const struct result_row *row)
{
	u64 *words = stored_new_row(s);
	int err = words ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < s->result.n_columns && !err; i++)
		err = store_cell(s, i, &row->cells[i], stored_words(s, words, i));
	if (!err && result_has_saved(&s->result)) {
		stored_saved(s, words)[0] = row->saved;
		stored_saved(s, words)[1] = row->saved_at;
	}
	for (size_t i = 0; i < s->result.n_row_stats && !err; i++)
		err = samples_add_sketch(&stored_samples(s, words)[i], row->sketches[i]);
	return err ?: stored_copy_exemplars(s, words, row->exemplars);
}

/* --- life cycle --- */

struct stored_result *stored_new(void)
{
	struct stored_result *s = calloc(1, sizeof(*s));

	if (s) {
		s->result.info = &s->info;
		s->result.row = get_row;
		s->result.row_in = get_row_in;
		s->result.arg = s;
	}
	return s;
}

struct stored_result *stored_like(const struct result *like)
{
	struct stored_result *s = stored_new();
	const struct result_info *info = like->info;
	struct result_sort *sort;
	struct arena *arena;

	if (!s)
		return NULL;
	arena = &s->arena;
	s->info = (struct result_info){
		.version = arena_strdup(arena, info->version),
		.kernel = arena_strdup(arena, info->kernel),
		.clock = arena_strdup(arena, info->clock),
		.clock_counts = info->clock_counts,
		.uname = arena_strdup(arena, info->uname),
		.files = texts_copy(arena, info->files, info->n_files),
		.n_files = info->n_files,
		.script = texts_copy(arena, info->script, info->n_script),
		.n_script = info->n_script,
		.question = arena_strdup(arena, info->question),
		.inexact = info->inexact,
	};
	sort = arena_alloc(arena, (like->n_sort + 1) * sizeof(*sort));
	for (size_t i = 0; i < like->n_sort && sort; i++)
		sort[i] = like->sort[i];
	s->columns = columns_copy(arena, like->columns, like->n_columns);
	s->stats = arena_alloc(&s->arena, (like->n_stats + 1) * sizeof(*s->stats));
	for (size_t i = 0; i < like->n_stats && s->stats; i++)
		s->stats[i] = (struct result_stat){
			.name = arena_strdup(&s->arena, like->stats[i].name),
			.unit = arena_strdup(&s->arena, like->stats[i].unit),
			.is_signed = like->stats[i].is_signed,
			.column = like->stats[i].column,
		};
	s->result.event = arena_strdup(arena, like->event);
	s->result.instance = arena_strdup(arena, like->instance);
	s->result.trigger = arena_strdup(arena, like->trigger);
	s->result.rules = like->rules;
	s->result.columns = s->columns;
	s->result.n_columns = like->n_columns;
	s->result.n_keys = like->n_keys;
	s->result.n_values = like->n_values;
	s->result.sort = sort;
	s->result.n_sort = like->n_sort;
	s->result.stats = s->stats;
	s->result.n_stats = like->n_stats;
	s->result.n_row_stats = like->n_row_stats;
	if (like->exemplars) {
		s->result.exemplars = &s->exemplars;
		exemplars_describe(arena, like->exemplars, &s->exemplars);
	}
	if (!arena->failed)
		return s;
	stored_free(s);
	return NULL;
}

/* The layout of a row. */
static int lay_out(struct stored_result *s)
{
	const struct result *r = &s->result;

	s->at = arena_alloc(&s->arena, r->n_columns * sizeof(*s->at));
	if (!s->at)
		return HIST_NOMEM;
	s->row_size = 0;
	for (size_t i = 0; i < r->n_columns; i++) {
		s->at[i] = s->row_size;
		s->row_size += words_of(&s->columns[i]);
	}
	s->saved_at = s->row_size;
	s->samples_at = s->saved_at + (result_has_saved(r) ? 2 : 0);
	s->exemplars_at = s->samples_at + (u32)r->n_row_stats;
	s->row_size = s->exemplars_at + (r->exemplars != NULL);
	return 0;
}

int stored_begin_rows(struct stored_result *s, size_t n_rows)
{
	const struct result *r = &s->result;
	int err = lay_out(s);

	if (err)
		return err;
	row_space_release(&s->space);
	if (row_space_init(&s->space, r))
		return HIST_NOMEM;
	s->all_sketches = arena_alloc(&s->arena, 2 * r->n_stats * sizeof(*s->all_sketches));
	s->texts = arena_alloc(&s->arena, STORED_TEXTS * sizeof(const struct stored_text *));
	s->frames = arena_alloc(&s->arena, STORED_FRAMES * sizeof(const struct result_frame *));
	s->words = malloc((n_rows + 1) * s->row_size * sizeof(*s->words));
	s->max_rows = n_rows + 1;
	return s->all_sketches && s->texts && s->frames && s->words ? 0 : HIST_NOMEM;
}

static int add_all(struct stored_result *s, size_t k, struct result_stat *stat, struct sketch *all)
{
	int err = 0;

	sketch_release(&all[0]);
	sketch_release(&all[1]);
	all[0].is_signed = all[1].is_signed = stat->is_signed;
	stat->all = all;
	if (k >= s->result.n_row_stats) {
		bool is_range;
		struct result_cell key, hits;

		stat->all_max = s->columns[stat->column].type == RESULT_RANGE ? all + 1 : NULL;
		/* every hit has the key of its row */
		is_range = s->columns[stat->column].type == RESULT_RANGE;
		for (size_t i = 0; i < s->result.n_rows && !err; i++) {
			stored_get_cell(s, i, stat->column, &key);
			stored_get_cell(s, i, s->result.n_keys, &hits);
			err = sketch_add(all, key.num, hits.num);
			if (!err && is_range)
				err = sketch_add(all + 1, key.max, hits.num);
		}
		return err;
	}
	for (size_t i = 0; i < s->result.n_rows && !err; i++) {
		u64 word = stored_samples(s, stored_row(s, i))[k];
		struct sketch one;

		err = sketch_merge(all, samples_view(word, stat->is_signed, &one));
	}
	return err;
}

int stored_end_rows(struct stored_result *s)
{
	int err = 0;

	for (size_t i = 0; i < s->result.n_stats && !err; i++)
		err = add_all(s, i, &s->stats[i], &s->all_sketches[2 * i]);
	return err || !s->result.exemplars ? err : all_exemplars(s);
}

void stored_free(struct stored_result *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->result.n_row_stats && i < s->result.n_rows; i++)
		for (size_t k = 0; k < s->result.n_row_stats; k++)
			samples_release(&stored_samples(s, stored_row(s, i))[k]);
	for (size_t i = 0; s->all_sketches && i < 2 * s->result.n_stats; i++)
		sketch_release(&s->all_sketches[i]);
	row_space_release(&s->space);
	free(s->all_exemplars);
	free(s->words);
	free(s->order);
	arena_release(&s->arena);
	free(s);
}
