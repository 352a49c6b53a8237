// SPDX-License-Identifier: LGPL-2.1-only
/* Files of the last part of a recording (kept.h). */
#include <sys/statvfs.h>

#include "record/assemble.h"
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
			max >> 10, s->cpus.n, min >> 10);
	return kept_init(kept, s->cpus.n, s->subbuf_size, max);
}

char *record_output_name(const char *pattern, u64 number)
{
	const char *at = strstr(pattern, "%n");
	struct strbuf name = STRBUF_INIT;

	if (at)
		strbuf_addf(&name, "%.*s%llu%s", (int)(at - pattern), pattern, number, at + 2);
	else
		strbuf_addstr(&name, pattern);
	return strbuf_detach(&name);
}

/* Choose the sub-buffers of @cut; what it lacks goes into its metadata. */
static int select_parts(struct kept *kept, struct record_cut *cut, struct kept_range *ranges,
			struct strbuf *blocks, struct diags *diags)
{
	struct strbuf lacks = STRBUF_INIT;

	for (size_t i = 0; i < kept->n; i++) {
		u64 begin;

		if (kept_select(kept, i, cut->from, cut->to, &ranges[i], &begin)) {
			strbuf_release(&lacks);
			return diags_error(diags, -HIST_EIO,
					   "cannot read what is kept of CPU %u: %s",
					   kept->cpus[i].cpu, strerror(errno));
		}
		if (!cut->from || begin == cut->from)
			continue;
		strbuf_addf(&lacks, "lacks %u %llu\n", kept->cpus[i].cpu, begin - cut->from);
		if (begin > cut->begin) {
			cut->begin = begin;
			cut->begin_cpu = kept->cpus[i].cpu;
		}
	}
	block_add(blocks, (struct span){ lacks.s, lacks.len }, "lacks");
	blocks->failed |= lacks.failed;
	strbuf_release(&lacks);
	return 0;
}

int keep_write(const struct keep_parts *parts, struct record_cut *cut,
	       struct assemble_options *options, struct assembled *done, struct diags *diags)
{
	scoped(free_scoped) struct kept_range *chosen = calloc(parts->kept->n + 1, sizeof(*chosen));
	scoped(strbuf_release) struct strbuf blocks = STRBUF_INIT;
	struct assemble_cut part = {
		.kept = parts->kept,
		.log = cut->parts ? parts->work : NULL,
		.parts = cut->parts ? cut->parts : chosen,
	};
	int err = chosen ? 0 : HIST_NOMEM;

	tasks_complete(parts->tasks, cut->parts, &blocks);
	manifest_add_cmdlines(&blocks);
	block_add(&blocks, cut->marks, "marks");
	if (!err && !cut->parts)
		err = select_parts(parts->kept, cut, chosen, &blocks, diags);
	part.blocks = (struct span){ blocks.s, blocks.len };
	options->output = cut->output;
	options->cut = &part;
	err = err ? err : blocks.failed ? HIST_NOMEM : assemble(parts->work, options, done, diags);
	options->cut = NULL;
	tasks_written(parts->tasks);
	return err;
}
