// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Determines what a smaller recording needs besides its records: formats, and lines of kallsyms,
 * printk and the saved comms. These follow from the kept records, the script's directory, and the
 * lookups while its files were printed.
 *
 * In addition to the script's results, trace-cmd's output for the kept records must not change. So
 * every word of a record that is the address of a symbol is treated as needed.
 */
#include "hist-list.h"
#include "slim/slim.h"

/* A set of numbers, in order of insertion; never contains 0. */
struct set {
	INDEXED(u64) values;
};

struct scan {
	struct slim *s;
	const struct recording *rec;
	u8 *ids; /* indexed by id: 1 is kept */
	struct set pids, words;
	bool failed;
};

/* --- sets --- */

static void set_add(struct set *set, u64 value, bool *failed)
{
	if (value && !indexed_has(&set->values, value))
		*failed |= !indexed_add(&set->values, hash_number(value), value);
}

static void set_release(struct set *set)
{
	indexed_release(&set->values);
}

/* --- the kept records --- */

void slim_find_pids(struct slim *s, u32 id)
{
	const struct event_format *format;

	if (s->pids_found[id] || event_db_find_id(s->h->recordings.db, id, &format))
		return;
	s->pids_found[id] = 1;
	array_each_of(const struct event_field, f, format->fields, format->n_fields) {
		const size_t n = strlen(f->name);

		if (f->size == 4 && n >= 3 && !strcmp(f->name + n - 3, "pid"))
			s->failed |= array_push(&s->pid_fields,
						((struct pid_field){ id, f->offset })) != 0;
	}
}

static int scan_record(void *arg, const struct ring_buffer_record *rec)
{
	struct scan *scan = arg;
	bool big = scan->rec->info->big_endian;
	u32 size = scan->rec->info->long_size;

	u32 id;

	if (rec->len < 8)
		return 0;
	id = load_u16(rec->data, big);
	slim_find_pids(scan->s, id);
	scan->ids[id] = 1;
	array_each(const struct pid_field, f, &scan->s->pid_fields)
		if (f->id == id && f->at + 4 <= rec->len)
			set_add(&scan->pids, load_u32(rec->data + f->at, big), &scan->failed);
	for (u32 at = 8; at + size <= rec->len; at += 4) {
		u64 v = load_uint(rec->data + at, size, big);

		/* small numbers are not addresses */
		if (v > UINT16_MAX)
			set_add(&scan->words, v, &scan->failed);
	}
	return scan->failed ? HIST_NOMEM : 0;
}

/* --- formats --- */

static void need_format(struct slim *s, const char *system, struct span name)
{
	for (size_t i = 0; i < s->rec->n_formats; i++)
		if (span_same(s->rec->formats[i].name, name) &&
		    !strcmp(s->rec->formats[i].system, system))
			s->formats[i] = 1;
}

static void need_all(struct slim *s, const char *system)
{
	for (size_t i = 0; i < s->rec->n_formats; i++)
		if (!system || !strcmp(s->rec->formats[i].system, system))
			s->formats[i] = 1;
}

/* Keep at least one format of the system, so that the system exists. */
static void need_any(struct slim *s, const char *system)
{
	size_t first = s->rec->n_formats;

	for (size_t i = s->rec->n_formats; i-- > 0;) {
		if (strcmp(s->rec->formats[i].system, system) != 0)
			continue;
		if (s->formats[i])
			return;
		first = i;
	}
	if (first < s->rec->n_formats)
		s->formats[first] = 1;
}

/* Keep the events that the script uses; of those that are only enabled, the recorded ones. */
static void need_touched(struct slim *s, bool all)
{
	for (struct trace_array *tr = s->h->tracing->top; tr; tr = tr->next)
		for (struct event_file *file = tr->files; file; file = file->next)
			if (!file->synth && (all || file->triggers.n || file->filter ||
					     file->state.soft_refs || !file->state.enabled))
				need_format(s, file->system, span_of(file->name));
}

/* Preserve the id of a synthetic event by keeping its own format, or that with the highest id. */
static void need_synthetic(struct slim *s)
{
	const struct tracing *t = s->h->tracing;
	size_t highest = 0;

	for (size_t i = 1; i < s->rec->n_formats; i++)
		if (s->rec->formats[i].id > s->rec->formats[highest].id)
			highest = i;
	array_each_ptr(const struct synth_event, event, &t->synth_events) {
		need_format(s, "synthetic", span_of(event->name));
		/* the trace of a synthetic event takes the names of gfp_t from another event */
		for (size_t k = 0; k < event->n_fields; k++)
			if (!strcmp(event->fields[k].text.type, "gfp_t"))
				need_format(s, "kmem", span_of("kmalloc"));
	}
	if (t->synth_events.n && s->rec->n_formats)
		s->formats[highest] = 1;
}

/* Without a script, keep all recorded events, also those without records in the part. */
static void need_recorded(struct slim *s)
{
	const char *event;

	for (size_t i = 0; (event = hist_recorded_event(s->h, i)); i++) {
		struct span name = span_of(event);
		const struct span system = span_sep(&name, ":");

		for (size_t k = 0; k < s->rec->n_formats; k++) {
			const struct trace_dat_format *f = &s->rec->formats[k];

			if (f->id > UINT16_MAX || !span_same(f->name, name) ||
			    !span_eq(system, f->system))
				continue;
			s->formats[k] = 1;
			s->seen[f->id] = max_t(u64, s->seen[f->id], 1);
		}
	}
}

/* Keep the formats for events/SYSTEM/EVENT/FILE, events/SYSTEM/FILE or events/FILE. */
static void need_path(struct slim *s, struct span path, bool cat)
{
	struct span part[4];
	char system[256];
	size_t n = 0;

	while (path.s && n < ARRAY_SIZE(part))
		part[n++] = span_sep(&path, "/");
	if (n < 2 || path.s)
		return;
	if (n == 2 && cat)
		need_all(s, NULL);
	if (n < 3 || part[1].n >= sizeof(system))
		return;
	memcpy(system, part[1].s, part[1].n);
	system[part[1].n] = '\0';
	if (n == 4)
		need_format(s, system, part[2]);
	else if (cat)
		need_all(s, system);
	else
		need_any(s, system);
}

/* Keep the formats for a word of set_event: the event must exist, or one of the system. */
static void need_word(struct slim *s, struct span word)
{
	struct span system = word.n && word.s[0] == '!' ? span_skip(word, 1) : word;
	struct span name = system;
	bool both = false;

	system = span_sep(&name, ":");
	both = name.s != NULL;
	for (size_t i = 0; i < s->rec->n_formats; i++) {
		const struct trace_dat_format *f = &s->rec->formats[i];

		if (both ? span_same(f->name, name) && span_eq(system, f->system)
			 : span_same(f->name, system))
			s->formats[i] = 1;
	}
	for (size_t i = 0; i < s->rec->n_formats; i++)
		if (span_eq(system, s->rec->formats[i].system)) {
			need_any(s, s->rec->formats[i].system);
			break;
		}
}

static void need_command(struct slim *s, const struct script_cmd *cmd)
{
	const bool cat = cmd->verb == SCRIPT_CAT;
	struct span path = path_in_instance(span_of(cmd->path)), text = { cmd->text, cmd->len };

	if (!path.s || cmd->verb == SCRIPT_NAMES)
		return;
	if (span_starts(path, "events/"))
		need_path(s, path, cat);
	else if (cat && span_eq(path, "available_events"))
		need_all(s, NULL);
	else if (cat && span_eq(path, "set_event"))
		need_touched(s, true);
	else if (!cat && span_eq(path, "set_event"))
		while (text.s)
			need_word(s, span_sep(&text, " \t\n\v\f\r"));
}

/* --- strings --- */

/* Choose the lines of @text that start with a number of the set. */
static void choose_lines(struct span text, const char *stop, const struct set *set,
			 struct strbuf *out)
{
	while (text.n) {
		struct span line = span_sep(&text, "\n"), rest = line;
		u64 number;

		if (span_u64(span_trim(span_sep(&rest, stop)), &number) &&
		    indexed_has(&set->values, number))
			strbuf_addf(out, "%.*s\n", (int)line.n, line.s);
	}
}

/* Of tasks that are needed, their processes, and the tasks that made them. */
static void add_origins(struct scan *scan, struct set *origins)
{
	struct task_facts facts;
	struct task_fact fact;
	bool more = true;

	while (more && !scan->failed) {
		more = false;
		task_facts_init(&facts, scan->rec->td);
		while (task_facts_next(&facts, &fact)) {
			const bool names_other = fact.kind == TASK_IS || fact.kind == TASK_OF ||
						 fact.kind == TASK_NEW;

			if (!names_other || indexed_has(&scan->pids.values, fact.n[0]) ||
			    indexed_has(&origins->values, fact.n[0]) ||
			    (!indexed_has(&scan->pids.values, (u64)fact.pid) &&
			     !indexed_has(&origins->values, (u64)fact.pid)))
				continue;
			set_add(origins, fact.n[0], &scan->failed);
			more = true;
		}
	}
}

/* The lines of the journal about the tasks of the kept records, and those that explain them. */
static void choose_tasks(struct scan *scan)
{
	struct strbuf *out = &scan->s->tasks;
	scoped(set_release) struct set origins = { .values.n = 0 };
	struct task_facts facts;
	struct task_fact fact;

	add_origins(scan, &origins);
	task_facts_init(&facts, scan->rec->td);
	if (facts.n || facts.rest.s)
		strbuf_addf(out, "tasks %d\n", TASK_JOURNAL_VERSION);
	while (task_facts_next(&facts, &fact))
		if (fact.kind != TASK_VERSION &&
		    (!fact.pid || indexed_has(&scan->pids.values, (u64)fact.pid) ||
		     indexed_has(&origins.values, (u64)fact.pid)))
			strbuf_addf(out, "%.*s\n", (int)fact.line.n, fact.line.s);
}

static int choose_texts(struct scan *scan)
{
	struct slim *s = scan->s;
	struct span text;
	int err = trace_dat_section(s->rec->td, TRACE_DAT_CMDLINES, &text, s->diags);
	const bool shown = any_of(i, s->script->cmds.n,
				  s->script->cmds.v[i].verb == SCRIPT_CAT &&
					  strstr(s->script->cmds.v[i].path, "saved_cmdlines"));

	if (!err && shown)
		strbuf_add(&s->cmdlines, text.s, text.n);
	else if (!err)
		choose_lines(text, " ", &scan->pids, &s->cmdlines);
	err = err ?: trace_dat_section(s->rec->td, TRACE_DAT_PRINTK, &text, s->diags);
	if (!err)
		choose_lines(text, ":", &scan->words, &s->printk);
	/* what tasks are follows from all facts about those that made them */
	if (!s->needs_who)
		choose_tasks(scan);
	return err;
}

static int choose_symbols(struct scan *scan)
{
	struct slim *s = scan->s;
	struct event_db *db = s->h->recordings.db;
	struct event_symbol sym;
	char name[256];
	int err = event_db_note_used(db, &s->used);

	/* the functions that determine the modules of kept events */
	for (size_t i = 0; i < s->rec->n_formats; i++) {
		const struct span event = s->rec->formats[i].name;

		if (s->formats[i] && event_module(db, event).s &&
		    snprintf(name, sizeof(name), "__traceiter_%.*s", (int)event.n, event.s) <
			    (int)sizeof(name))
			event_symbol_find(db, span_of(name), &sym);
		/* see derived_find_stacks() */
		if (s->formats[i] && span_eq(event, "kernel_stack"))
			event_symbol_find(db, span_of("throttle_cfs_rq_work"), &sym);
	}
	event_db_note_used(db, NULL);
	for (size_t i = 0; i < scan->words.values.n && !err; i++)
		if (event_symbol_at(db, scan->words.values.v[i], &sym))
			err = array_push(&s->used.addresses, scan->words.values.v[i]);
	if (err || s->used.failed)
		return HIST_NOMEM;
	return event_symbols_needed(db, s->used.addresses.v, s->used.addresses.n, &s->kallsyms);
}

int slim_needs(struct slim *s)
{
	const struct event_text *proof = s->h->recordings.kernel_proof;
	struct scan scan = { .s = s, .rec = s->rec, .ids = calloc(UINT16_MAX + 1, 1) };
	int err = HIST_NOMEM;

	event_db_note_used(s->h->recordings.db, NULL);
	if (!s->n_asked)
		s->n_asked = s->used.addresses.n;
	s->used.addresses.n = s->n_asked;
	slim_needs_release(s);
	s->formats = calloc(s->rec->n_formats + 1, 1);
	if (scan.ids && s->formats) {
		const struct slim_visitor v = { .arg = &scan, .record = scan_record };

		err = 0;
		/* whoever was asked about */
		for (size_t i = 0; i < s->names.n; i++)
			if (s->names.v[i].key > 0 && slim_needs_name(s, &s->names.v[i]))
				set_add(&scan.pids, (u64)s->names.v[i].key, &scan.failed);
		for (size_t b = 0; b < scan.rec->n_buffers; b++)
			for (size_t c = 0; c < scan.rec->buffers[b].n_cpus && !err; c++)
				err = slim_visit(scan.s, b, c, &v);
	}
	if (!err) {
		for (size_t i = 0; i < s->rec->n_formats; i++)
			s->formats[i] = s->used.formats[i] ||
					(s->rec->formats[i].id <= UINT16_MAX &&
					 scan.ids[s->rec->formats[i].id]);
		/* needed by trace */
		if (s->with_trace)
			need_format(s, "ftrace", span_of("print"));
		/* proves which rules an unknown kernel has */
		if (proof)
			need_format(s, proof->system, proof->name);
		if (s->all)
			need_recorded(s);
		need_touched(s, false);
		need_synthetic(s);
		for (size_t i = 0; i < s->script->cmds.n; i++)
			need_command(s, &s->script->cmds.v[i]);
		err = choose_texts(&scan);
	}
	err = err ?: choose_symbols(&scan);
	if (s->kallsyms.failed || s->printk.failed || s->cmdlines.failed || s->tasks.failed ||
	    scan.failed)
		err = HIST_NOMEM;
	free(scan.ids);
	set_release(&scan.pids);
	set_release(&scan.words);
	return err;
}

void slim_needs_release(struct slim *s)
{
	free(s->formats);
	s->formats = NULL;
	strbuf_release(&s->kallsyms);
	strbuf_release(&s->printk);
	strbuf_release(&s->cmdlines);
	strbuf_release(&s->tasks);
}
