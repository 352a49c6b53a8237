// SPDX-License-Identifier: LGPL-2.1-only
/* Files of the last part of a recording (kept.h). */
#include <errno.h>
#include <sys/statvfs.h>

#include "record/assemble.h"
#include "record/blocks.h"
#include "record/steps.h"
#include "record/task_journal.h"

/* Half of what the disk of @w has; the rest is for the files, and for others. */
static u64 half_of_disk(const struct workdir *w)
{
	struct statvfs st;

	return fstatvfs(w->dir, &st) ? UINT64_MAX : (u64)st.f_bavail * st.f_frsize / 2;
}

int keep_open(struct kept *kept, const struct record_keep *keep, const struct session *s,
	      const struct workdir *w, struct diags *diags)
{
	u64 min = kept_min(s->cpus.n, s->subbuf_size);
	u64 max = keep->max_bytes ? keep->max_bytes : half_of_disk(w);

	if (max < min)
		return diags_error(
			diags, -HIST_ELIMIT,
			keep->max_bytes
				? "%llu KB are too little to keep a part of the recording: %zu CPUs need at least %llu KB"
				: "the disk has no room to keep a part of the recording: half of its free space is %llu KB, and %zu CPUs need at least %llu KB",
			(unsigned long long)max >> 10, s->cpus.n, (unsigned long long)min >> 10);
	return kept_init(kept, s->cpus.n, s->subbuf_size, max);
}

char *record_output_name(const char *pattern, u64 number)
{
	const char *at = strstr(pattern, "%n");
	struct strbuf name = STRBUF_INIT;

	if (at)
		strbuf_addf(&name, "%.*s%llu%s", (int)(at - pattern), pattern,
			    (unsigned long long)number, at + 2);
	else
		strbuf_addstr(&name, pattern);
	return strbuf_detach(&name);
}

int keep_write(const struct keep_parts *parts, const struct record_cut *cut,
	       struct assemble_options *options, struct assembled *done, struct diags *diags)
{
	struct strbuf blocks = STRBUF_INIT;
	struct assemble_cut part = {
		.kept = parts->kept,
		.log = parts->work,
		.from = cut->from,
		.to = cut->to,
		.parts = cut->parts,
	};
	int err;

	tasks_complete(parts->tasks, &blocks);
	manifest_add_cmdlines(&blocks);
	block_add(&blocks, cut->marks, "marks");
	part.blocks = (struct span){ blocks.s, blocks.len };
	options->output = cut->output;
	options->cut = &part;
	err = blocks.failed ? HIST_NOMEM : assemble(parts->work, options, done, diags);
	options->cut = NULL;
	strbuf_release(&blocks);
	return err;
}
