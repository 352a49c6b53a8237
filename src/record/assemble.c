// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Assembles a trace.dat v7 from the manifest and the per-CPU files of a work directory, whether its
 * recording ended normally or not, and renames it to the user's file name. The data is only read,
 * so it is complete for another attempt after any failure.
 *
 * Passes over the data once with a buffer that fits into the cache. Recording and --recover share
 * this code, so that each recording tests what recovery needs.
 */
#include "record/assemble.h"
#include "record/steps.h"
#include "record/task_journal.h"

enum { PIECE = 1 << 17 };

struct job {
	const struct workdir *work;
	const struct assemble_options *options;
	struct assembled *result;
	struct diags *diags;
	struct description meta;
	struct trace_dat_writer *writer;
	u32 subbuf;
	u64 total;    /* data bytes of all CPUs */
	u64 vanished; /* bytes of the current CPU */
	bool gap;     /* the last sub-buffer of the current CPU has vanished */
	char *piece;
	size_t piece_size;
};

/* --- data --- */

/* Report a read error here, because all other errors are attributed to the output file. */
static int cannot_read(const struct job *job, u32 cpu, int why)
{
	errno = why;
	return diags_error(job->diags, -HIST_EIO, "cannot read %s/cpu%u: %s", job->work->path, cpu,
			   strerror(why));
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
	/*
	 * Sub-buffers of the kernel have a time stamp; a part of a file that was truncated while it
	 * was written contains zeros.
	 */
	static const char zeros[16];
	const char *at = job->piece, *end = at + n * job->subbuf;
	int err = 0;

	while (!err && at < end) {
		const bool gone = !memcmp(at, zeros, sizeof(zeros));
		const char *to = at;

		while (to < end && !memcmp(to, zeros, sizeof(zeros)) == gone)
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
static int copy_range(struct job *job, u32 cpu, int fd, u64 from, u64 to)
{
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
		fd_close(*fd);
		return cannot_read(job, cpu, errno);
	}
	*size = (u64)st.st_size / job->subbuf * job->subbuf;
	return 0;
}

struct subbuf {
	u64 stamp, at;
};

DEFINE_ORDER(by_stamp, struct subbuf, cmp_int(x->stamp, y->stamp) ?: cmp_int(x->at, y->at))

/* Where the data of a CPU begins that is in no file yet. */
static u64 find_begin(const struct job *job, u32 cpu)
{
	struct manifest_block block;
	struct span lines = description_cuts(job->meta.text, &block) ? block.data : span_of("");
	u64 number, at;

	while (lines.n) {
		struct span line = span_sep(&lines, "\n"), first = span_sep(&line, " ");

		if (span_u64(first, &number) && number == cpu && span_u64(line, &at))
			return at;
	}
	return 0;
}

/* The next sub-buffer from @at on; files of which parts were dropped are mostly holes. */
static u64 skip_hole(const struct job *job, int fd, u64 at)
{
	off_t data = lseek(fd, (off_t)at, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? UINT64_MAX - job->subbuf : at;
	return (u64)data / job->subbuf * job->subbuf;
}

/*
 * Copy the sub-buffers that a killed recording kept, in the order of their times, or of their
 * places if they are in a line.
 */
static int copy_slots(struct job *job, u32 cpu, int fd, u64 size)
{
	scoped(free_scoped) ARRAY(struct subbuf) found = ARRAY_INIT;
	const u64 slot = (u64)job->subbuf * KEPT_SLOT_SUBBUFS, begin = find_begin(job, cpu);
	u64 last = 0;
	int err = 0;

	for (u64 at = skip_hole(job, fd, 0); at < size && !err;
	     at = skip_hole(job, fd, at + job->subbuf)) {
		struct subbuf s = { .at = at };
		ssize_t got = fd_pread(fd, &s.stamp, sizeof(s.stamp), at);

		if (got != sizeof(s.stamp))
			err = cannot_read(job, cpu, got < 0 ? errno : EIO);
		if (s.stamp && job->meta.rotated) {
			/* what is before it is in the last file; the rest of the kernel comes last
			 */
			s.stamp = at < KEPT_WRAP ? (at - begin) % KEPT_WRAP + 1 : at;
			s.stamp = s.stamp > KEPT_WRAP / 2 && at < KEPT_WRAP ? 0 : s.stamp;
			last = 0;
		}
		last = at % slot ? last : 0;
		/*
		 * 0: nothing was written there; the slot that was being filled still has the rest
		 * of an old one, whose first part is gone
		 */
		if (!err && s.stamp && s.stamp >= last)
			err = array_push(&found, s);
		last = max_t(u64, last, s.stamp);
	}
	if (found.n)
		qsort(found.v, found.n, sizeof(found.v[0]), by_stamp);
	for (size_t i = 0, n; i < found.n && !err; i += n) {
		u64 at = found.v[i].at;

		for (n = 1; i + n < found.n && found.v[i + n].at == at + n * job->subbuf;)
			n++;
		err = copy_range(job, cpu, fd, at, at + n * job->subbuf);
	}
	return err;
}

static int copy_cpu(struct job *job, u32 cpu)
{
	u64 start = 0, size, wanted = 0;
	int fd, err = open_cpu(job, cpu, &fd, &size);

	if (err)
		return err;
	/* the size after the recording; unknown if it was killed */
	span_u64(description_of_cpu(&job->meta, "size", cpu), &wanted);
	if (!size && !wanted) {
		fd_close(fd);
		return 0;
	}
	if (job->meta.ring && size >= job->meta.ring &&
	    reader_ring_start(fd, size / job->subbuf, job->subbuf, &start))
		err = cannot_read(job, cpu, errno);
	start *= job->subbuf;
	job->vanished = 0;
	job->gap = false;
	err = err ?: trace_dat_writer_cpu(job->writer, cpu);
	if (!err && job->meta.kept) {
		err = copy_slots(job, cpu, fd, size);
		wanted = start = 0;
	} else if (!err)
		err = copy_range(job, cpu, fd, start, size);
	err = err ?: copy_range(job, cpu, fd, 0, start);
	if (!err && size < wanted)
		err = write_gap(job, wanted - size);
	if (!err && job->vanished)
		diags_error(job->diags, 0,
			    "another program changed %s/cpu%u: %llu bytes of events are missing",
			    job->work->path, cpu, job->vanished);
	job->result->vanished += job->vanished;
	job->result->n_cpus++;
	fd_close(fd);
	return err;
}

/* --- data of a cut --- */

/* What belongs to the cut is still in place, because it is needed (kept_limit()). */
static int copy_kept(struct job *job, size_t i)
{
	struct kept *kept = job->options->cut->kept;
	struct kept_range part = job->options->cut->parts[i];
	const u32 cpu = kept->cpus[i].cpu;
	int err = 0;

	if (part.from == part.to)
		return 0;
	job->gap = false;
	err = trace_dat_writer_cpu(job->writer, cpu);
	while (!err && part.from < part.to) {
		u64 at, n = kept_find(kept, i, part.from, part.to - part.from, &at);

		if (n)
			err = copy_range(job, cpu, kept->cpus[i].fd, at, at + n * job->subbuf);
		else
			err = write_gap(job, job->subbuf);
		part.from += n ? n : 1;
	}
	job->result->n_cpus++;
	return err;
}

/* --- output file --- */

/* A symbolic link is renamed itself: its target may still be needed. */
int assemble_publish(const struct workdir *w, const char *output, struct diags *diags)
{
	const char *name = path_base(output);
	scoped(strbuf_release) struct strbuf old = STRBUF_INIT;
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
	/* a file system that cannot sync directories makes names durable by other means */
	else if (fsync(w->parent) && errno != EINVAL && errno != EBADF && errno != ENOTSUP)
		err = diags_error(diags, -HIST_EIO, "cannot write the directory of %s: %s", output,
				  strerror(errno));
	return err;
}

/*
 * The file is complete, but has no name yet. If this process is killed from now on, the recovery
 * gives it its name, and its events belong to no other file.
 */
static int log_cut(const struct job *job, const struct stat *st)
{
	const struct assemble_cut *cut = job->options->cut;
	scoped(strbuf_release) struct strbuf lines = STRBUF_INIT;
	int err;

	for (size_t i = 0; i < cut->kept->n; i++)
		strbuf_addf(&lines, "%u %llu\n", cut->kept->cpus[i].cpu,
			    (cut->parts[i].to * job->subbuf % KEPT_WRAP));
	err = lines.failed ? -HIST_ENOMEM
			   : workdir_add(cut->log, (struct span){ lines.s, lines.len }, "cut %llu",
					 (unsigned long long)st->st_ino);
	return err ? err : fdatasync(cut->log->manifest) && errno != EINVAL ? -HIST_EIO : 0;
}

static int write_file(struct job *job, struct diags *diags)
{
	const struct out_dest dest = { .dir = job->work->dir,
				       .name = workdir_file,
				       .path = job->options->output };
	const struct assemble_cut *cut = job->options->cut;
	struct trace_dat_machine machine = job->meta.machine;
	struct strbuf caveats = STRBUF_INIT;
	const char *clock = machine.clock, *instance = job->meta.instance;
	struct stat st;
	int err;

	if (job->options->codec)
		machine.codec = *job->options->codec;
	err = trace_dat_writer_open_at(&dest, &machine, &job->writer, diags);
	err = err ?: description_write(&job->meta, job->writer);
	err = err ?: tasks_write(job->work, job->meta.text, job->writer);
	/* events that are or may be missing, after a kill or an error */
	if (!err && !cut)
		err = missing_find(job->work, &job->meta, &caveats, job->diags);
	err = err ?: trace_dat_writer_text(job->writer, TRACE_DAT_HIST_CAVEATS, &caveats);
	strbuf_release(&caveats);
	err = err ?: trace_dat_writer_buffer(job->writer, "", clock, job->subbuf);
	if (!err && *instance)
		err = trace_dat_writer_buffer(job->writer, instance, clock, job->subbuf);
	for (u32 cpu = 0; !err && !cut && cpu < machine.cpu_count; cpu++)
		err = copy_cpu(job, cpu);
	for (size_t i = 0; !err && cut && i < cut->kept->n; i++)
		err = copy_kept(job, i);
	if (err) {
		int why = errno;

		if (job->writer)
			trace_dat_writer_abort(job->writer);
		errno = why;
		return err;
	}
	err = trace_dat_writer_finish(job->writer, diags);
	if (!err && fstatat(job->work->dir, workdir_file, &st, AT_SYMLINK_NOFOLLOW) == 0)
		job->result->file_size = (u64)st.st_size;
	else if (!err)
		err = -HIST_EIO;
	if (!err && cut && cut->log)
		err = log_cut(job, &st);
	return err ? err : assemble_publish(job->work, job->options->output, diags);
}

/* Parse the manifest, and add up the data, which must be of CPUs that the manifest counts. */
static int job_init(struct job *job, struct span manifest)
{
	const struct assemble_cut *cut = job->options->cut;
	bool others = false;
	int err = description_parse(&job->meta, manifest);

	err = err ?: workdir_has_data(job->work, job->meta.machine.cpu_count, &others);
	if (err == -HIST_EFORMAT || others)
		return diags_error(job->diags, -HIST_EFORMAT,
				   "%s/manifest is damaged; the data is not touched",
				   job->work->path);
	job->subbuf = job->meta.machine.page_size;
	for (size_t i = 0; cut && i < cut->kept->n; i++)
		job->total += (cut->parts[i].to - cut->parts[i].from) * job->subbuf;
	for (u32 cpu = 0; !err && !cut && cpu < job->meta.machine.cpu_count; cpu++) {
		u64 size;
		int fd;

		err = open_cpu(job, cpu, &fd, &size);
		if (!err)
			fd_close(fd);
		job->total += size;
	}
	if (err)
		return err;
	job->piece_size = max_t(size_t, PIECE / job->subbuf, 1) * job->subbuf;
	job->piece = malloc(job->piece_size);
	return job->piece ? 0 : HIST_NOMEM;
}

int assemble(const struct workdir *w, const struct assemble_options *options,
	     struct assembled *result, struct diags *diags)
{
	struct job job = { .work = w,
			   .options = options,
			   .result = result,
			   .diags = diags,
			   .meta = { .arena = ARENA_INIT } };
	struct strbuf manifest = STRBUF_INIT;
	size_t before = diags->list.n;
	int err = workdir_manifest(w, &manifest), why;

	*result = (struct assembled){ .bytes = 0 };
	if (!err && options->cut)
		strbuf_add(&manifest, options->cut->blocks.s, options->cut->blocks.n);
	if (!err && manifest.failed)
		err = -HIST_ENOMEM;
	if (!err)
		err = job_init(&job, (struct span){ manifest.s, manifest.len });
	/* of a recording that goes on, the reserve is needed */
	if (!err && !options->cut)
		workdir_unreserve(w);
	err = err ?: write_file(&job, diags);
	why = errno;
	if (err < 0 && !diags_has_error(diags, before))
		diags_error(diags, 0, "cannot write %s: %s", options->output,
			    err == -HIST_ENOMEM ? strerror(ENOMEM) : strerror(why));
	description_release(&job.meta);
	free(job.piece);
	strbuf_release(&manifest);
	errno = why;
	return err;
}
