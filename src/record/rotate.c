// SPDX-License-Identifier: LGPL-2.1-only
/*
 * When a file ends, which sub-buffers it has, and which old file is removed for it.
 *
 * Before a file ends, the readers move the events that are in sub-buffers that are not full: so the
 * CPUs end at about the same time, and a CPU that is idle is not hours late.
 */
#include "record/rotate.h"

/* How long to wait for a reader that is busy. */
#define FLUSH_NS 2000000000ull

static int rotate_start(void *arg, struct kept *kept)
{
	struct rotate *r = arg;

	r->kept = kept;
	r->parts = calloc(kept->n + 1, sizeof(*r->parts));
	r->since = monotonic_ns();
	if (!r->parts)
		return HIST_NOMEM;
	if (kept->n && fallocate(kept->cpus[0].fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
				 (off_t)kept->slot_size))
		return diags_error(
			r->diags, -HIST_EUNSUPPORTED,
			"--rotate needs a file system that can release a part of a file, such as ext4, xfs, btrfs or tmpfs, for %s: %s",
			r->plan->output, strerror(errno));
	return 0;
}

static void rotate_stop(void *arg UNUSED)
{
}

static void rotate_asked(void *arg)
{
	struct rotate *r = arg;

	r->asked = true;
}

/* Sub-buffers that are in no file. */
static u64 count_new(const struct rotate *r)
{
	return sum_of(i, r->kept->n, kept_range(r->kept, i).to - r->parts[i].from);
}

static bool is_due(const struct rotate *r)
{
	const struct record_rotate *o = r->plan->rotate;

	return r->asked || (o->bytes && count_new(r) * r->kept->subbuf >= o->bytes) ||
	       (o->ns && monotonic_ns() - r->since >= o->ns);
}

static enum record_next make_cut(struct rotate *r, struct record_cut *cut)
{
	for (size_t i = 0; i < r->kept->n; i++)
		r->parts[i].to = kept_range(r->kept, i).to;
	r->output = record_output_name(r->plan->output, r->number + 1);
	*cut = (struct record_cut){ .output = r->output, .parts = r->parts };
	return r->output ? RECORD_CUT : RECORD_END;
}

static enum record_next rotate_next(void *arg, bool ended, struct record_cut *cut)
{
	struct rotate *r = arg;

	if (ended) {
		/* also one that could not be written before; the first file may be without events
		 */
		if (r->ended || (r->number && !count_new(r)))
			return RECORD_END;
		r->ended = true;
		r->flushed = monotonic_ns();
		return make_cut(r, cut);
	}
	if (r->failed)
		return RECORD_END;
	if (kept_is_full(r->kept))
		return RECORD_FULL;
	if (!r->flushed && !is_due(r))
		return RECORD_GO_ON;
	if (!r->flushed) {
		kept_flush(r->kept);
		r->flushed = monotonic_ns();
	}
	if (!kept_is_flushed(r->kept) && monotonic_ns() - r->flushed < FLUSH_NS)
		return RECORD_GO_ON;
	return make_cut(r, cut);
}

/* Whether it is the same file, unchanged; the number of a removed file is soon that of another. */
static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* A file of this name that is another one now is not touched. */
static void remove_file(const struct rotate *r, const struct rotated *f)
{
	struct stat st;

	if (!fstatat(r->work->parent, f->name, &st, AT_SYMLINK_NOFOLLOW) && is_same(&st, &f->st) &&
	    unlinkat(r->work->parent, f->name, 0))
		diags_add(r->diags, DIAG_WARNING, "cannot remove %s: %s", f->name, strerror(errno));
}

/* Remove the file that is one too many. */
static void keep_newest(struct rotate *r)
{
	const u64 times = r->plan->rotate->times;
	struct rotated f = { .name = strdup(path_base(r->output)) };

	if (!times || !f.name || fstatat(r->work->parent, f.name, &f.st, AT_SYMLINK_NOFOLLOW)) {
		free(f.name);
		return;
	}
	if (r->written.n == times) {
		remove_file(r, &r->written.v[0]);
		free(r->written.v[0].name);
		r->written.n--;
		memmove(r->written.v, r->written.v + 1, r->written.n * sizeof(*r->written.v));
	}
	if (array_push(&r->written, f))
		free(f.name);
}

/* What the file contains is not needed any more. */
static int drop_parts(struct rotate *r)
{
	int ret = 0;

	for (size_t i = 0; i < r->kept->n; i++) {
		if (kept_drop(r->kept, i, r->parts[i].to))
			ret = -1;
		r->parts[i].from = r->parts[i].to;
	}
	/* all that is recorded from now on is later */
	kept_limit(r->kept, r->flushed, r->flushed);
	return ret;
}

static void rotate_written(void *arg, const struct record_cut *cut, u64 bytes, int err)
{
	struct rotate *r = arg;
	const struct record_rotate *o = r->plan->rotate;
	scoped(strbuf_release) struct strbuf line = STRBUF_INIT;
	u64 n = 0;

	r->failed = err;
	for (size_t i = 0; i < r->kept->n; i++)
		n += r->parts[i].to - r->parts[i].from;
	if (!err) {
		r->number++;
		keep_newest(r);
		if (drop_parts(r))
			diags_add(r->diags, DIAG_WARNING, "cannot release the space of %s: %s",
				  cut->output, strerror(errno));
		r->since = !r->asked && o->ns && r->flushed - r->since < 2 * o->ns
				   ? r->since + o->ns
				   : r->flushed;
		strbuf_addf(&line, "%s: %.1f MiB of events, %.1f MiB in the file", cut->output,
			    (double)n * r->kept->subbuf / (1 << 20), (double)bytes / (1 << 20));
		if (o->report && !line.failed)
			o->report(o->arg, line.s);
	}
	r->asked = false;
	r->flushed = 0;
	free(r->output);
	r->output = NULL;
}

double rotate_left(const struct rotate *r, double byte_rate)
{
	const struct record_rotate *o = r->plan->rotate;
	double now = (double)(monotonic_ns() - r->since), left = -1, bytes;

	if (o->ns)
		left = max_t(double, ((double)o->ns - now) / 1e9, 0);
	if (o->bytes && byte_rate > 0) {
		bytes = (double)o->bytes - (double)count_new(r) * r->kept->subbuf;
		bytes = max_t(double, bytes, 0) / byte_rate;
		left = left < 0 || bytes < left ? bytes : left;
	}
	return left;
}

void rotate_init(struct rotate *r, const struct record_plan *plan, const struct workdir *work,
		 struct diags *diags)
{
	*r = (struct rotate){ .plan = plan,
			      .work = work,
			      .diags = diags,
			      .keep = { .arg = r,
					.start = rotate_start,
					.stop = rotate_stop,
					.next = rotate_next,
					.written = rotate_written,
					.asked = rotate_asked } };
}

void rotate_release(struct rotate *r)
{
	for (size_t i = 0; i < r->written.n; i++)
		free(r->written.v[i].name);
	array_release(&r->written);
	free(r->parts);
	free(r->output);
}
