// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Selects tasks: by a list of pids, by a glob of names, a task with all its descendants, or those
 * of processes or cgroups at the time of an event.
 *
 * The tree is computed with histograms of the same recording: one of forks, and one of the names
 * of pids. A pid that another task reused later remains in the tree.
 *
 * The tasks for which hist_slim() made a recording smaller remain selected in it.
 */
#include <fnmatch.h>

#include "hist-script.h"
#include "hist-session.h"
#include "program/tasks.h"
#include "tracefs/tracefs.h"

enum { MAX_PID = 1 << 22 }; /* kernel: PID_MAX_LIMIT */
enum { MAX_SETS = 64 };     /* of a recording that was made smaller again and again */

struct choosing {
	struct recordings *r;
	const struct hist_options *options;
	struct hist_session *session;
	struct task_set *set;
	struct diags *diags;
	size_t n;                        /* pids of the tree */
	struct task_set *sets[MAX_SETS]; /* of a smaller recording */
	size_t n_sets;
};

static int make_room(struct choosing *c)
{
	if (!c->set->pids) {
		c->set->n_pids = MAX_PID;
		c->set->pids = arena_alloc(&c->r->arena, MAX_PID / 8);
	}
	return c->set->pids ? 0 : HIST_NOMEM;
}

static bool add_pid(struct choosing *c, u64 pid)
{
	if (pid >= MAX_PID || task_set_has(c->set, (u32)pid))
		return false;
	bits_add(c->set->pids, pid);
	c->n++;
	return true;
}

static int add_list(struct choosing *c, const char *list)
{
	struct span rest = span_of(list);
	int err = make_room(c);

	while (!err && rest.s) {
		u64 pid;

		if (!span_u64(span_trim(span_sep(&rest, ",")), &pid) || pid >= MAX_PID)
			return diags_error(c->diags, -HIST_EINVAL,
					   "--pid takes process ids separated by commas, not '%s'",
					   list);
		add_pid(c, pid);
	}
	return err;
}

/* --- the tree --- */

struct pair {
	u64 pid;
	u64 number; /* the child's pid, or 0 */
	struct span name;
};

/* Rows "{ FIRST:  N, SECOND: X }", maybe with the time of a number X; false at the end. */
static bool next_pair(struct span *rest, struct pair *p)
{
	while (rest->s) {
		struct span line = span_sep(rest, "\n"), first, second;

		if (!span_starts(line, "{ "))
			continue;
		second = line;
		first = span_sep(&second, ",");
		span_sep(&first, ":");
		span_sep(&second, ":");
		second = span_sep(&second, "}");
		*p = (struct pair){ .name = second.s ? span_trim(second) : (struct span){ "", 0 } };
		if (!first.s || !span_u64(span_trim(first), &p->pid))
			continue;
		second = p->name;
		span_u64(span_trim(span_sep(&second, ",")), &p->number);
		return true;
	}
	return false;
}

/* The histogram of two fields of an event; empty if the event was not recorded. */
static int count_pairs(struct choosing *c, const char *event, const char *keys, struct strbuf *out)
{
	struct hist_options options = *c->options;
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	struct hist *h = NULL;
	int err;

	options.pids = options.comm = options.tree = options.cpus = options.from = options.to =
		NULL;
	options.unlimited = true;
	strbuf_addf(&path, "events/%s/trigger", event);
	strbuf_addf(&text, "hist:keys=%s%s:size=131072", keys,
		    strstr(keys, "common_timestamp") ? ":sort=common_timestamp" : "");
	err = hist_session_open(c->session, &options, &h, &ignored);
	err = err ?: hist_write(h, path.s, text.s, text.len, HIST_APPEND, &ignored);
	strbuf_reset(&path);
	strbuf_addf(&path, "events/%s/hist", event);
	err = err ?: hist_read(h, path.s, strbuf_sink, out, &ignored);
	hist_close(h);
	return err == HIST_NOMEM || out->failed ? HIST_NOMEM : 0;
}

/* Every pid that ever had a matching name. */
static int add_named(struct choosing *c, const char *glob)
{
	static const struct {
		const char *event, *keys;
	} sources[] = { { "sched/sched_switch", "next_pid,next_comm" },
			{ "sched/sched_switch", "prev_pid,prev_comm" },
			{ "sched/sched_process_fork", "parent_pid,parent_comm" },
			{ "sched/sched_process_fork", "child_pid,child_comm" },
			{ "task/task_rename", "pid,newcomm" } };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sources) && !err; i++) {
		scoped(strbuf_release) struct strbuf rows = STRBUF_INIT;
		struct span rest;
		struct pair p;

		err = count_pairs(c, sources[i].event, sources[i].keys, &rows);
		rest = (struct span){ rows.s, rows.len };
		while (!err && next_pair(&rest, &p)) {
			scoped(free_scoped) char *name = strndup(p.name.s, p.name.n);

			err = name ? 0 : HIST_NOMEM;
			if (name && p.pid && !fnmatch(glob, name, 0))
				add_pid(c, p.pid);
		}
	}
	return err;
}

/* Add children. The forks are in the order of time: a pid that is used again has other children. */
static void add_children(struct choosing *c, struct span forks)
{
	struct pair p;

	while (next_pair(&forks, &p))
		if (p.pid < MAX_PID && task_set_has(c->set, (u32)p.pid))
			add_pid(c, p.number);
}

static int add_tree(struct choosing *c, const char *root)
{
	scoped(strbuf_release) struct strbuf forks = STRBUF_INIT;
	int err = make_room(c);
	u64 pid;

	if (!err && span_u64(span_of(root), &pid))
		add_pid(c, pid);
	else if (!err)
		err = add_named(c, root);
	if (!err && !c->n)
		err = diags_error(c->diags, -HIST_ENOENT, "--tree: no task has the name %s", root);
	err = err
		      ?: count_pairs(c, "sched/sched_process_fork",
				     "parent_pid,child_pid,common_timestamp", &forks);
	if (!err && !forks.len)
		diags_add(
			c->diags, DIAG_WARNING,
			"--tree: sched:sched_process_fork was not recorded, so children are not known");
	if (!err)
		add_children(c, (struct span){ forks.s, forks.len });
	if (!err)
		diags_add(c->diags, DIAG_NOTE, "--tree %s: selected %zu tasks", root, c->n);
	return err;
}

/* --- the selection --- */

/* Another set, to which a task must belong, too. */
static int add_set(struct choosing *c)
{
	c->set = arena_alloc(&c->r->arena, sizeof(*c->set));
	if (!c->set)
		return HIST_NOMEM;
	c->set->and = c->r->options.tasks;
	c->r->options.tasks = c->set;
	return 0;
}

/* "a,b*", "!a": names or ids of processes; one glob of cgroups, whose paths all begin with '/'. */
static int choose_who(struct choosing *c, enum who_what what, const char *text)
{
	struct who_choice *choice = arena_alloc(&c->r->arena, sizeof(*choice));
	struct span rest = span_of(text);

	if (!choice)
		return HIST_NOMEM;
	choice->negated = span_starts(rest, "!");
	rest = span_skip(rest, choice->negated);
	choice->globs = arena_alloc(&c->r->arena, (rest.n + 1) * sizeof(*choice->globs));
	while (choice->globs && rest.s) {
		struct span word = what == WHO_CGROUP ? rest : span_sep(&rest, ",");
		const char *glob;
		bool name;

		/* all cgroups are below "/" */
		while (what == WHO_CGROUP && word.n && word.s[word.n - 1] == '/')
			word.n--;
		name = what == WHO_CGROUP && word.n && !strchr("/*?[", word.s[0]);
		glob = arena_printf(&c->r->arena, "%s%.*s", name ? "/" : "", (int)word.n, word.s);
		if (!glob)
			return HIST_NOMEM;
		choice->globs[choice->n++] = glob;
		if (what == WHO_CGROUP)
			break;
	}
	c->set->who[what] = choice;
	c->set->texts[what] = arena_strdup(&c->r->arena, text);
	return choice->globs && c->set->texts[what] ? 0 : HIST_NOMEM;
}

static int refuse_damaged(const struct choosing *c, const struct recording *rec)
{
	diags_error(c->diags, 0, "%s: the selection of hist slim is damaged", rec->path);
	return -HIST_EFORMAT;
}

/* The set with that number in a smaller recording; they are numbered from 0. */
static int choose_set(struct choosing *c, const struct recording *rec, s64 number)
{
	int err = 0;

	if (number < 0 || number >= MAX_SETS)
		return refuse_damaged(c, rec);
	while (!err && c->n_sets <= (size_t)number) {
		err = add_set(c);
		c->sets[c->n_sets++] = c->set;
	}
	c->set = err ? NULL : c->sets[number];
	return err;
}

/* The sets that hist_slim() stored. Those of the other files must be the same for a replay. */
static int add_slimmed(struct choosing *c, const struct recording *rec)
{
	static const struct {
		const char *word;
		enum who_what what; /* N_WHO: the name */
	} kinds[] = { { "tasks ", N_WHO }, { "process ", WHO_PROCESS }, { "cgroup ", WHO_CGROUP } };
	struct span pids = slimmed_text(rec);
	struct slimmed_line line;
	int err = 0;

	while (!err && slimmed_next(&pids, "task ", 2, &line)) {
		err = choose_set(c, rec, line.a);
		err = err ?: make_room(c);
		if (!err)
			add_pid(c, (u64)line.b);
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct span globs = slimmed_text(rec);

		while (!err && slimmed_next(&globs, kinds[i].word, 1, &line)) {
			const char *glob = arena_strndup(&c->r->arena, line.rest.s, line.rest.n);

			err = glob ? choose_set(c, rec, line.a) : HIST_NOMEM;
			if (!err && kinds[i].what == N_WHO)
				c->set->comm = glob;
			else if (!err)
				err = choose_who(c, kinds[i].what, glob);
		}
	}
	for (size_t i = 0; i < c->n_sets && !err; i++)
		if (!c->sets[i]->pids && !c->sets[i]->comm && !c->sets[i]->who[WHO_PROCESS] &&
		    !c->sets[i]->who[WHO_CGROUP])
			err = refuse_damaged(c, rec);
	return err;
}

int tasks_choose(struct hist *h, const struct hist_options *options, struct diags *diags)
{
	struct choosing c = {
		.r = &h->recordings, .options = options, .session = h->session, .diags = diags
	};
	int err = add_slimmed(&c, &h->recordings.files.v[0]);

	if (options->comm && !options->comm[0])
		return diags_error(diags, -HIST_EINVAL, "--comm takes a name or a glob, not ''");
	c.n = 0;
	if (err || (!options->pids && !options->comm && !options->tree))
		return err;
	err = add_set(&c);
	if (err)
		return err;
	h->chosen = c.set;
	c.set->comm = options->comm;
	/* first, without children of the tasks of --pid */
	if (options->tree)
		err = add_tree(&c, options->tree);
	return err || !options->pids ? err : add_list(&c, options->pids);
}

int hist_select(struct hist *h, enum hist_selection what, const char *text, struct diags *diags)
{
	const bool cgroup = what == HIST_SELECT_CGROUP;
	struct choosing c = { .r = &h->recordings, .set = h->chosen, .diags = diags };
	int err = 0;

	if (!text[0] && cgroup)
		return diags_error(diags, -HIST_EINVAL, "--cgroup takes a path or a glob, not ''");
	if (!text[0])
		return diags_error(diags, -HIST_EINVAL,
				   "--process takes names, globs or process ids, not ''");
	if (!c.set)
		err = add_set(&c);
	err = err ?: choose_who(&c, cgroup ? WHO_CGROUP : WHO_PROCESS, text);
	if (err)
		return err;
	h->chosen = c.set;
	h->tracing->options.tasks = h->recordings.options.tasks;
	h->changed = true;
	return selection_add(h, cgroup ? "cgroup" : "process", text);
}
