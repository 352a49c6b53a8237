// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The triggers, filters and the tracer of an instance as texts.
 *
 * kernel: a trigger is printed as it could be written, but for what follows it in brackets, and an
 * event prints its latest trigger first.
 */
#include <glob.h>

#include "record/setup.h"
#include "record/tracedir.h"

/* With more triggers than this their order is not looked for. */
enum { MOST_ORDERED = 2000 };

struct setup_trigger {
	struct span path; /* "events/SYSTEM/EVENT" */
	struct span text; /* without what the kernel adds */
	bool paused, done;
};

struct setup {
	const char *instance;
	struct arena arena;
	ARRAY(struct setup_trigger) triggers; /* of histograms */
	struct strbuf notes;
	struct strbuf *limits;
};

/* "events/SYSTEM/EVENT" in the path of a file of that directory. */
static struct span event_of(const struct setup *s, const char *path)
{
	struct span sp = span_of(path + strlen(s->instance) + 1);

	sp.n = (size_t)(span_rchr(sp, '/') - sp.s);
	return sp;
}

static bool cut_end(struct span *text, const char *end)
{
	size_t n = strlen(end);

	if (text->n < n || memcmp(text->s + text->n - n, end, n) != 0)
		return false;
	text->n -= n;
	return true;
}

/* --- files of events --- */

static int add_triggers(struct setup *s, const char *path, struct span text)
{
	struct span event = event_of(s, path);
	size_t first = s->triggers.n;

	while (text.n) {
		struct span line = span_sep(&text, "\n");
		struct setup_trigger t = { .path = event, .text = line };

		if (!line.n || line.s[0] == '#')
			continue;
		t.paused = cut_end(&t.text, " [paused]");
		if (!t.paused)
			cut_end(&t.text, " [active]");
		if (!span_starts(line, "hist:"))
			strbuf_addf(&s->notes, "# %.*s: %.*s\n", (int)event.n, event.s, (int)line.n,
				    line.s);
		else if (array_push(&s->triggers, t))
			return HIST_NOMEM;
	}
	for (size_t i = first, last = s->triggers.n; i + 1 < last; i++) {
		struct setup_trigger t = s->triggers.v[i];

		s->triggers.v[i] = s->triggers.v[--last];
		s->triggers.v[last] = t;
	}
	return 0;
}

static int add_filter(struct setup *s, const char *path, struct span text)
{
	struct span event = event_of(s, path);
	const char *name = span_rchr(event, '/');

	text = span_trim(text);
	if (text.n && !span_eq(text, "none"))
		strbuf_addf(s->limits, "filter %.*s:%.*s %.*s\n", (int)(name - event.s) - 7,
			    event.s + 7, (int)(event.s + event.n - name) - 1, name + 1, (int)text.n,
			    text.s);
	return 0;
}

/* Call @add for the contents of each event's file of this name. */
static int for_events(struct setup *s, const char *name,
		      int (*add)(struct setup *s, const char *path, struct span text))
{
	const char *pattern = arena_printf(&s->arena, "%s/events/*/*/%s", s->instance, name);
	glob_t found = { .gl_pathc = 0 };
	int err = pattern ? 0 : HIST_NOMEM;

	if (!err)
		(void)glob(pattern, 0, NULL, &found);
	for (size_t i = 0; !err && i < found.gl_pathc; i++) {
		size_t n = 0;
		scoped(free_scoped) char *text = file_read(found.gl_pathv[i], &n);
		const char *path = arena_strdup(&s->arena, found.gl_pathv[i]);
		const char *copy = text ? arena_strndup(&s->arena, text, n) : NULL;

		if (text)
			err = path && copy ? add(s, path, (struct span){ copy, n }) : HIST_NOMEM;
	}
	globfree(&found);
	return err;
}

/* --- the order of triggers --- */

static bool has(struct span text, const char *fmt, struct span word)
{
	char needle[256];
	int n = snprintf(needle, sizeof(needle), fmt, (int)word.n, word.s);

	return n > 0 && (size_t)n < sizeof(needle) && span_find(text, span_of(needle));
}

/* Whether @t uses a variable or an event of @of. */
static bool depends(const struct setup_trigger *t, const struct setup_trigger *of)
{
	struct span rest = t->text, name = span_skip(of->path, strlen("events/")), system;
	char event[256];

	system = span_sep(&name, "/");
	snprintf(event, sizeof(event), "(%.*s.%.*s)", (int)system.n, system.s, (int)name.n, name.s);
	if (span_find(t->text, span_of(event)) && !span_same(t->path, of->path))
		return true;
	while (span_sep(&rest, "$").s && rest.s) {
		struct span word = { rest.s, 0 };

		while (word.n < rest.n && (is_alnum(word.s[word.n]) || word.s[word.n] == '_'))
			word.n++;
		/* its own comes first */
		if (!has(t->text, ":%.*s=", word) && !has(t->text, ",%.*s=", word) &&
		    (has(of->text, ":%.*s=", word) || has(of->text, ",%.*s=", word)))
			return true;
	}
	return false;
}

static bool is_ready(const struct setup *s, const struct setup_trigger *t)
{
	return array_find(&s->triggers, of, of != t && !of->done && depends(t, of)) == NULL;
}

/* The next one, or the first if each depends on another one. */
static struct setup_trigger *next_trigger(const struct setup *s)
{
	struct setup_trigger *first = NULL;

	array_each(struct setup_trigger, t, &s->triggers) {
		if (t->done)
			continue;
		if (s->triggers.n > MOST_ORDERED || is_ready(s, t))
			return t;
		first = first ? first : t;
	}
	return first;
}

/* --- the script --- */

static void add_write(struct strbuf *out, struct span text, const char *file, struct span dir)
{
	strbuf_addstr(out, "echo '");
	for (size_t i = 0; i < text.n; i++)
		if (text.s[i] == '\'')
			strbuf_addstr(out, "'\\''");
		else
			strbuf_addch(out, text.s[i]);
	strbuf_addf(out, "' >> %.*s%s\n", (int)dir.n, dir.s, file);
}

/*
 * kernel: a key to sort by is printed with its modifiers, but only its name and the direction are
 * accepted.
 */
static void add_sort(struct strbuf *out, struct span keys)
{
	const char *comma = "";

	strbuf_addstr(out, "sort=");
	while (keys.s) {
		struct span key = span_sep(&keys, ","), rest = key, name = span_sep(&rest, ".");
		const bool down = cut_end(&key, ".descending");

		strbuf_addf(out, "%s%.*s%s", comma, (int)name.n, name.s, down ? ".descending" : "");
		comma = ",";
	}
}

/* The text as it can be written: with what the kernel accepts, and paused if it is. */
static struct span accepted(struct setup *s, const struct setup_trigger *t)
{
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	const char *at = span_find(t->text, span_of(" if "));
	struct span parts = t->text, filter = { NULL, 0 };
	const char *text;

	if (at) {
		parts.n = (size_t)(at - t->text.s);
		filter = span_skip(t->text, parts.n);
	}
	while (parts.s) {
		struct span part = span_sep(&parts, ":");

		if (out.len)
			strbuf_addch(&out, ':');
		if (span_starts(part, "sort="))
			add_sort(&out, span_skip(part, strlen("sort=")));
		else
			strbuf_add(&out, part.s, part.n);
	}
	strbuf_addf(&out, "%s%.*s", t->paused ? ":pause" : "", (int)filter.n, filter.s);
	text = out.failed ? NULL : arena_strndup(&s->arena, out.s, out.len);
	return text ? span_of(text) : t->text;
}

/* The definitions of synthetic events that a trigger names. */
static void add_synthetic(const struct setup *s, const char *top, struct strbuf *out)
{
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	struct span rest = { NULL, 0 };
	scoped(free_scoped) char *text = NULL;

	strbuf_addf(&path, "%s/synthetic_events", top);
	text = file_read(path.s, &rest.n);
	rest.s = text;
	while (rest.n) {
		struct span line = span_sep(&rest, "\n"), words = line, name = span_word(&words);

		for (size_t i = 0; name.n && i < s->triggers.n; i++)
			if (span_find(s->triggers.v[i].text, name) ||
			    span_find(s->triggers.v[i].path, name)) {
				add_write(out, line, "synthetic_events", span_of(""));
				break;
			}
	}
}

/* A line of the file, unless it is @nothing. */
static void note_file(struct setup *s, const char *file, const char *nothing, const char *fmt,
		      struct strbuf *out)
{
	const char *path = arena_printf(&s->arena, "%s/%s", s->instance, file);
	scoped(free_scoped) char *text = path ? file_read(path, NULL) : NULL;
	struct span line = span_trim(span_of(text ? text : ""));

	for (size_t i = 0; i < line.n; i++)
		if (line.s[i] == '\n')
			text[line.s - text + (ptrdiff_t)i] = ' ';
	if (line.n && !span_eq(line, nothing))
		strbuf_addf(out, fmt, (int)line.n, line.s);
}

int setup_read(const char *top, const char *instance, struct strbuf *script, struct strbuf *limits)
{
	struct setup s = {
		.instance = instance, .arena = ARENA_INIT, .notes = STRBUF_INIT, .limits = limits
	};
	int err = for_events(&s, "trigger", add_triggers);
	struct setup_trigger *t;

	err = err ?: for_events(&s, "filter", add_filter);
	note_file(&s, "set_event_pid", "no pid", "pids %.*s\n", limits);
	note_file(&s, "current_tracer", "nop", "# tracer: %.*s\n", &s.notes);
	if (!err) {
		add_synthetic(&s, top, script);
		while ((t = next_trigger(&s))) {
			add_write(script, accepted(&s, t), "/trigger", t->path);
			t->done = true;
		}
		/* comments alone would be a script that does nothing */
		if (script->len)
			strbuf_add(script, s.notes.s, s.notes.len);
		if (script->failed || limits->failed || s.notes.failed)
			err = HIST_NOMEM;
	}
	array_release(&s.triggers);
	strbuf_release(&s.notes);
	arena_release(&s.arena);
	return err;
}
