// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Assembles a trace.dat v7 from the manifest and the per-CPU files of a work directory, whether its
 * recording ended normally or not, and renames it to the user's file name. The data is only read,
 * so it is complete for another attempt after any failure.
 *
 * Passes over the data once with a buffer that fits into the cache. Recording and --recover share
 * this code, so that each recording tests what recovery needs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/assemble.h"
#include "record/blocks.h"
#include "record/cpu_reader.h"
#include "record/missing.h"
#include "record/task_journal.h"

enum { PIECE = 1 << 17 };

struct range {
	u64 from, to;
};

struct job {
	const struct workdir *work;
	const struct assemble_options *options;
	struct assembled *result;
	struct diags *diags;
	struct span manifest;
	struct trace_dat_writer *writer;
	u32 subbuf, cpus;
	u64 ring;
	u64 total;    /* data bytes of all CPUs */
	u64 vanished; /* bytes of the current CPU */
	bool gap;     /* the last sub-buffer of the current CPU has vanished */
	char *piece;
	size_t piece_size;
};

/* --- manifest --- */

/* A NUL-terminated copy of a block of the manifest; to be freed. */
static char *manifest_string(const struct job *job, const char *key)
{
	struct span data = block_find(job->manifest, key);

	return data.s ? strndup(data.s, data.n) : strdup("");
}

static int open_writer(struct job *job, const char *clock, struct diags *diags)
{
	u16 one = 1;
	struct trace_dat_machine machine = {
		.version = 7,
		.codec = (enum trace_dat_codec)block_number(job->manifest, "codec", TRACE_DAT_ZSTD),
		.big_endian = load_u16(&one, false) != 1,
		.long_size = (u32)block_number(job->manifest, "long", sizeof(long)),
		.page_size = job->subbuf,
		.cpu_count = job->cpus,
		.header_page = block_find(job->manifest, "header_page"),
		.header_event = block_find(job->manifest, "header_event"),
		.clock = clock,
		.clocks = block_find(job->manifest, "clocks"),
	};
	const struct out_place place = { .dir = job->work->dir,
					 .name = workdir_file,
					 .path = job->options->output };

	if (job->options->codec)
		machine.codec = *job->options->codec;
	return trace_dat_writer_open_at(&place, &machine, &job->writer, diags);
}

/* A text ends at its first NUL, which may be anywhere in a damaged manifest. */
static int add_text(struct job *job, u16 id, struct span text)
{
	char *copy;
	int err;

	if (!text.s || !text.n)
		return 0;
	copy = strndup(text.s, text.n);
	err = copy ? trace_dat_writer_option(job->writer, id, copy, (u32)strlen(copy) + 1)
		   : -HIST_ENOMEM;
	free(copy);
	return err;
}

static int add_formats(struct job *job)
{
	struct span rest = job->manifest;
	struct manifest_block block;
	int err = 0;

	while (!err && block_next(&rest, &block)) {
		struct span system = block_arg(&block, "format");
		char *name;

		if (!system.n)
			continue;
		name = strndup(system.s, system.n);
		err = name ? trace_dat_writer_format(job->writer, name, block.data) : -HIST_ENOMEM;
		free(name);
	}
	return err;
}

static int add_sections(struct job *job)
{
	const struct {
		enum trace_dat_option_id id;
		const char *key;
	} sections[] = {
		{ TRACE_DAT_KALLSYMS, "kallsyms" },
		{ TRACE_DAT_PRINTK, "printk" },
		{ TRACE_DAT_CMDLINES, "cmdlines" },
	};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(sections); i++) {
		struct span text = block_find(job->manifest, sections[i].key);

		if (text.s)
			err = trace_dat_writer_section(job->writer, sections[i].id, text);
	}
	return err;
}

/* One option per CPU, after a line that names the instance, in trace-cmd's format. */
static int add_stats(struct job *job, const char *instance)
{
	struct strbuf sb = STRBUF_INIT;
	int err = 0;

	if (*instance)
		strbuf_addf(&sb, "\nBuffer: %s\n\n", instance);
	if (*instance && !sb.failed)
		err = add_text(job, TRACE_DAT_CPUSTAT, (struct span){ sb.s, sb.len });
	for (u32 cpu = 0; !err && cpu < job->cpus; cpu++) {
		char key[24];
		struct span text;

		snprintf(key, sizeof(key), "stats %u", cpu);
		text = block_find(job->manifest, key);
		if (!text.s)
			continue;
		strbuf_reset(&sb);
		strbuf_addf(&sb, "CPU: %u\n%.*s", cpu, (int)text.n, text.s);
		err = sb.failed ? -HIST_ENOMEM
				: add_text(job, TRACE_DAT_CPUSTAT, (struct span){ sb.s, sb.len });
	}
	strbuf_release(&sb);
	return err;
}

/* Add output of the kernel, as PATH NUL TEXT NUL. */
static int add_live(struct job *job)
{
	struct span rest = job->manifest;
	struct strbuf sb = STRBUF_INIT;
	struct manifest_block block;
	int err = 0;

	while (!err && block_next(&rest, &block)) {
		struct span path = block_arg(&block, "live");

		if (!path.n)
			continue;
		strbuf_reset(&sb);
		strbuf_add(&sb, path.s, path.n);
		strbuf_add(&sb, "", 1);
		strbuf_add(&sb, block.data.s, block.data.n);
		strbuf_add(&sb, "", 1);
		err = sb.failed ? -HIST_ENOMEM
				: trace_dat_writer_option(job->writer, TRACE_DAT_HIST_LIVE, sb.s,
							  (u32)sb.len);
	}
	strbuf_release(&sb);
	return err;
}

static int add_limits(struct job *job)
{
	struct span limits = block_find(job->manifest, "limits");
	struct span stopped = block_find(job->manifest, "stopped");
	struct strbuf sb = STRBUF_INIT;
	int err;

	if (limits.s)
		strbuf_add(&sb, limits.s, limits.n);
	if (stopped.s)
		strbuf_addf(&sb, "stopped %.*s\n", (int)stopped.n, stopped.s);
	err = sb.failed ? -HIST_ENOMEM
			: add_text(job, TRACE_DAT_HIST_LIMITS, (struct span){ sb.s, sb.len });
	strbuf_release(&sb);
	return err;
}

/* Events that are or may be missing, after a kill or an error. */
static int add_caveats(struct job *job)
{
	const struct missing m = { .work = job->work,
				   .manifest = job->manifest,
				   .subbuf = job->subbuf,
				   .cpus = job->cpus,
				   .ring = job->ring };
	struct strbuf text = STRBUF_INIT;
	int err = missing_find(&m, &text, job->diags);

	if (!err && text.failed)
		err = -HIST_ENOMEM;
	if (!err)
		err = add_text(job, TRACE_DAT_HIST_CAVEATS, (struct span){ text.s, text.len });
	strbuf_release(&text);
	return err;
}

static int add_options(struct job *job, const char *instance)
{
	u64 id;
	int err = add_text(job, TRACE_DAT_UNAME, block_find(job->manifest, "uname"));

	if (!err)
		err = add_text(job, TRACE_DAT_VERSION, block_find(job->manifest, "version"));
	if (!err && getrandom(&id, sizeof(id), 0) == sizeof(id))
		err = trace_dat_writer_option(job->writer, TRACE_DAT_TRACEID, &id, sizeof(id));
	if (!err)
		err = add_stats(job, instance);
	if (!err)
		err = add_text(job, TRACE_DAT_HIST_SCRIPT, block_find(job->manifest, "script"));
	if (!err)
		err = add_live(job);
	if (!err)
		err = add_limits(job);
	if (!err)
		err = tasks_write(job->work, job->manifest, job->writer);
	return err ? err : add_caveats(job);
}

/* --- data --- */

/* Report a read error here, because all other errors are attributed to the output file. */
static int cannot_read(const struct job *job, u32 cpu, int why)
{
	errno = why;
	return diags_error(job->diags, -HIST_EIO, "cannot read %s/cpu%u: %s", job->work->path, cpu,
			   strerror(why));
}

/*
 * Sub-buffers of the kernel have a time stamp; a part of a file that was truncated while it was
 * written to contains zeros.
 */
static bool has_vanished(const char *subbuf)
{
	static const char zeros[16];

	return !memcmp(subbuf, zeros, sizeof(zeros));
}

/* Write one sub-buffer of zeros for all consecutive ones, which readers of the file report as
 * damage. */
static int write_gap(struct job *job, u64 bytes)
{
	char *zeros;
	int err = 0;

	job->vanished += bytes;
	if (job->gap || !bytes)
		return 0;
	zeros = calloc(1, job->subbuf);
	err = zeros ? trace_dat_writer_pages(job->writer, zeros, 1) : -HIST_ENOMEM;
	free(zeros);
	job->gap = true;
	return err;
}

/* Write the first @n sub-buffers of the piece. */
static int write_subbufs(struct job *job, size_t n)
{
	const char *at = job->piece, *end = at + n * job->subbuf;
	int err = 0;

	while (!err && at < end) {
		const bool gone = has_vanished(at);
		const char *to = at;

		while (to < end && has_vanished(to) == gone)
			to += job->subbuf;
		if (gone) {
			err = write_gap(job, (u64)(to - at));
		} else {
			err = trace_dat_writer_pages(job->writer, at,
						     (size_t)(to - at) / job->subbuf);
			job->gap = false;
		}
		at = to;
	}
	return err;
}

/* Copy @fd, the data of @cpu. */
static int copy_range(struct job *job, u32 cpu, int fd, struct range range)
{
	u64 from = range.from, to = range.to;

	while (from < to) {
		size_t n = min_t(u64, job->piece_size, to - from);
		ssize_t got = fd_pread(fd, job->piece, n, from);
		int err;

		if (got != (ssize_t)n)
			return cannot_read(job, cpu, got < 0 ? errno : EIO);
		err = write_subbufs(job, n / job->subbuf);
		if (err)
			return err;
		from += n;
		job->result->bytes += n;
		if (job->options->step &&
		    job->options->step(job->options->arg, job->result->bytes, job->total))
			return 1;
	}
	return 0;
}

/* Open the data of @cpu and get its size; *@fd is -1 if there is no data. */
static int open_cpu(const struct job *job, u32 cpu, int *fd, u64 *size)
{
	struct stat st;

	*size = 0;
	*fd = workdir_cpu(job->work, cpu, O_RDONLY);
	if (*fd < 0)
		return errno == ENOENT ? 0 : cannot_read(job, cpu, errno);
	if (fstat(*fd, &st)) {
		int why = errno;

		close(*fd);
		return cannot_read(job, cpu, why);
	}
	*size = (u64)st.st_size / job->subbuf * job->subbuf;
	return 0;
}

/* Size that the file of @cpu had after the recording; 0: unknown, as the recording was killed. */
static u64 recorded_size(const struct job *job, u32 cpu)
{
	char key[24];

	snprintf(key, sizeof(key), "size %u", cpu);
	return block_number(job->manifest, key, 0);
}

static void report_vanished(struct job *job, u32 cpu)
{
	job->result->vanished += job->vanished;
	if (job->vanished)
		diags_error(job->diags, 0,
			    "another program changed %s/cpu%u: %llu bytes of events are missing",
			    job->work->path, cpu, (unsigned long long)job->vanished);
}

static int copy_whole(struct job *job, u32 cpu, int fd, u64 size)
{
	u64 start = 0, wanted = recorded_size(job, cpu);
	int err = 0;

	if (job->ring && size >= job->ring &&
	    reader_ring_start(fd, size / job->subbuf, job->subbuf, &start))
		return cannot_read(job, cpu, errno);
	start *= job->subbuf;
	job->vanished = 0;
	job->gap = false;
	err = trace_dat_writer_cpu(job->writer, cpu);
	if (!err)
		err = copy_range(job, cpu, fd, (struct range){ start, size });
	if (!err)
		err = copy_range(job, cpu, fd, (struct range){ 0, start });
	if (!err && size < wanted)
		err = write_gap(job, wanted - size);
	if (!err)
		report_vanished(job, cpu);
	job->result->n_cpus++;
	return err;
}

static int copy_cpu(struct job *job, u32 cpu)
{
	u64 size;
	int fd, err = open_cpu(job, cpu, &fd, &size);

	if (err)
		return err;
	if (size || recorded_size(job, cpu))
		err = copy_whole(job, cpu, fd, size);
	if (fd >= 0)
		close(fd);
	return err;
}

static int copy_data(struct job *job, const char *instance, const char *clock)
{
	int err = trace_dat_writer_buffer(job->writer, "", clock, job->subbuf);

	if (!err && *instance)
		err = trace_dat_writer_buffer(job->writer, instance, clock, job->subbuf);
	for (u32 cpu = 0; !err && cpu < job->cpus; cpu++)
		err = copy_cpu(job, cpu);
	return err;
}

/* --- output file --- */

/* A file system that cannot sync directories makes names durable by other means. */
static int sync_dir(int dir)
{
	if (fsync(dir) == 0 || errno == EINVAL || errno == EBADF || errno == ENOTSUP)
		return 0;
	return -1;
}

/*
 * Rename the complete file to its final name; an existing file becomes OUTPUT.old. A symbolic link
 * is renamed itself: its target may still be needed.
 */
static int publish(const struct job *job, struct diags *diags)
{
	const char *output = job->options->output, *name = workdir_base(output);
	const struct workdir *w = job->work;
	struct strbuf old = STRBUF_INIT;
	struct stat st;
	int err = 0;

	strbuf_addf(&old, "%s.old", name);
	if (old.failed)
		err = -HIST_ENOMEM;
	else if (fstatat(w->parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
		err = diags_error(diags, -HIST_EINVAL, "%s is a directory", output);
	else if (renameat(w->parent, name, w->parent, old.s) && errno != ENOENT)
		err = diags_error(diags, -HIST_EIO, "cannot rename %s to %s.old: %s", output,
				  output, strerror(errno));
	else if (renameat(w->dir, workdir_file, w->parent, name))
		err = diags_error(diags, -HIST_EIO, "cannot rename %s/%s: %s", w->path,
				  workdir_file, strerror(errno));
	else if (sync_dir(w->parent))
		err = diags_error(diags, -HIST_EIO, "cannot write the directory of %s: %s", output,
				  strerror(errno));
	strbuf_release(&old);
	return err;
}

static int finish(struct job *job, struct diags *diags)
{
	struct trace_dat_writer *writer = job->writer;
	struct stat st;
	int err;

	job->writer = NULL;
	err = trace_dat_writer_finish(writer, diags);
	if (!err && fstatat(job->work->dir, workdir_file, &st, AT_SYMLINK_NOFOLLOW) == 0)
		job->result->file_size = (u64)st.st_size;
	return err ? err : publish(job, diags);
}

static int write_file(struct job *job, struct diags *diags)
{
	char *clock = manifest_string(job, "clock"), *instance = manifest_string(job, "buffer");
	int err = clock && instance ? open_writer(job, clock, diags) : -HIST_ENOMEM;

	if (!err)
		err = add_formats(job);
	if (!err)
		err = add_sections(job);
	if (!err)
		err = add_options(job, instance);
	if (!err)
		err = copy_data(job, instance, clock);
	free(clock);
	free(instance);
	if (!err)
		return finish(job, diags);
	if (job->writer) {
		int why = errno;

		trace_dat_writer_abort(job->writer);
		errno = why;
	}
	return err;
}

static int manifest_damaged(const struct job *job)
{
	return diags_error(job->diags, -HIST_EFORMAT,
			   "%s/manifest is damaged; the data is not touched", job->work->path);
}

static int job_init(struct job *job, struct span manifest)
{
	u64 subbuf = block_number(manifest, "subbuf", 0), cpus = block_number(manifest, "cpus", 0);

	if (!block_find(manifest, "ready").s || subbuf < 64 || subbuf > 1u << 28 || !cpus ||
	    cpus > 1u << 20)
		return manifest_damaged(job);
	job->manifest = manifest;
	job->subbuf = (u32)subbuf;
	job->cpus = (u32)cpus;
	job->ring = block_number(manifest, "max", 0);
	job->piece_size = subbuf < PIECE ? PIECE / subbuf * subbuf : subbuf;
	job->piece = malloc(job->piece_size);
	return job->piece ? 0 : -HIST_ENOMEM;
}

/* All data must be of a CPU that the manifest counts, because the others would be removed. */
static int find_total(struct job *job)
{
	bool more = false;
	int err = workdir_has_data(job->work, job->cpus, &more);

	if (more)
		err = manifest_damaged(job);

	for (u32 cpu = 0; !err && cpu < job->cpus; cpu++) {
		u64 size;
		int fd;

		err = open_cpu(job, cpu, &fd, &size);
		if (!err && fd >= 0)
			close(fd);
		job->total += size;
	}
	return err;
}

int assemble(const struct workdir *w, const struct assemble_options *options,
	     struct assembled *result, struct diags *diags)
{
	struct job job = { .work = w, .options = options, .result = result, .diags = diags };
	struct strbuf manifest = STRBUF_INIT;
	size_t before = diags->list.n;
	int err = workdir_manifest(w, &manifest), why;

	*result = (struct assembled){ .bytes = 0 };
	if (!err)
		err = job_init(&job, (struct span){ manifest.s, manifest.len });
	if (!err)
		err = find_total(&job);
	if (!err) {
		workdir_unreserve(w);
		err = write_file(&job, diags);
	}
	why = errno;
	if (err < 0 && !diags_has_error(diags, before))
		diags_error(diags, 0, "cannot write %s: %s", options->output,
			    err == -HIST_ENOMEM ? strerror(ENOMEM) : strerror(why));
	free(job.piece);
	strbuf_release(&manifest);
	errno = why;
	return err;
}
