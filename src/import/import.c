// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the importer for a file by its first bytes and runs it into a sink.
 *
 * Sub-buffers first have the size that most kernels use. If a record is longer, the input is
 * imported again with larger sub-buffers.
 */
#include <fcntl.h>
#include <unistd.h>

#include "import/apart.h"
#include "import/guest.h"
#include "import/inflate.h"
#include "import/tar.h"

enum { SUBBUF = 4096, SUBBUF_LARGE = 1 << 17 };

/* What is packed is imported by the importer of it, see import_tar(). */
static const struct importer tar = { .what = "tar archive", .recognises = tar_recognises };

static bool is_gzip(struct span head)
{
	return span_starts(head, "\x1f\x8b");
}

/* See import_gzip(). */
static const struct importer gzip = { .what = "gzip", .recognises = is_gzip };

static const struct importer *const importers[] = {
	&gzip, &import_perf, &import_perfetto, &import_tracedir, &import_ctf, &import_text, &tar
};

static const char magic[] = "\x17\x08\x44tracing"; /* of a trace.dat */

static const struct importer *importer_of(struct span head)
{
	/* the formats in a trace.dat may contain any text */
	for (size_t i = 0; i < ARRAY_SIZE(importers) && !span_starts(head, magic); i++)
		if (importers[i]->recognises && importers[i]->recognises(head))
			return importers[i];
	return NULL;
}

bool import_recognises(struct span head)
{
	return importer_of(head) != NULL;
}

static const struct importer *importer_of_path(const char *path)
{
	char head[IMPORT_HEAD];
	ssize_t n = dir_read_head(path, head, sizeof(head));
	bool is_dir = n < 0 && errno == EISDIR;

	if (n > 0)
		return importer_of((struct span){ head, (size_t)n });
	for (size_t i = 0; is_dir && i < ARRAY_SIZE(importers); i++)
		if (importers[i]->recognises_dir && importers[i]->recognises_dir(path))
			return importers[i];
	return NULL;
}

bool import_recognises_path(const char *path)
{
	return importer_of_path(path) != NULL;
}

bool import_is_trace_dat(const char *path)
{
	char head[sizeof(magic) - 1];

	return dir_read_head(path, head, sizeof(head)) == (ssize_t)sizeof(head) &&
	       !memcmp(head, magic, sizeof(head));
}

/*
 * The VERSION option of an inexact file, by which later readers recognise it; trace-cmd prints it.
 */
static const char inexact[] = "hist import, inexact: fields were guessed from a text";

bool import_is_inexact(const char *version)
{
	return version && !strcmp(version, inexact);
}

static int run(const struct importer *importer, struct import_job *job,
	       const struct import_output *to)
{
	struct format_list more = { .arena = ARENA_INIT };
	struct strbuf *caveats = &job->sink->caveats;
	int err = importer->run(job);

	if (!err && job->options->formats && !job->guest && !job->combined)
		err = format_list_load(&more, job->options->formats, job->diags);
	for (size_t i = 0; i < more.list.n && !err; i++)
		err = import_sink_format(job->sink, more.list.v[i].system, more.list.v[i].text);
	format_list_release(&more);
	if (!err && job->result->cut &&
	    !caveat_find(strbuf_span(caveats), CAVEAT_DAMAGED, NULL, NULL))
		caveat_add(caveats, &(struct caveat){ .kind = CAVEAT_DAMAGED, .n = 1 });
	if (!err && job->result->inexact)
		err = import_sink_option(job->sink, TRACE_DAT_VERSION,
					 (struct span){ inexact, sizeof(inexact) });
	return err ?: import_sink_write(job->sink, job, to);
}

/* Import again if a record does not fit into a sub-buffer, or the data of a CPU into its region. */
static int import_run(const struct importer *importer, struct import_job *job,
		      const struct import_output *to)
{
	size_t before = job->diags->list.n;
	bool direct = !to->path && job->options->codec == CODEC_NONE;
	u32 subbuf = SUBBUF;
	int err;

	for (;;) {
		bool was_direct = direct;

		*job->result = (struct import_result){ .what = importer->what };
		job->sink = import_sink_new(subbuf, direct ? to->fd : -1);
		if (!job->sink)
			err = HIST_NOMEM;
		else if (importer->apart)
			err = import_run_apart(importer, job, to, run);
		else
			err = run(importer, job, to);
		if (job->sink && job->sink->cpus.overran)
			direct = false;
		import_sink_free(job->sink);
		if (err != -HIST_ELIMIT || (direct == was_direct && subbuf == SUBBUF_LARGE))
			break;
		if (direct == was_direct)
			subbuf = SUBBUF_LARGE;
		job->diags->list.n = before;
		if (!to->path && ftruncate(to->fd, 0)) {
			err = -HIST_EIO;
			break;
		}
	}
	if (err && !diags_has_error(job->diags, before))
		diags_error(job->diags, err, "%s: cannot import: %s", job->in->name,
			    err == -HIST_EIO && errno ? strerror(errno) : hist_strerror(err));
	return err;
}

static int no_file(const struct import_job *job)
{
	return diags_error(job->diags, -HIST_EIO, "%s: cannot create a temporary file: %s",
			   job->in->name, strerror(errno));
}

int import_run_open(const struct importer *importer, struct import_job *job, u64 bytes,
		    struct trace_dat **made)
{
	const struct import_output to = { NULL, spool_open(bytes) };
	char path[64];
	int err;

	if (to.fd < 0)
		return no_file(job);
	err = import_run(importer, job, &to);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", to.fd);
	err = err ?: trace_dat_open_as(path, job->in->name, made, job->diags);
	close(to.fd);
	return err;
}

/* The first directory at or below @path that can be imported becomes @path; false: none. */
static bool find_dir(struct strbuf *path, int depth)
{
	enum { DEPTH = 8 };
	const size_t len = path->len;
	scoped(dir_names_release) struct dir_names names = { NULL, 0 };
	bool found = !path->failed && importer_of_path(path->s);

	if (!found && depth < DEPTH)
		names = dir_names_of(path->s);
	for (int i = 0; i < names.n && !found; i++) {
		path->len = len;
		strbuf_addf(path, "/%s", names.v[i]->d_name);
		found = names.v[i]->d_type == DT_DIR && find_dir(path, depth + 1);
	}
	return found;
}

static int import_known(struct import_job *job, const struct import_output *to);

/* Import the directory that is packed. */
static int import_tar(struct import_job *job, const struct import_output *to)
{
	const struct import_input *packed = job->in;
	struct import_input in = { .name = packed->name };
	struct tar_dir dir = TAR_DIR_INIT;
	scoped(strbuf_release) struct strbuf found = STRBUF_INIT;
	int err = tar_unpack(packed, &dir, job->diags);

	strbuf_add(&found, dir.path.s, dir.path.len);
	if (!err && !find_dir(&found, 0))
		err = diags_error(
			job->diags, -HIST_ENOTTRACE,
			"%s: is a tar archive without a copy of the tracing directory or a "
			"CTF trace; unpack it, and name one of its files",
			in.name);
	in.path = found.s;
	job->in = &in;
	err = err ?: import_known(job, to);
	job->in = packed;
	tar_remove(&dir);
	return err;
}

/* Import what is compressed. A trace.dat is only inflated. */
static int import_gzip(struct import_job *job, const struct import_output *to)
{
	const struct import_input *packed = job->in;
	struct import_job inner = *job;
	struct import_input in = { .name = packed->name };
	struct inflated out;
	struct mapped m;
	int err = mapped_open_path(&m, packed->path, packed->name, job->diags);
	bool complete = false;
	char path[64];

	if (err)
		return err;
	if (inflated_open(&out, m.size)) {
		mapped_close(&m);
		return no_file(job);
	}
	err = inflate_stream((struct span){ (const char *)m.p, m.size }, INFLATE_GZIP, inflated_put,
			     &out, &complete);
	err = err ?: fflush(out.file) ? -HIST_EIO : 0;
	mapped_close(&m);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(out.file));
	in.path = path;
	inner.in = &in;
	inner.later = NULL; /* it would read the file when this is closed */
	if (err || !out.n)
		err = diags_error(
			job->diags, err ?: -HIST_EFORMAT, "%s: cannot inflate: %s", in.name,
			err == -HIST_EIO ? strerror(errno) : "the gzip stream is damaged");
	else if (!complete)
		diags_add(job->diags, DIAG_WARNING,
			  "%s: the gzip stream is cut or damaged; what comes before is used",
			  in.name);
	if (!err && importer_of_path(path) == &gzip)
		err = diags_error(job->diags, -HIST_ENOTTRACE, "%s: is compressed twice", in.name);
	if (!err && !to->path && import_is_trace_dat(path))
		err = dup3(fileno(out.file), to->fd, O_CLOEXEC) < 0 ? no_file(job) : 0;
	else
		err = err ?: import_known(&inner, to);
	job->result->cut |= !complete;
	fclose(out.file);
	return err;
}

static int import_known(struct import_job *job, const struct import_output *to)
{
	const struct importer *importer = importer_of_path(job->in->path);
	const struct import_input *in = job->in;

	if (!importer && access(in->path, R_OK))
		return diags_error(job->diags, errno == ENOENT ? -HIST_ENOENT : -HIST_EIO,
				   "%s: cannot open: %s", in->name, strerror(errno));
	if (importer == &tar)
		return import_tar(job, to);
	if (importer == &gzip)
		return import_gzip(job, to);
	if (!importer && import_is_trace_dat(in->path))
		return diags_error(
			job->diags, -HIST_EINVAL,
			"%s: is already a trace.dat; hist slim makes a smaller one, "
			"hist events --format perfetto, csv or parquet writes other formats",
			in->name);
	if (!importer) {
		char head[FILE_KIND_HEAD];
		ssize_t n = dir_read_head(in->path, head, sizeof(head));
		const char *what = n ? NULL : "is empty";

		if (n > 0)
			what = file_kind((struct span){ head, (size_t)n });
		return diags_error(job->diags, -HIST_ENOTTRACE, "%s: %s", in->name,
				   what ? what : "is not in a format that can be imported");
	}
	return import_run(importer, job, to);
}

int import_file(const struct import_input *in, const struct import_options *options,
		const struct import_output *to, struct import_result *result, struct diags *diags)
{
	struct import_job job = { .in = in, .options = options, .result = result, .diags = diags };

	*result = (struct import_result){ .what = NULL };
	return import_known(&job, to);
}

/* --- replacing paths --- */

static int import_path(struct import_paths *p, size_t i, struct import_job *job)
{
	struct stat st = { .st_size = 0 };
	/* a directory may be large: its size is not known */
	bool known = !stat(job->in->path, &st) && S_ISREG(st.st_mode);
	const struct import_output to = { NULL, spool_open(known ? (u64)st.st_size : UINT64_MAX) };
	struct import_result result = { .what = NULL };
	int fd = to.fd, err;

	if (fd < 0)
		return no_file(job);
	if (array_push(&p->fds, fd)) {
		close(fd);
		return HIST_NOMEM;
	}
	job->result = &result;
	err = job->guest ? import_run(&import_guest, job, &to) : import_known(job, &to);
	job->result = NULL;
	if (err)
		return err;
	p->result.cut |= result.cut;
	p->result.inexact |= result.inexact;
	p->origins[i].what = result.what;
	p->origins[i].bytes = known ? (u64)st.st_size : dir_bytes(job->in->path);
	p->paths[i] = arena_printf(&p->arena, "/proc/self/fd/%d", fd);
	return p->paths[i] ? 0 : HIST_NOMEM;
}

/* Import one input. A guest gets the CPUs from @cpus on; @cpus is advanced by their number. */
static int import_one(struct import_paths *p, const struct import_input *inputs, size_t n,
		      struct import_job *job, u32 *cpus)
{
	size_t i = (size_t)(job->in - inputs);
	struct guest guest = { .first_cpu = *cpus };
	int err;

	if (import_recognises_path(job->in->path))
		return import_path(p, i, job);
	err = guest_find(inputs, n, i, &guest, &p->arena);
	if (err)
		return err == 1 ? 0 : err;
	job->guest = &guest;
	err = import_path(p, i, job);
	job->guest = NULL;
	*cpus += guest.cpu_count;
	return err;
}

/* Options that only an import uses, if nothing was imported. */
static void warn_unused(const struct import_paths *p, size_t n,
			const struct import_options *options, struct diags *diags)
{
	for (size_t i = 0; i < n; i++)
		if (p->origins[i].what)
			return;
	if (options->kallsyms && n)
		diags_add(
			diags, DIAG_WARNING,
			"%s is not read: a trace.dat has its own symbols, --kallsyms is for imports",
			options->kallsyms);
	if (options->formats && n)
		diags_add(
			diags, DIAG_WARNING,
			"%s is not read: a trace.dat has its own formats, --formats is for imports",
			options->formats);
}

int import_paths_open(struct import_paths *p, const struct import_input *inputs, size_t n,
		      const struct import_options *options, struct diags *diags)
{
	u32 cpus = n > 1 ? guest_host_cpus(inputs, n) : 0;
	int err = 0;

	*p = (struct import_paths){ .arena = ARENA_INIT };
	p->paths = arena_alloc(&p->arena, (n + 1) * sizeof(*p->paths));
	p->origins = arena_alloc(&p->arena, (n + 1) * sizeof(*p->origins));
	p->later = arena_alloc(&p->arena, (n + 1) * sizeof(*p->later));
	p->n = n;
	if (!p->paths || !p->origins || !p->later) {
		import_paths_close(p);
		return HIST_NOMEM;
	}
	for (size_t i = 0; i < n && !err; i++) {
		struct import_job job = { .in = &inputs[i],
					  .options = options,
					  .diags = diags,
					  .later = options->later ? &p->later[i] : NULL };

		p->paths[i] = inputs[i].path;
		p->origins[i] = (struct import_origin){ .what = NULL };
		err = import_one(p, inputs, n, &job, &cpus);
	}
	if (err)
		import_paths_close(p);
	else
		warn_unused(p, n, options, diags);
	return err;
}

int import_files(const struct import_combined *in, const struct import_options *options,
		 const struct import_output *to, struct import_result *result, struct diags *diags)
{
	scoped(free_scoped) struct import_input *files = calloc(in->n, sizeof(*files));
	struct import_combined combined = { files, in->n };
	struct import_job job = { .in = files,
				  .options = options,
				  .result = result,
				  .diags = diags,
				  .combined = &combined };
	struct import_paths paths;
	int err = files ? import_paths_open(&paths, in->inputs, in->n, options, diags) : HIST_NOMEM;

	if (!err) {
		for (size_t i = 0; i < in->n; i++)
			files[i] = (struct import_input){ paths.paths[i], in->inputs[i].name };
		err = import_run(&import_combine, &job, to);
		result->cut |= paths.result.cut;
		result->inexact |= paths.result.inexact;
		import_paths_close(&paths);
	}
	return err;
}

void import_paths_close(struct import_paths *p)
{
	for (size_t i = 0; i < p->fds.n; i++)
		close(p->fds.v[i]);
	for (size_t i = 0; p->later && i < p->n; i++)
		if (p->later[i])
			p->later[i]->free(p->later[i]);
	array_release(&p->fds);
	arena_release(&p->arena);
}
