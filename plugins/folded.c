// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Stacks for other tools: folded, and speedscope.
 *
 * folded: a line "FRAME;FRAME;FRAME NUMBER" for each row, for flame graph tools.
 *
 * The keys are the frames, in their order: first those that are not stacks, then the stacks,
 * with the outermost function first. The number is the value by which the histogram is sorted,
 * otherwise hitcount.
 *
 * speedscope: the same as json of https://www.speedscope.app/file-format-schema.json, a sampled
 * profile: the frames of each row are numbers of names, which follow at the end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hist-plugin.h"
#include "../src/diff/function_name.h"
#include "utf8-length.h"

struct writer {
	const struct hist_plugin_histogram *h;
	const struct hist_plugin_out *out;
	int err;
	int first; /* of the line */
	const struct function_names *names;
};

static void add(struct writer *w, const char *s, size_t n)
{
	if (!w->err)
		w->err = w->out->write(w->out, s, n);
}

/* Replace the separators of frames and lines within a frame. */
static void add_name(struct writer *w, const char *s, size_t n)
{
	if (!w->first)
		add(w, ";", 1);
	w->first = 0;
	for (size_t i = 0; i < n; i++) {
		char c = s[i];

		add(w, c == ';' ? ":" : c == '\n' || c == '\r' ? " " : &c, 1);
	}
}

static void add_number(struct writer *w, const struct hist_plugin_column *column,
		       const struct hist_plugin_cell *cell)
{
	char text[160];
	int n;

	if (column->type == HIST_PLUGIN_RANGE)
		n = snprintf(text, sizeof(text),
			     column->is_signed ? "%.99s:%" PRId64 "-%" PRId64
					       : "%.99s:%" PRIu64 "-%" PRIu64,
			     column->name, cell->num, cell->max);
	else
		n = snprintf(text, sizeof(text),
			     column->is_signed ? "%.99s:%" PRId64 : "%.99s:%" PRIu64, column->name,
			     cell->num);
	add_name(w, text, (size_t)n);
}

/*
 * A function of a program: without parameters and quotes, as stackcollapse-perf.pl of FlameGraph
 * writes it, but with all of its name, and with the parameters if another one differs in them.
 */
static void add_function(struct writer *w, const struct hist_plugin_text *name)
{
	const char *s = name->s;
	const char *stop = s + function_names_length(w->names, s, name->n);

	if (!w->first)
		add(w, ";", 1);
	w->first = 0;
	for (const char *at = s; at < stop; at++)
		if (*at != '"' && *at != '\'')
			add(w, *at == ';' ? ":" : *at == '\n' || *at == '\r' ? " " : at, 1);
}

/* "name+0x1/0x20 [module]" without the offset. */
static void add_symbol(struct writer *w, const struct hist_plugin_text *symbol)
{
	const char *plus = memmem(symbol->s, symbol->n, "+0x", 3);
	const char *blank = memchr(symbol->s, ' ', symbol->n);
	char text[512];
	int n;

	if (!plus) {
		add_name(w, symbol->s, symbol->n);
		return;
	}
	n = snprintf(text, sizeof(text), "%.*s%.*s", (int)(plus - symbol->s), symbol->s,
		     blank ? (int)(symbol->s + symbol->n - blank) : 0, blank ? blank : "");
	add_name(w, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static void add_key(struct writer *w, const struct hist_plugin_column *column,
		    const struct hist_plugin_cell *cell)
{
	if (cell->text.n || column->type == HIST_PLUGIN_TEXT)
		add_name(w, cell->text.s, cell->text.n);
	else
		add_number(w, column, cell);
}

static void add_stack(struct writer *w, const struct hist_plugin_cell *cell)
{
	for (size_t i = cell->n_frames; i; i--)
		if (cell->frames[i - 1].addr)
			add_symbol(w, &cell->frames[i - 1].symbol);
		else
			add_function(w, &cell->frames[i - 1].symbol);
	if (!cell->n_frames)
		add_name(w, "[no stack]", strlen("[no stack]"));
}

static size_t value_column(const struct hist_plugin_histogram *h)
{
	return h->columns[h->sort_column].role == HIST_PLUGIN_VALUE ? h->sort_column : h->n_keys;
}

static void add_row(struct writer *w, const struct hist_plugin_cell *cells, size_t value)
{
	const struct hist_plugin_histogram *h = w->h;
	char number[32];
	int n;

	w->first = 1;
	for (size_t i = 0; i < h->n_keys; i++)
		if (h->columns[i].type != HIST_PLUGIN_STACK)
			add_key(w, &h->columns[i], &cells[i]);
	for (size_t i = 0; i < h->n_keys; i++)
		if (h->columns[i].type == HIST_PLUGIN_STACK)
			add_stack(w, &cells[i]);
	n = snprintf(number, sizeof(number),
		     h->columns[value].is_signed ? " %" PRId64 "\n" : " %" PRIu64 "\n",
		     cells[value].num);
	add(w, number, (size_t)n);
}

/* The functions of programs in all stacks. Return: 0; -1: out of memory */
static int collect_names(const struct hist_plugin_histogram *h, struct function_names *names)
{
	for (size_t i = 0; i < h->n_rows; i++) {
		const struct hist_plugin_cell *cells = h->row(h, i);

		for (size_t k = 0; cells && k < h->n_keys; k++)
			for (size_t j = 0; j < cells[k].n_frames; j++) {
				const struct hist_plugin_text *s = &cells[k].frames[j].symbol;

				if (!cells[k].frames[j].addr &&
				    function_names_add(names, s->s, s->n))
					return -1;
			}
		if (!cells)
			return -1;
	}
	function_names_sort(names);
	return 0;
}

static int print(const struct hist_plugin_histogram *h, const struct hist_plugin_out *out)
{
	struct function_names names = { 0 };
	struct writer w = { .h = h, .out = out, .names = &names };
	size_t value = value_column(h);
	int failed = collect_names(h, &names);

	for (size_t i = 0; i < h->n_rows && !w.err && !failed; i++) {
		const struct hist_plugin_cell *cells = h->row(h, i);

		failed = !cells;
		if (cells)
			add_row(&w, cells, value);
	}
	function_names_release(&names);
	return failed ? out->fail(out, "no memory") : w.err;
}

/* --- speedscope --- */

struct names {
	char **v; /* each frame once */
	size_t n, size;
	size_t *slots; /* number + 1 of a name, by its hash; 0: free */
	size_t n_slots;
};

struct speedscope {
	struct writer w;
	char *line; /* of folded; its frames are cut at ';' */
	size_t len, size;
	struct names names;
};

/* Collects what folded writes. */
static int collect(const struct hist_plugin_out *out, const void *data, size_t len)
{
	struct speedscope *s = out->host;

	if (s->len + len + 1 > s->size) {
		size_t size = 2 * (s->len + len + 1);
		char *line = realloc(s->line, size);

		if (!line)
			return -1;
		s->line = line;
		s->size = size;
	}
	memcpy(s->line + s->len, data, len);
	s->len += len;
	s->line[s->len] = '\0';
	return 0;
}

static uint64_t hash_of(const char *name)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 1099511628211u;
	return hash;
}

/* At least half of the slots are free. */
static int grow_names(struct names *names)
{
	size_t n_slots = names->n_slots ? 2 * names->n_slots : 1024;
	size_t *slots = calloc(n_slots, sizeof(*slots));
	char **v = realloc(names->v, n_slots / 2 * sizeof(*v));

	if (v)
		names->v = v;
	if (!slots || !v) {
		free(slots);
		return -1;
	}
	for (size_t i = 0; i < names->n; i++) {
		size_t at = hash_of(v[i]) % n_slots;

		while (slots[at])
			at = (at + 1) % n_slots;
		slots[at] = i + 1;
	}
	free(names->slots);
	names->slots = slots;
	names->n_slots = n_slots;
	names->size = n_slots / 2;
	return 0;
}

/* The number of a name; SIZE_MAX: out of memory */
static size_t number_of(struct names *names, const char *name)
{
	size_t at;

	if (names->n == names->size && grow_names(names))
		return SIZE_MAX;
	at = hash_of(name) % names->n_slots;
	while (names->slots[at] && strcmp(names->v[names->slots[at] - 1], name) != 0)
		at = (at + 1) % names->n_slots;
	if (!names->slots[at]) {
		names->v[names->n] = strdup(name);
		if (!names->v[names->n])
			return SIZE_MAX;
		names->slots[at] = ++names->n;
	}
	return names->slots[at] - 1;
}

static void add_text(struct writer *w, const char *text)
{
	add(w, text, strlen(text));
}

/* Bytes that are not UTF-8 become \xNN. */
static void add_string(struct writer *w, const char *text)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
	char escaped[8];

	add(w, "\"", 1);
	while (at < end) {
		size_t n = utf8_length(at, (size_t)(end - at));

		if (n && *at >= ' ' && *at != '"' && *at != '\\') {
			add(w, (const char *)at, n);
		} else {
			snprintf(escaped, sizeof(escaped), n ? "\\u%04x" : "\\\\x%02x", *at);
			add_text(w, escaped);
		}
		at += n ? n : 1;
	}
	add(w, "\"", 1);
}

/* The frames of a row, the outermost first. Return: 0; -1: out of memory */
static int add_sample(struct speedscope *s, const struct hist_plugin_cell *cells, size_t value)
{
	struct hist_plugin_out lines = { .write = collect, .host = s };
	struct writer folded = { .h = s->w.h, .out = &lines, .names = s->w.names };
	char *name, *rest, *end;
	char number[32];

	s->len = 0;
	add_row(&folded, cells, value);
	end = s->line && !folded.err ? strrchr(s->line, ' ') : NULL;
	if (!end)
		return -1;
	*end = '\0';
	rest = s->line;
	add_text(&s->w, "[");
	while ((name = strsep(&rest, ";"))) {
		size_t i = number_of(&s->names, name);

		if (i == SIZE_MAX)
			return -1;
		snprintf(number, sizeof(number), "%s%zu", name == s->line ? "" : ",", i);
		add_text(&s->w, number);
	}
	add_text(&s->w, "]");
	return 0;
}

static int add_samples(struct speedscope *s, size_t value)
{
	const struct hist_plugin_histogram *h = s->w.h;
	const char *unit = h->columns[value].unit;
	char number[32];
	uint64_t sum = 0;

	add_text(&s->w, "\"samples\":[");
	for (size_t i = 0; i < h->n_rows && !s->w.err; i++) {
		const struct hist_plugin_cell *cells = h->row(h, i);

		if (i)
			add_text(&s->w, ",\n");
		if (!cells || add_sample(s, cells, value))
			return -1;
	}
	add_text(&s->w, "],\n\"weights\":[");
	for (size_t i = 0; i < h->n_rows && !s->w.err; i++) {
		const struct hist_plugin_cell *cells = h->row(h, i);

		if (!cells)
			return -1;
		sum += cells[value].num;
		snprintf(number, sizeof(number), "%s%" PRIu64, i ? "," : "", cells[value].num);
		add_text(&s->w, number);
	}
	snprintf(number, sizeof(number), "%" PRIu64, sum);
	add_text(&s->w, "],\n\"startValue\":0,\"endValue\":");
	add_text(&s->w, number);
	add_text(&s->w, unit && !strcmp(unit, "ns")   ? ",\"unit\":\"nanoseconds\""
			: unit && !strcmp(unit, "us") ? ",\"unit\":\"microseconds\""
						      : ",\"unit\":\"none\"");
	return 0;
}

static int print_speedscope(const struct hist_plugin_histogram *h,
			    const struct hist_plugin_out *out)
{
	struct function_names functions = { 0 };
	struct speedscope s = { .w = { .h = h, .out = out, .names = &functions } };
	const size_t value = value_column(h);
	int err = collect_names(h, &functions);

	add_text(&s.w, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		       "\"exporter\":\"hist\",\"name\":");
	add_string(&s.w, h->event);
	add_text(&s.w, ",\n\"profiles\":[{\"type\":\"sampled\",\"name\":");
	add_string(&s.w, h->columns[value].name);
	add_text(&s.w, ",\n");
	err = err ? err : add_samples(&s, value);
	add_text(&s.w, "}],\n\"shared\":{\"frames\":[");
	for (size_t i = 0; i < s.names.n; i++) {
		add_text(&s.w, i ? ",\n{\"name\":" : "{\"name\":");
		add_string(&s.w, s.names.v[i]);
		add_text(&s.w, "}");
		free(s.names.v[i]);
	}
	add_text(&s.w, "]}}\n");
	function_names_release(&functions);
	free(s.names.v);
	free(s.names.slots);
	free(s.line);
	return err ? out->fail(out, "no memory") : s.w.err;
}

static const struct hist_plugin_format formats[] = {
	{ .name = "folded",
	  .summary = "prints keys as stacks for flame graph tools",
	  .one_histogram = 1,
	  .print = print },
	{ .name = "speedscope",
	  .summary = "prints keys as stacks for https://www.speedscope.app",
	  .one_histogram = 1,
	  .print = print_speedscope },
};

const struct hist_plugin hist_plugin = {
	.abi = HIST_PLUGIN_ABI,
	.name = "folded",
	.formats = formats,
	.n_formats = sizeof(formats) / sizeof(formats[0]),
};
