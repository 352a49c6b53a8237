// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The files of a recording that are written while it goes on: when something is asked for them, and
 * what of the reserved disk space they take.
 */
#include "record/assemble.h"
#include "record/record_run.h"

enum { RESERVE = 1 << 20 };

u64 run_reserved(const struct record_run *run)
{
	return RESERVE + run->work.manifest_size / (run->plan->codec == CODEC_NONE ? 1 : 2);
}

/* A second signal cancels writing a file. */
static int cut_step(void *arg, u64 done, u64 bytes UNUSED)
{
	struct record_run *run = arg;

	if (run->kept.reserve)
		reserve_spend(run->kept.reserve, done - run->spent);
	run->spent = done;
	run_stop_requested(run);
	return run->sig.count > 1;
}

static void write_cut(struct record_run *run, struct record_cut *cut)
{
	const struct record_keep *keep = run->keep;
	const struct keep_parts parts = { &run->kept, &run->work, &run->tasks };
	struct assemble_options options = { .step = cut_step, .arg = run };
	struct assembled done;
	int err;

	run->spent = 0;
	if (run->kept.reserve)
		reserve_release_rest(run->kept.reserve);
	err = keep_write(&parts, cut, &options, &done, run->diags);
	if (!err && run->kept.reserve)
		reserve_restore_rest(run->kept.reserve, run_reserved(run));
	if (err > 0)
		err = diags_error(run->diags, -HIST_EIO, "interrupted: %s was not written",
				  cut->output);
	run->result->complete &= !err;
	if (!err) {
		run->result->files++;
		run->result->bytes += done.bytes;
		run->result->file_size += done.file_size;
	}
	keep->written(keep->arg, cut, err ? 0 : done.file_size, err);
}

bool run_write_due(struct record_run *run, bool ended)
{
	const struct record_keep *keep = run->keep;
	enum record_next next;
	struct record_cut cut;

	if (run->sig.asked)
		keep->asked(keep->arg);
	run->sig.asked = false;
	while ((next = keep->next(keep->arg, ended, &cut)) == RECORD_CUT) {
		write_cut(run, &cut);
		if (!ended && run->sig.count)
			break;
	}
	if (next == RECORD_FULL) {
		run->stopped = strerror(ENOSPC);
		run->result->complete = false;
	}
	return next == RECORD_END || next == RECORD_FULL;
}

void run_keep_unwritten(struct record_run *run)
{
	if (!run->rotate.failed)
		return;
	diags_add(run->diags, DIAG_NOTE, "the data is in %s: hist record --recover -o %s",
		  run->work.path, run->plan->output);
	workdir_close(&run->work);
}
