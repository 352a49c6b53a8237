// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Answers about addresses. A place is an address at a moment of a process (or of the kernel): its
 * names are found when they are first asked for. Places are in shards, so that threads which ask
 * for known ones do not wait for each other; everything else is protected by one lock.
 */
#include <pthread.h>

#include "code/maps.h"
#include "objects/objects.h"

enum { SHARDS = 64, INLINED_MAX = 32, FRAMES_MAX = 2048 };

/* What is known of a place. */
enum { KNOW_NAMES = 1, KNOW_LINE = 2, KNOW_FRAMES = 4 };

struct code_facts {
	u32 space, end; /* see struct code_moment */
	enum code_where where;
	u64 addr;
	u32 known;
	u32 names[CODE_SRCLINE + 1]; /* numbers of texts, by enum code_what */
	const u32 *frames;           /* numbers of texts, innermost first */
	size_t n_frames;
};

struct shard {
	pthread_mutex_t lock;
	INDEXED(struct code_facts) facts;
};

struct stack {
	const char *const *texts;
	u32 n;
};

struct code {
	struct event_db *db;
	struct code_sources sources;
	struct thread_once ready;
	struct objects *objects;
	struct code_maps maps;
	bool no_inline, failed;
	struct shard shards[SHARDS];
	pthread_mutex_t lock; /* of the following */
	struct arena arena;
	struct texts texts;
	INDEXED(struct stack) stacks;
	u32 *ranks[2];     /* of texts, of stacks */
	size_t n_ranks[2]; /* their numbers then */
};

struct code *code_new(struct event_db *db, const struct code_sources *sources)
{
	struct code *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->db = db;
	c->sources = *sources;
	pthread_mutex_init(&c->lock, NULL);
	for (size_t i = 0; i < SHARDS; i++)
		pthread_mutex_init(&c->shards[i].lock, NULL);
	return c;
}

void code_free(struct code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < SHARDS; i++) {
		indexed_release(&c->shards[i].facts);
		pthread_mutex_destroy(&c->shards[i].lock);
	}
	pthread_mutex_destroy(&c->lock);
	objects_free(c->objects);
	code_maps_release(&c->maps);
	texts_release(&c->texts);
	indexed_release(&c->stacks);
	arena_release(&c->arena);
	free(c->ranks[0]);
	free(c->ranks[1]);
	free(c);
}

int code_configure(struct code *c, const struct code_settings *settings)
{
	const struct objects_settings files = { .symfs = settings->symfs,
						.id_cache = settings->id_cache,
						.debuginfod = settings->debuginfod };

	objects_free(c->objects);
	c->objects = objects_new(&files);
	c->no_inline = settings->no_inline;
	return c->objects ? 0 : HIST_NOMEM;
}

int code_know(struct code *c, const struct code_fact *fact)
{
	return code_maps_add(&c->maps, fact);
}

static void get_ready(void *arg)
{
	const struct code_settings none = { .symfs = NULL };
	struct code *c = arg;

	c->failed |= c->sources.facts(c->sources.arg, c) != 0;
	c->failed |= code_maps_sort(&c->maps) != 0;
	event_symbols_load(c->db);
	c->failed |= !c->objects && code_configure(c, &none) != 0;
}

bool code_failed(const struct code *c)
{
	return c->failed;
}

void code_report(struct code *c, struct diags *diags)
{
	if (c->objects)
		objects_report(c->objects, diags);
}

/* --- texts; the lock is held --- */

static u32 number_of(struct code *c, struct span text)
{
	u32 number = 0;

	c->failed |= texts_number(&c->texts, text, &number) != 0;
	return number;
}

static u32 number_of_str(struct code *c, const char *text)
{
	return number_of(c, span_of(text));
}

/* --- places --- */

/* A place in a file. */
struct spot {
	const struct code_named *named; /* not NULL: the recording has its names */
	struct object *object;          /* NULL: unknown */
	u64 offset;
	s32 pid; /* of the process that mapped it */
};

static struct spot spot_of(struct code *c, const struct code_moment *moment, u64 addr)
{
	const struct code_map *map = code_map_at(&c->maps, moment, addr);
	struct spot spot = { .offset = addr };
	struct object_key key;

	if (!map)
		return spot;
	key = (struct object_key){ .path = map->path,
				   .build_id = map->build_id,
				   .build_id_len = map->build_id_len,
				   .pid = (u32)map->when.pid };
	spot.object = objects_find(c->objects, &key);
	spot.pid = map->when.pid;
	/* the code of a JIT is found by its address, in perf-PID.map */
	if (spot.object && !object_is_jit(spot.object))
		spot.offset = addr - map->addr + map->offset;
	return spot;
}

/* As perf names it: [MODULE] of DIR/MODULE.ko.xz, the start of [kernel.kallsyms]_text, others. */
static void add_kernel_map(const struct code_map *map, struct strbuf *out)
{
	const struct span path = span_of(map->path);
	const char *end = map->path[0] == '[' ? span_chr(path, ']') : NULL;
	const char *base = strrchr(map->path, '/'), *ko = base ? strstr(base, ".ko") : NULL;

	if (!ko) {
		strbuf_add(out, path.s, end ? (size_t)(end + 1 - path.s) : path.n);
		return;
	}
	strbuf_addch(out, '[');
	while (++base < ko)
		strbuf_addch(out, *base == '-' ? '_' : *base);
	strbuf_addch(out, ']');
}

/*
 * The module of a symbol, otherwise what is mapped there. A recording without mappings, which perf
 * did not make, does not distinguish parts of the kernel without symbols.
 */
static void find_kernel_names(struct code *c, u64 addr, struct strbuf *dso, struct span *name)
{
	const struct code_moment last = code_moment_of(&c->maps, 0, UINT64_MAX);
	const struct code_map *map = code_map_at(&c->maps, &last, addr);
	struct event_symbol symbol = { .module = { NULL, 0 } };
	const bool known = event_symbol_at(c->db, addr, &symbol);

	if (known)
		*name = symbol.name;
	else if (map && !strpbrk(map->path, "/[")) /* one function */
		*name = span_of(map->path);
	if (known && symbol.module.n)
		strbuf_addf(dso, "[%.*s]", (int)symbol.module.n, symbol.module.s);
	else if (map)
		add_kernel_map(map, dso);
	else if (known || (!event_has_symbols(c->db) && !c->maps.maps.n))
		strbuf_addstr(dso, "[kernel.kallsyms]");
	else
		strbuf_addstr(dso, "[unknown]");
	c->failed |= dso->failed;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The function itself, after those that are inlined into it. */
static const char *last_of(const struct code_named *named)
{
	const char *name = named->names;

	for (u32 i = 1; i < named->n; i++)
		name += strlen(name) + 1;
	return name;
}

static void find_names(struct code *c, struct code_facts *p, const struct spot *spot)
{
	const struct object_symbol *symbol;
	const char *dso = "[unknown]";
	struct span name = span_of(dso);
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (spot->named) {
		dso = spot->named->file[0] ? base_of(spot->named->file) : dso;
		name = span_of(last_of(spot->named));
	} else if (p->where == CODE_KERNEL) {
		find_kernel_names(c, p->addr, &text, &name);
		dso = text.s;
	} else if (p->where == CODE_GUEST) {
		dso = "[guest]";
	} else if (spot->object) {
		/* perf names it so in tables, and by its file in stacks */
		if (object_is_jit(spot->object))
			strbuf_addf(&text, "[JIT] tid %d", spot->pid);
		dso = text.len ? text.s : object_name(spot->object);
		symbol = object_symbol(spot->object, spot->offset);
		if (symbol)
			name = span_of(symbol->name);
	}
	p->names[CODE_SYM] = number_of(c, name);
	p->names[CODE_DSO] = number_of_str(c, dso);
	p->known |= KNOW_NAMES;
}

static void find_line(struct code *c, struct code_facts *p, const struct spot *spot)
{
	struct object_line line = { .file = NULL };
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (spot->object && object_lines(spot->object, spot->offset, &line, 1) && line.file)
		strbuf_addf(&text, "%s:%u", base_of(line.file), line.line);
	c->failed |= text.failed;
	p->names[CODE_SRCLINE] = number_of_str(c, text.len ? text.s : "??:0");
	p->known |= KNOW_LINE;
}

/* The functions of a place whose names the recording has; more than fit are left out. */
static size_t named_lines(const struct code_named *named, bool no_inline,
			  struct object_line lines[static INLINED_MAX])
{
	const char *name = named->names;
	size_t n = no_inline ? 1 : min_t(size_t, named->n, INLINED_MAX);

	for (size_t i = 0; i < n; i++, name += strlen(name) + 1)
		lines[i] = (struct object_line){ .function = name };
	return n;
}

/* A function; or, as in flame graphs of perf script's output, the file in brackets. */
static void find_frames(struct code *c, struct code_facts *p, const struct spot *spot)
{
	const char *dso = spot->object ? object_name(spot->object)
				       : c->texts.v.v[p->names[CODE_DSO]];
	struct object_line lines[INLINED_MAX];
	struct strbuf text = STRBUF_INIT;
	u32 *frames;
	size_t n = 1, known = 0;

	if (spot->named)
		known = named_lines(spot->named, c->no_inline, lines);
	else if (spot->object && !c->no_inline)
		known = object_lines(spot->object, spot->offset, lines, INLINED_MAX);
	n = known ? known : 1;
	frames = arena_alloc(&c->arena, n * sizeof(*frames));
	c->failed |= !frames;
	for (size_t i = 0; i + 1 < n && frames; i++)
		frames[i] = number_of_str(c, lines[i].function ? lines[i].function : "[unknown]");
	if (frames)
		frames[n - 1] = p->names[CODE_SYM];
	if (frames && !strcmp(c->texts.v.v[p->names[CODE_SYM]], "[unknown]") &&
	    strcmp(dso, "[unknown]") != 0) {
		strbuf_addf(&text, "[%s]", dso);
		c->failed |= text.failed;
		frames[n - 1] = number_of_str(c, text.s ? text.s : "");
		strbuf_release(&text);
	}
	p->frames = frames;
	p->n_frames = frames ? n : 0;
	p->known |= KNOW_FRAMES;
}

static void find_facts(struct code *c, struct code_facts *p, const struct code_moment *moment,
		       u32 need)
{
	struct spot spot = { .named = code_maps_named(&c->maps, p->addr) };

	pthread_mutex_lock(&c->lock);
	if (p->where == CODE_USER && !spot.named)
		spot = spot_of(c, moment, p->addr);
	if (!(p->known & KNOW_NAMES))
		find_names(c, p, &spot);
	if (need & ~p->known & KNOW_LINE)
		find_line(c, p, &spot);
	if (need & ~p->known & KNOW_FRAMES && !c->failed)
		find_frames(c, p, &spot);
	pthread_mutex_unlock(&c->lock);
}

static struct code_facts *known_facts(struct shard *shard, const struct code_facts *key, u32 hash)
{
	return indexed_find(&shard->facts, hash, p,
			    p->addr == key->addr && p->space == key->space && p->end == key->end &&
				    p->where == key->where);
}

/* Context: hot path */
static struct code_facts facts_of(struct code *c, const struct code_moment *moment,
				  enum code_where where, u64 addr, u32 need)
{
	const bool user = where == CODE_USER;
	struct code_facts key = { .space = user ? moment->space : 0,
				  .end = user ? moment->end : 0,
				  .where = where,
				  .addr = addr };
	const u32 hash = hash_number(addr ^ (u64)key.space << 40 ^ (u64)key.end << 20);
	struct shard *shard = &c->shards[hash % SHARDS];
	struct code_facts *known, facts = key;

	pthread_mutex_lock(&shard->lock);
	known = known_facts(shard, &key, hash / SHARDS);
	if (known)
		facts = *known;
	pthread_mutex_unlock(&shard->lock);
	if (known && !(need & ~facts.known))
		return facts;
	find_facts(c, &facts, moment, need);
	pthread_mutex_lock(&shard->lock);
	known = known_facts(shard, &key, hash / SHARDS);
	if (known)
		*known = facts;
	else if (!indexed_add(&shard->facts, hash / SHARDS, facts))
		c->failed = true;
	pthread_mutex_unlock(&shard->lock);
	return facts;
}

/* --- stacks --- */

/* The frames of a stack so far. */
struct frames {
	u32 v[FRAMES_MAX];
	size_t n;
};

static void add_frames(struct code *c, struct frames *f, const struct code_moment *moment,
		       enum code_where where, u64 addr)
{
	const struct code_facts p = facts_of(c, moment, where, addr, KNOW_FRAMES);

	for (size_t i = 0; i < p.n_frames && f->n < FRAMES_MAX; i++)
		f->v[f->n++] = p.frames[i];
}

static bool is_stack(const struct code *c, const struct stack *s, const struct frames *f)
{
	bool same = s->n == f->n;

	for (size_t i = 0; i < f->n && same; i++)
		same = s->texts[i] == c->texts.v.v[f->v[i]];
	return same;
}

static u64 number_of_stack(struct code *c, const struct frames *f)
{
	const u32 hash = hash_bytes(0, f->v, f->n * sizeof(*f->v));
	const struct stack *stack;
	const char **texts;
	u64 number = 0;

	pthread_mutex_lock(&c->lock);
	stack = indexed_find(&c->stacks, hash, s, is_stack(c, s, f));
	if (!stack) {
		texts = arena_alloc(&c->arena, (f->n + 1) * sizeof(*texts));
		for (size_t i = 0; texts && i < f->n; i++)
			texts[i] = c->texts.v.v[f->v[i]];
		if (texts)
			stack = indexed_add(&c->stacks, hash, ((struct stack){ texts, (u32)f->n }));
	}
	if (stack)
		number = (u64)(stack - c->stacks.v);
	else
		c->failed = true;
	pthread_mutex_unlock(&c->lock);
	return number;
}

u64 code_answer(struct code *c, enum code_what what, const struct code_at *at)
{
	struct code_moment moment;
	struct frames f;

	thread_once(&c->ready, get_ready, c);
	moment = code_moment_of(&c->maps, at->pid, at->ts);
	if (what <= CODE_SRCLINE)
		return facts_of(c, &moment, at->where, at->addr,
				what == CODE_SRCLINE ? KNOW_LINE : KNOW_NAMES)
			.names[what];
	f.n = 0;
	for (size_t i = 0; i < at->n_kernel; i++)
		add_frames(c, &f, &moment, CODE_KERNEL, at->kernel[i]);
	for (size_t i = 0; i < at->n_user; i++)
		add_frames(c, &f, &moment, CODE_USER, at->user[i]);
	return number_of_stack(c, &f);
}

const char *const *code_texts(struct code *c, enum code_what what, u64 answer,
			      const char *room[static 1], size_t *n)
{
	const char *const *texts = room;

	pthread_mutex_lock(&c->lock);
	*n = 0;
	if (what > CODE_SRCLINE && answer < c->stacks.n) {
		*n = c->stacks.v[answer].n;
		texts = c->stacks.v[answer].texts;
	} else if (what <= CODE_SRCLINE && answer < c->texts.v.n) {
		*n = 1;
		room[0] = c->texts.v.v[answer];
	}
	pthread_mutex_unlock(&c->lock);
	return texts;
}

/* --- answers in results --- */

static int compare_stacks(const void *a, const void *b, void *code)
{
	const struct code *c = code;
	const struct stack *x = &c->stacks.v[*(const u32 *)a], *y = &c->stacks.v[*(const u32 *)b];

	for (u32 i = 0; i < x->n && i < y->n; i++) {
		int order = x->texts[i] == y->texts[i] ? 0 : strcmp(x->texts[i], y->texts[i]);

		if (order)
			return order;
	}
	return (x->n > y->n) - (x->n < y->n);
}

const u32 *code_ranks(struct code *c, enum code_what what)
{
	const bool stacks = what > CODE_SRCLINE;
	const size_t n = stacks ? c->stacks.n : c->texts.v.n;
	u32 **ranks = &c->ranks[stacks];

	/* several keys have the same ones */
	if (!*ranks || c->n_ranks[stacks] != n) {
		free(*ranks);
		*ranks = stacks ? rank_numbers((u32)n, compare_stacks, c)
				: text_ranks(c->texts.v.v, (u32)n);
		c->n_ranks[stacks] = n;
	}
	return *ranks;
}
