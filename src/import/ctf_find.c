// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the CTF traces in a directory and below it, and whether they are of one session. */
#include "import/ctf.h"

/* A session of LTTng has its traces up to six levels below; other directories may have many. */
enum { DEPTH_MAX = 6, VISITS_MAX = 4096, TRACES_MAX = 1024 };

/* The metadata begin with a text (CTF 1.8), a packet of it, or a fragment of JSON (CTF 2). */
static bool is_trace(const char *dir)
{
	static const char *const begins[] = { "/* CTF 1", "\xc1\x1f\xfc\xc1", "\x57\x1d\xd1\x75",
					      "\x75\xd1\x1d\x57", "\x1e{" };
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	char head[16];
	ssize_t n = -1;

	strbuf_addf(&path, "%s/metadata", dir);
	if (!path.failed)
		n = dir_read_head(path.s, head, sizeof(head));
	for (size_t i = 0; n > 0 && i < ARRAY_SIZE(begins); i++)
		if (span_starts((struct span){ head, (size_t)n }, begins[i]))
			return true;
	return false;
}

/* Add the traces in @path and below it to @c; NULL: whether there is one. */
static bool find_traces(struct ctf *c, const char *path, int depth, u32 *visits)
{
	scoped(dir_names_release) struct dir_names names = { NULL, 0 };
	scoped(strbuf_release) struct strbuf sub = STRBUF_INIT;
	bool found = is_trace(path);

	if (found && c && c->dirs.n < TRACES_MAX) {
		const char *copy = arena_strdup(&c->job->sink->arena, path);

		c->text.failed |= !copy || array_push(&c->dirs, copy);
	}
	if (!found && depth < DEPTH_MAX && ++*visits < VISITS_MAX)
		names = dir_names_of(path);
	for (int i = 0; i < names.n && (c || !found); i++) {
		if (names.v[i]->d_type != DT_DIR)
			continue;
		strbuf_reset(&sub);
		strbuf_addf(&sub, "%s/%s", path, names.v[i]->d_name);
		found |= !sub.failed && find_traces(c, sub.s, depth + 1, visits);
	}
	return found;
}

/* The text that follows in the metadata of a trace, up to the next quote; absent: it has none. */
static struct span stated(struct span metadata, const char *after, const char *key)
{
	const char *at = span_find(metadata, span_of(after));
	struct span text;

	at = at ? span_find(span_between(at, metadata.s + metadata.n), span_of(key)) : NULL;
	text = at ? span_between(at + strlen(key), metadata.s + metadata.n)
		  : (struct span){ NULL, 0 };
	return span_sep(&text, "\"");
}

/*
 * The traces of one session are of one machine, one clock and one start. The times of others cannot
 * be compared, or what lies between them is no part of either.
 */
static int check_related(struct ctf *c)
{
	static const char *const keys[][2] = { { "env {", "hostname = \"" },
					       { "clock {", "uuid = \"" },
					       { "env {", "trace_creation_datetime = \"" } };
	enum { METADATA = 1 << 14 };
	struct span first[ARRAY_SIZE(keys)] = { { NULL, 0 } };
	size_t of[ARRAY_SIZE(keys)] = { 0 }, other = 0; /* indices of traces */
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	const char *differs = NULL;

	for (size_t i = 0; i < c->dirs.n && !differs; i++) {
		char *head = arena_alloc(&c->job->sink->arena, METADATA);
		ssize_t n;

		strbuf_reset(&path);
		strbuf_addf(&path, "%s/metadata", c->dirs.v[i]);
		n = head && !path.failed ? dir_read_head(path.s, head, METADATA) : -1;
		for (size_t k = 0; n > 0 && k < ARRAY_SIZE(keys); k++) {
			const struct span here =
				stated((struct span){ head, (size_t)n }, keys[k][0], keys[k][1]);

			if (here.n && first[k].n && !span_same(here, first[k])) {
				differs = c->dirs.v[i];
				other = of[k];
			}
			of[k] = first[k].n ? of[k] : i;
			first[k] = first[k].n ? first[k] : here;
		}
	}
	return !differs ? 0
			: diags_error(c->job->diags, -HIST_EINVAL,
				      "%s: has CTF traces of several sessions or machines, such as "
				      "%s and %s: name the directory of one",
				      c->job->in->name, c->dirs.v[other], differs);
}

bool ctf_recognises(const char *path)
{
	u32 visits = 0;

	return find_traces(NULL, path, 0, &visits);
}

int ctf_find(struct ctf *c)
{
	u32 visits = 0;

	find_traces(c, c->job->in->path, 0, &visits);
	return c->text.failed ? HIST_NOMEM : check_related(c);
}
