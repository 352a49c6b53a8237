// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the events that a script defines: synthetic events and probes, by their names.
 *
 * The definitions are run on a scratch directory; their errors are reported when the script runs.
 */
#include <fnmatch.h>

#include "hist-list.h"
#include "hist-script.h"
#include "tracefs/tracefs.h"

static bool is_definition(const struct script_cmd *cmd)
{
	static const char *const files[] = { "synthetic_events", "dynamic_events", "kprobe_events",
					     "uprobe_events" };

	return cmd->verb == SCRIPT_ECHO &&
	       any_of(i, ARRAY_SIZE(files), !strcmp(cmd->path, files[i]));
}

/* A script only grows, so that the definitions of each of its commands are run once. */
struct tracing *script_definitions(struct hist *h, const struct hist_script *of)
{
	const struct script *script = hist_script_commands(of);
	struct directory *d = directory_of(h);
	scoped(diags_release) struct diags ignored = DIAGS_INIT;

	if (!d->defined || d->defined_by != hist_script_id(of) || !d->defined_by ||
	    d->n_defined > script->cmds.n || tracing_failed(d->defined)) {
		tracing_free(d->defined);
		d->defined = tracing_new(&h->recordings.machine, &h->recordings.options);
		d->defined_by = hist_script_id(of);
		d->n_defined = 0;
	}
	for (; d->defined && d->n_defined < script->cmds.n; d->n_defined++) {
		const struct script_cmd *cmd = &script->cmds.v[d->n_defined];
		const struct file_write write = { .path = cmd->path,
						  .text = { cmd->text, cmd->len },
						  .truncate = !cmd->append };

		if (is_definition(cmd))
			files_write(h, d->defined, &write, &ignored);
	}
	return d->defined;
}

/* "events/SYSTEM/NAME" of an event defined in @t; NULL: unknown name. */
static char *find(struct tracing *t, const char *name)
{
	struct span rest = span_of(name), system = span_sep(&rest, ":/");
	struct span none = { NULL, 0 }, event = rest.s ? rest : system;
	const struct probe *probe = probe_find(t, rest.s ? system : none, event);
	const char *group = NULL;
	char *path = NULL;

	if ((!rest.s || span_eq(system, "synthetic")) && synth_event_find(t, event))
		group = "synthetic";
	else if (probe)
		group = probe->text.group;
	if (group && asprintf(&path, "events/%s/%.*s", group, (int)event.n, event.s) < 0)
		path = NULL;
	return path;
}

int hist_script_find_event(struct hist *h, const struct hist_script *script, const char *name,
			   char **path, struct diags *diags)
{
	struct tracing *t = script_definitions(h, script);

	if (!t)
		return HIST_NOMEM;
	*path = find(t, name);
	return *path ? 0 : hist_find_event(h, name, path, diags);
}

/* --- several events --- */

struct events {
	struct hist *h;
	ARRAY(char *) paths;
};

static int add_path(struct events *ev, const char *system, struct span name)
{
	char *path;

	if (asprintf(&path, "events/%s/%.*s", system, (int)name.n, name.s) < 0)
		return HIST_NOMEM;
	for (size_t i = 0; i < ev->paths.n; i++) {
		if (!strcmp(ev->paths.v[i], path)) {
			free(path);
			return 0;
		}
	}
	if (array_push(&ev->paths, path)) {
		free(path);
		return HIST_NOMEM;
	}
	return 0;
}

static bool is_glob(const char *word)
{
	return strpbrk(word, "*?[");
}

static bool matches(const char *pattern, const char *text)
{
	return !fnmatch(pattern, text, 0);
}

/* "sched", "sched:*", "sched_w*": events of one system, or of all. */
static int add_matching(struct events *ev, const char *system, const char *event)
{
	const struct recordings *r = &ev->h->recordings;
	const char *recorded;
	bool found = false, others = false;
	int err = 0;

	for (size_t i = 0; !err && (recorded = hist_recorded_event(ev->h, i)); i++) {
		struct span name = span_of(recorded), sys = span_sep(&name, ":");
		scoped(free_scoped) char *s = strndup(sys.s, sys.n);

		err = s ? 0 : HIST_NOMEM;
		/* those of ftrace come last and match only if there are no others */
		if (s && (system ? matches(system, s) : !others || strcmp(s, "ftrace") != 0) &&
		    matches(event, name.s)) {
			err = add_path(ev, s, name);
			found = true;
			others |= strcmp(s, "ftrace") != 0;
		}
	}
	/* the description of a machine has no records */
	others = hist_recorded_event(ev->h, 0);
	for (size_t i = 0, n = found || others ? 0 : r->n_texts; !err && i < n; i++) {
		scoped(free_scoped) char *name = strndup(r->texts[i].name.s, r->texts[i].name.n);

		err = name ? 0 : HIST_NOMEM;
		if (name && strcmp(r->texts[i].system, "ftrace") != 0 &&
		    (!system || matches(system, r->texts[i].system)) && matches(event, name)) {
			err = add_path(ev, r->texts[i].system, r->texts[i].name);
			found = true;
		}
	}
	return err ? err : found ? 0 : -HIST_ENOENT;
}

static bool is_system(const struct hist *h, const char *word)
{
	return any_of(i, h->recordings.n_texts, !strcmp(h->recordings.texts[i].system, word));
}

/*
 * A word that may match several events. Return: 0, -HIST_ENOENT if it matches none or is one name
 */
static int add_several(struct events *ev, char *word)
{
	char *event = strpbrk(word, ":/");
	int err;
	char c;

	if (!event)
		return is_system(ev->h, word) ? add_matching(ev, word, "*")
		       : !strcmp(word, "all") ? add_matching(ev, "*", "*")
		       : is_glob(word)        ? add_matching(ev, NULL, word)
					      : -HIST_ENOENT;
	if (!is_glob(word) && event[1])
		return -HIST_ENOENT;
	c = *event;
	*event = '\0';
	err = add_matching(ev, *word ? word : "*", event[1] ? event + 1 : "*");
	*event = c;
	return err;
}

static int add_word(struct events *ev, const struct hist_script *script, char *word,
		    struct diags *diags)
{
	char *path = NULL;
	int err;

	err = hist_script_find_event(ev->h, script, word, &path, NULL);
	if (!err && array_push(&ev->paths, path)) {
		free(path);
		err = HIST_NOMEM;
	} else if (err == -HIST_ENOENT) {
		err = add_several(ev, word);
		if (err == -HIST_ENOENT && (is_glob(word) || is_system(ev->h, word))) {
			diags_error(diags, 0, "no event %s%s is in the recording", word,
				    is_system(ev->h, word) ? ":*" : "");
			events_note_word(word, diags);
		} else if (err == -HIST_ENOENT) {
			err = hist_script_find_event(ev->h, script, word, &path, diags);
		}
	} else if (err && err != HIST_NOMEM) {
		err = hist_script_find_event(ev->h, script, word, &path, diags);
	}
	return err;
}

/* NOLINTNEXTLINE(readability-function-size): like hist_script_find_event(), for several */
int hist_script_find_events(struct hist *h, const struct hist_script *script, const char *names,
			    char ***paths, size_t *n, struct diags *diags)
{
	struct events ev = { .h = h, .paths = ARRAY_INIT };
	char *words = strdup(names), *rest = words, *word;
	int err = words ? 0 : HIST_NOMEM;

	while (!err && (word = strsep(&rest, ",")))
		err = add_word(&ev, script, near_event_word(word), diags);
	free(words);
	*paths = ev.paths.v;
	*n = ev.paths.n;
	if (!err)
		return 0;
	for (size_t i = 0; i < ev.paths.n; i++)
		free(ev.paths.v[i]);
	array_release(&ev.paths);
	*paths = NULL;
	*n = 0;
	return err;
}

int hist_script_look_up(struct hist *h, const struct hist_script *script, struct diags *diags)
{
	const struct script *all = hist_script_commands(script);
	struct tracing *t = script_definitions(h, script);
	int err = t ? 0 : HIST_NOMEM;

	array_each_while(const struct script_cmd, cmd, &all->cmds, !err) {
		struct span path = path_in_instance(span_of(cmd->path)), system, name;

		if (cmd->verb == SCRIPT_TABLE) {
			char **paths = NULL, *names = strndup(cmd->table->parts[TABLE_EVENTS].s,
							      cmd->table->parts[TABLE_EVENTS].n);
			size_t n = 0;

			err = names ? hist_script_find_events(h, script, names, &paths, &n, diags)
				    : HIST_NOMEM;
			for (size_t k = 0; k < n; k++)
				free(paths[k]);
			free(paths);
			free(names);
		} else if (path.s && span_eq(span_sep(&path, "/"), "events")) {
			system = span_sep(&path, "/");
			name = span_sep(&path, "/");
			if (path.s && !event_file_find(t->top, system, name))
				err = tracing_failed(t) ? HIST_NOMEM
							: events_unknown(h, system, name, diags);
		}
	}
	return err == -HIST_ENOENT ? -HIST_EREJECTED : err;
}

int hist_kernel_filter(struct hist *h, const char *path, const char *filter, char **text,
		       struct diags *diags)
{
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct span system, name;
	struct event_file *file = event_file_at(h->tracing, path, &system, &name);
	int err;

	*text = NULL;
	if (!file)
		return tracing_failed(h->tracing) ? HIST_NOMEM
						  : events_unknown(h, system, name, diags);
	err = event_filter_for_kernel(file, span_of(filter), &out, diags);
	if (!err && !(*text = strbuf_detach(&out)))
		err = HIST_NOMEM;
	return err;
}

/* NOLINTNEXTLINE(readability-function-size): a reader, and its script */
int hist_script_format(struct hist *h, const struct hist_script *script, const char *path,
		       hist_sink_fn sink, void *arg, struct diags *diags)
{
	struct tracing *t = script_definitions(h, script);
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	struct span system, name;
	const struct event_file *file;
	int err = 0, end;

	if (!t)
		return HIST_NOMEM;
	file = event_file_at(t, path, &system, &name);
	if (file)
		print_format(&p, file);
	else
		err = tracing_failed(t) ? HIST_NOMEM : events_unknown(h, system, name, diags);
	end = printer_end(&p);
	return err ? err : end;
}
