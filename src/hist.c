// SPDX-License-Identifier: LGPL-2.1-only
/* The public API: opens and closes recordings, and calls replay and tracefs. */
#include "code/code.h"
#include "count/count.h"
#include "derive/derive.h"
#include "dynevent/dynevent.h"
#include "hist-columns.h"
#include "hist-script.h"
#include "hist-dump.h"
#include "hist-import.h"
#include "hist-list.h"
#include "hist-session.h"
#include "import/import.h"
#include "tracefs/tracefs.h"

/* --- diagnoses --- */

struct diags *hist_diags_new(void)
{
	return calloc(1, sizeof(struct diags));
}

void hist_diags_free(struct diags *diags)
{
	if (!diags)
		return;
	diags_release(diags);
	free(diags);
}

size_t hist_diags_count(const struct diags *diags)
{
	return diags->list.n;
}

enum hist_level hist_diags_level(const struct diags *diags, size_t i)
{
	return (enum hist_level)diags->list.v[i].level;
}

char *hist_diags_text(const struct diags *diags, size_t i, const char *program, bool colour)
{
	struct strbuf sb = STRBUF_INIT;

	diag_print(&diags->list.v[i], program, colour, &sb);
	return strbuf_detach(&sb);
}

/* --- the selected part --- */

static int parse_cpu(struct span text, u32 *cpu)
{
	u64 v;

	if (!text.n || !is_digit(text.s[0]) || !span_u64(text, &v) || v >= UINT32_MAX)
		return -1;
	*cpu = (u32)v;
	return 0;
}

/* A list such as "0,2-3". */
static int parse_cpus(struct hist *h, struct span list, struct diags *diags)
{
	const u64 *before = h->span.cpus;
	struct span rest = list;
	u32 nr = h->recordings.machine.nr_cpus;

	h->span.cpus = arena_alloc(&h->recordings.arena, bits_words(nr) * sizeof(u64));
	h->span.nr_cpus = nr;
	if (!h->span.cpus)
		return HIST_NOMEM;
	while (rest.s) {
		struct span last = span_sep(&rest, ","), first = span_sep(&last, "-");
		u32 from, to;

		if (parse_cpu(first, &from) || parse_cpu(last.s ? last : first, &to) || from > to)
			return diags_error(diags, -HIST_EINVAL,
					   "%.*s is not a list of CPUs: write 0,2-3", (int)list.n,
					   list.s);
		if (to >= nr)
			return diags_error(diags, -HIST_EINVAL,
					   "the recording has no CPU %u, only 0 to %u", to, nr - 1);
		for (u32 cpu = from; cpu <= to; cpu++)
			bits_add(h->span.cpus, cpu);
	}
	for (u32 i = 0; before && i <= nr / 64; i++)
		h->span.cpus[i] &= before[i];
	return 0;
}

/* A span outside the recording is an error; one that begins before it is probably meant as +T. */
static int check_span(struct hist *h, const struct recordings_times *times, const char *from,
		      struct diags *diags)
{
	const bool counts = trace_clock_counts(h->recordings.machine.clock);
	const bool early = h->span.from && h->span.from < times->first &&
			   h->span.to == UINT64_MAX && !(from && moment_is_date(from));
	/* "--from 5" of a clock that started days ago */
	const bool outside = h->span.from > times->last || h->span.to < times->first ||
			     (early && times->first - h->span.from > times->last - times->first);
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	int err = 0;

	strbuf_addstr(&text, "the recording is from ");
	text_add_time(&text, times->first, counts);
	recordings_add_date(&h->recordings, times->first, &text);
	strbuf_addstr(&text, " to ");
	text_add_time(&text, times->last, counts);
	recordings_add_date(&h->recordings, times->last, &text);
	if (text.failed)
		err = HIST_NOMEM;
	else if (times->last && outside && h->span.from <= h->span.to)
		err = diags_error(
			diags, -HIST_EINVAL,
			"the selected time is outside: %s; +SECONDS counts from its start", text.s);
	else if (times->last && from && early)
		diags_add(diags, DIAG_NOTE,
			  "%s, so --from %s selects all of its start; +%s counts from there",
			  text.s, from, from);
	return err;
}

static int choose_span(struct hist *h, const struct hist_options *options, struct diags *diags)
{
	struct recordings_times times = { .first = 0 };
	int err = 0;

	h->span.to = UINT64_MAX;
	h->recordings.diags = diags;
	if (options->from || options->to)
		err = recordings_times(&h->recordings, h->buffer, &times);
	h->recordings.diags = NULL;
	if (!err && options->from) {
		h->span.from = times.first;
		err = recordings_moment(&h->recordings, options->from, &h->span.from, diags);
	}
	if (!err && options->to) {
		h->span.to = times.first;
		err = recordings_moment(&h->recordings, options->to, &h->span.to, diags);
	}
	if (!err && h->span.from > h->span.to)
		diags_add(
			diags, DIAG_WARNING,
			"nothing is replayed: the start of the time span, %s, is after its end, %s",
			options->from, options->to);
	if (!err && (options->from || options->to))
		err = check_span(h, &times, options->from, diags);
	if (!err && options->cpus)
		err = parse_cpus(h, span_of(options->cpus), diags);
	for (size_t i = 0; i < h->recordings.files.n && !err; i++) {
		struct span text = slimmed_text(&h->recordings.files.v[i]);
		struct slimmed_line line;
		u64 from, to;

		if (slimmed_next(&text, "cpus ", 0, &line))
			err = parse_cpus(h, line.rest, diags);
		text = slimmed_text(&h->recordings.files.v[i]);
		if (slimmed_next(&text, "intervals ", 1, &line)) {
			h->recordings.options.open_intervals = true;
			h->recordings.options.cut_intervals = line.a;
		}
		if (err || !slimmed_part(&h->recordings.files.v[i], &from, &to))
			continue;
		h->span.from = max_t(u64, h->span.from, from);
		h->span.to = min_t(u64, h->span.to, to);
	}
	return err;
}

/* --- the buffer --- */

/* The names of the buffers with events, except @chosen. */
static size_t other_buffers(const struct hist *h, const char *chosen, struct strbuf *names,
			    const char **last)
{
	size_t n = 0;

	array_each(const struct recording, rec, &h->recordings.files) {
		for (size_t b = 0; b < rec->n_buffers; b++) {
			if (!buffer_has_data(&rec->buffers[b]) ||
			    !strcmp(rec->buffers[b].name, chosen))
				continue;
			strbuf_addf(names, "%s%s", n++ ? ", " : "",
				    rec->buffers[b].name[0] ? rec->buffers[b].name
							    : "the top buffer");
			*last = rec->buffers[b].name;
		}
	}
	return n;
}

/* The requested buffer; otherwise the top buffer, or the only one with events. */
static int choose_buffer(struct hist *h, const char *wanted, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf others = STRBUF_INIT;
	const char *last = "";
	bool exists = false, data = false;
	size_t n, b;
	int err = 0;

	h->buffer = wanted ? wanted : "";
	array_each(const struct recording, rec, &h->recordings.files) {
		if (!recording_find_buffer(rec, h->buffer, &b))
			continue;
		exists = true;
		data |= buffer_has_data(&rec->buffers[b]);
	}
	n = other_buffers(h, h->buffer, &others, &last);
	if (wanted && !exists)
		err = diags_error(diags, -HIST_ENOENT, "the recording has no buffer %s; it has %s",
				  wanted, others.s);
	else if (!wanted && !data && n == 1)
		h->buffer = last;
	else if (!wanted && n)
		diags_add(diags, DIAG_NOTE,
			  "other buffers also contain events: %s (choose with -B)", others.s);
	h->recordings.buffer = h->buffer;
	return err;
}

/* --- recordings --- */

bool hist_recognises(const void *head, size_t len)
{
	static const char magic[] = "\027\010\104tracing";

	return (len >= sizeof(magic) - 1 && !memcmp(head, magic, sizeof(magic) - 1)) ||
	       import_recognises((struct span){ head, len });
}

/* Guessed names are reported by a replay that needs names. */
static void report_caveats(const struct recording *rec, struct diags *diags)
{
	struct span rest = recording_caveats(rec);
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct caveat c;

	while (caveat_next(&rest, &c))
		if (c.kind != CAVEAT_NAMES)
			caveat_add(&text, &c);
	caveats_diagnose((struct span){ text.s, text.len }, rec->path, diags);
}

/* The paths of inputs with their names for messages; to be freed. NULL: out of memory */
static struct import_input *name_inputs(const char *const *paths, const char *const *names,
					size_t n)
{
	struct import_input *inputs = calloc(n + 1, sizeof(*inputs));

	for (size_t i = 0; inputs && i < n; i++)
		inputs[i] =
			(struct import_input){ paths[i], names && names[i] ? names[i] : paths[i] };
	return inputs;
}

struct hist_session {
	u64 for_chunks, for_derived; /* bytes of memory that are left */
	struct kept_chunks *chunks;
	struct kept_derived *derived;
};

struct hist_session *hist_session_new(uint64_t bytes)
{
	struct hist_session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	bytes = bytes ?: memory_of_machine() / 4;
	/* intervals take much less than the records of which they are derived, and spare more */
	session->for_derived = bytes / 4;
	session->for_chunks = bytes - session->for_derived;
	session->chunks = kept_chunks_new(&session->for_chunks);
	session->derived = kept_derived_new(&session->for_derived);
	if (!session->chunks || !session->derived) {
		hist_session_free(session);
		return NULL;
	}
	return session;
}

void hist_session_free(struct hist_session *session)
{
	if (!session)
		return;
	kept_derived_free(session->derived);
	kept_chunks_free(session->chunks);
	free(session);
}

/*
 * Convert an input that is not a trace.dat to a temporary one, which must exist only until it is
 * open.
 */
static int open_recordings(struct hist *h, const struct hist_options *options, struct diags *diags)
{
	const struct import_options how = { .kallsyms = options->kallsyms,
					    .formats = options->formats,
					    .codec = CODEC_NONE,
					    .threads = thread_count(options->jobs),
					    .later = true };
	struct hist_options imported = *options;
	struct import_input *inputs =
		name_inputs(options->inputs, options->names, options->n_inputs);
	struct import_paths paths;
	int err;

	if (!inputs)
		return HIST_NOMEM;
	err = import_paths_open(&paths, inputs, options->n_inputs, &how, diags);
	free(inputs);
	if (err)
		return err;
	imported.inputs = paths.paths;
	imported.names = options->names ? options->names : options->inputs;
	h->inexact = paths.result.inexact;
	err = recordings_open(&h->recordings, &imported, diags);
	for (size_t i = 0; i < h->recordings.files.n && !err; i++) {
		struct recording *rec = &h->recordings.files.v[i];

		h->inexact |= import_is_inexact(rec->info->version_text);
		rec->imported_from = paths.origins[i].what;
		rec->imported_bytes = paths.origins[i].bytes;
		if (paths.later[i])
			err = recordings_set_later(&h->recordings, i, paths.later[i]);
		if (!err)
			paths.later[i] = NULL;
		if (!err && h->session)
			err = trace_dat_keep(rec->td, h->session->chunks);
		/* an importer has reported them in its own words */
		if (!rec->imported_from)
			report_caveats(rec, diags);
	}
	import_paths_close(&paths);
	return err;
}

static const char *const *copy_list(struct arena *arena, const char *const *list, size_t n)
{
	const char **copy = arena_alloc(arena, (n + 1) * sizeof(*copy));

	for (size_t i = 0; i < n && copy; i++)
		copy[i] = arena_strdup(arena, list[i]);
	return copy;
}

/* The caller's texts may end when hist_open() does. */
static int copy_texts(struct hist_options *o, struct arena *arena)
{
	const char **const texts[] = { &o->buffer,   &o->cpus,    &o->from, &o->to,   &o->kernel,
				       &o->kallsyms, &o->formats, &o->pids, &o->comm, &o->tree };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		*texts[i] = arena_strdup(arena, *texts[i]);
	o->inputs = copy_list(arena, o->inputs, o->n_inputs);
	o->names = o->names ? copy_list(arena, o->names, o->n_inputs) : NULL;
	return arena->failed ? HIST_NOMEM : 0;
}

int hist_open(const struct hist_options *options, struct hist **h, struct diags *diags)
{
	return hist_session_open(NULL, options, h, diags);
}

int hist_session_open(struct hist_session *session, const struct hist_options *given,
		      struct hist **out, struct diags *diags)
{
	struct directory *dir = calloc(1, sizeof(*dir));
	struct hist_options copy = *given;
	const struct hist_options *options = &copy;
	struct hist *h;
	int err;

	if (!dir)
		return HIST_NOMEM;
	h = &dir->hist;
	*h = (struct hist){ .session = session,
			    .kept = session ? session->derived : NULL,
			    .caveats = STRBUF_INIT,
			    .jobs = options->jobs,
			    .plan = options->plan,
			    .explain = options->explain };
	err = copy_texts(&copy, &dir->texts);
	err = err ?: open_recordings(h, options, diags);
	err = err ?: choose_buffer(h, options->buffer, diags);
	err = err ?: choose_span(h, options, diags);
	err = err ?: tasks_choose(h, options, diags);
	err = err ?: selection_describe(h, options);
	h->recordings.machine.derive = derive_define;
	if (!err)
		h->tracing = tracing_new(&h->recordings.machine, &h->recordings.options);
	if (!err && !h->tracing)
		err = HIST_NOMEM;
	if (err)
		hist_close(h);
	else
		*out = h;
	return err;
}

void hist_host(const struct hist *h, struct hist_host *host)
{
	const struct recording *rec = &h->recordings.files.v[0];
	struct span uname = span_of(rec->info->uname ?: ""), name;
	scoped(strbuf_release) struct strbuf wall = STRBUF_INIT;
	u64 offset;

	span_sep(&uname, " ");
	name = span_sep(&uname, " ");
	*host = (struct hist_host){ .name = "" };
	memcpy(host->name, name.s ?: "", min_t(size_t, name.n, sizeof(host->name) - 1));
	recording_wall_print(rec, &wall);
	if (!wall.len && recordings_wall(&h->recordings, &offset))
		strbuf_addstr(&wall,
			      "times of day as trace-cmd --date stores them, of unknown error");
	memcpy(host->wall, wall.s, min_t(size_t, wall.len, sizeof(host->wall) - 1));
}

void hist_cgroup_depth(struct hist *h, unsigned int depth)
{
	h->cgroup_depth = depth;
}

void hist_cgroup_hierarchy(struct hist *h, unsigned int number)
{
	h->cgroup_hierarchy = number < UINT32_MAX ? number + 1 : 0;
}

void hist_limit_memory(struct hist *h, uint64_t bytes)
{
	h->recordings.options.max_memory = bytes;
	h->tracing->options.max_memory = bytes;
}

int hist_symbol_files(struct hist *h, const struct hist_symbol_files *files)
{
	int err = code_configure(h->recordings.code,
				 &(struct code_settings){ .symfs = files->symfs,
							  .id_cache = files->buildid_dir,
							  .debuginfod = files->debuginfod,
							  .no_inline = files->no_inline });

	for (size_t i = 0; i < h->recordings.files.n && !err; i++)
		err = trace_dat_later_files(h->recordings.files.v[i].td, files->symfs,
					    files->buildid_dir, files->debuginfod);
	return err;
}

void hist_open_intervals(struct hist *h)
{
	h->recordings.options.open_intervals = true;
	h->tracing->options.open_intervals = true;
}

void hist_clip_intervals(struct hist *h)
{
	hist_open_intervals(h);
	h->recordings.options.cut_intervals = true;
	h->tracing->options.cut_intervals = true;
}

void hist_close(struct hist *h)
{
	if (!h)
		return;
	held_events_release(h);
	tracing_free(directory_of(h)->defined);
	if (h->tracing)
		count_free(h->tracing->count);
	tracing_free(h->tracing);
	recordings_close(&h->recordings);
	free(h->recorded);
	strbuf_release(&h->caveats);
	output_release(&directory_of(h)->output);
	arena_release(&directory_of(h)->texts);
	free(directory_of(h));
}

int hist_import_files(const char *const *paths, const char *const *names, size_t n,
		      const struct hist_import_options *options, struct diags *diags)
{
	static const char *const codecs[] = { "none", "zlib", "zstd" };
	struct import_options how = { .kallsyms = options->kallsyms,
				      .formats = options->formats,
				      .codec = CODEC_NONE,
				      .threads = thread_count(0) };
	const struct import_output to = { options->output, -1 };
	struct import_input *inputs;
	struct import_result result;
	size_t i = 0;
	int err;

	while (options->compression && i < ARRAY_SIZE(codecs) &&
	       strcmp(codecs[i], options->compression) != 0)
		i++;
	how.codec = (enum codec)i;
	if (i == ARRAY_SIZE(codecs))
		return diags_error(diags, -HIST_EINVAL,
				   "a compression is none, zlib or zstd, not '%s'",
				   options->compression);
	for (i = 0, err = 0; i < n && !err; i++)
		err = input_file_check_output(paths[i], options->output, diags);
	if (err)
		return err;
	inputs = name_inputs(paths, names, n);
	if (!inputs)
		return HIST_NOMEM;
	err = n > 1 ? import_files(&(struct import_combined){ inputs, n }, &how, &to, &result,
				   diags)
		    : import_file(inputs, &how, &to, &result, diags);
	free(inputs);
	return err ? err : result.cut;
}

int hist_import(const char *path, const char *name, const struct hist_import_options *options,
		struct diags *diags)
{
	return hist_import_files(&path, &name, 1, options, diags);
}

int hist_survive_shrinking(void)
{
	return trace_dat_guard_install();
}

bool hist_input_cut(const struct hist *h)
{
	return replay_input_cut(h);
}

bool hist_doubtful(const struct hist *h)
{
	return h->doubtful || h->inexact;
}

/* --- the tracing directory --- */

/* NOLINTNEXTLINE(readability-function-size): the parameters of write(2) and of every verb */
int hist_write(struct hist *h, const char *path, const void *text, size_t len,
	       enum hist_write_mode mode, struct diags *diags)
{
	const struct file_write write = { .path = path,
					  .text = { text, len },
					  .truncate = mode == HIST_TRUNCATE };

	int err;

	recordings_note_rules(&h->recordings, diags);
	h->recordings.diags = diags;
	err = files_write(h, h->tracing, &write, diags);
	h->recordings.diags = NULL;
	return err;
}

int hist_read(struct hist *h, const char *path, hist_sink_fn sink, void *arg, struct diags *diags)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	int err, end;

	recordings_note_rules(&h->recordings, diags);
	h->recordings.diags = diags;
	err = files_read(h, path, &p, diags);
	h->recordings.diags = NULL;
	end = printer_end(&p);
	return err ? err : end;
}

int hist_replay(struct hist *h, struct diags *diags)
{
	int err;

	recordings_note_rules(&h->recordings, diags);
	h->recordings.diags = diags;
	err = replay_if_needed(h, diags);
	h->recordings.diags = NULL;
	return err;
}

/* --- of libhist 0.2 --- */

int hist_nested_demo(hist_sink_fn sink, void *arg)
{
	(void)sink, (void)arg;
	return -HIST_EUNSUPPORTED;
}

int hist_check_reader(const char *path, const char *name, hist_sink_fn sink, void *arg,
		      struct diags *diags)
{
	(void)path, (void)sink, (void)arg;
	return diags_error(diags, -HIST_EUNSUPPORTED, "%s: this version has only one reader", name);
}
