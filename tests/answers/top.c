// SPDX-License-Identifier: LGPL-2.1-only
/*
 * top MACHINE EVENTS KEYS SUMS FILTER SUBBUF TASKS CPU...: what hist top prints, as ndjson, if the
 * readers of a recording move the sub-buffers of the files CPU..., the first of which is that of
 * CPU 0, and its journal of tasks has the lines of the file TASKS. MACHINE is a recording with the
 * formats of the events; SUMS and FILTER may be empty.
 *
 * The counting is that of a live recording; only the kernel and its readers are missing.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "hist-ask.h"
#include "hist-error.h"
#include "hist-save.h"
#include "record/kept.h"
#include "top/top.h"

enum { CPUS_MAX = 16 };

static _Atomic u64 moved[CPUS_MAX];

static void fail(const char *what, const struct diags *diags)
{
	fprintf(stderr, "top: %s\n", what);
	for (size_t i = 0; diags && i < hist_diags_count(diags); i++)
		fputs(hist_diags_text(diags, i, "top", false), stderr);
	exit(1);
}

/* As text, for top_prepare(). */
static char *script_of(char **argv)
{
	struct hist_script *script = hist_script_new();
	const struct hist_table table = { .events = argv[2],
					  .keys = argv[3],
					  .sums = *argv[4] ? argv[4] : NULL,
					  .filter = *argv[5] ? argv[5] : NULL };
	char *text = script && !hist_script_ask(script, &table) ? hist_script_text(script) : NULL;

	hist_script_free(script);
	return text;
}

/* All lines of the journal, which are known before the first event is counted. */
static struct task_news *tasks_of(const char *path)
{
	static const struct tasks_format none[N_TASKS_EVENTS];
	struct task_news *news = task_news_new(none);
	static char text[1 << 20];
	const int in = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = in < 0 ? -1 : read(in, text, sizeof(text));

	if (!news || n < 0 || n == sizeof(text))
		fail("no journal of tasks", NULL);
	close(in);
	task_news_known(news, (struct span){ text, (size_t)n });
	news->read = UINT64_MAX;
	return news;
}

/* Move the next sub-buffer of a CPU; false: there are no more. */
static bool move(struct kept *kept, size_t i, int in, char *page)
{
	const u64 n = moved[i] / kept->subbuf;
	static u64 slots[CPUS_MAX];

	if (read(in, page, kept->subbuf) != (ssize_t)kept->subbuf)
		return false;
	if (n % KEPT_SLOT_SUBBUFS == 0 && kept_next_slot(kept, i, &slots[i]))
		fail("no slot", NULL);
	if (pwrite(kept->cpus[i].fd, page, kept->subbuf,
		   (off_t)(slots[i] + n % KEPT_SLOT_SUBBUFS * kept->subbuf)) < 0)
		fail("cannot write", NULL);
	atomic_fetch_add(&moved[i], kept->subbuf);
	return true;
}

/* All of them, a sub-buffer of each CPU at a time. */
static void move_all(struct kept *kept, char **names)
{
	char *page = malloc(kept->subbuf);
	int in[CPUS_MAX];
	bool more = true;

	for (size_t i = 0; i < kept->n; i++)
		in[i] = open(names[i], O_RDONLY | O_CLOEXEC);
	while (page && more) {
		more = false;
		for (size_t i = 0; i < kept->n; i++)
			more |= move(kept, i, in[i], page);
	}
	for (size_t i = 0; i < kept->n; i++) {
		kept->cpus[i].drained = monotonic_ns();
		close(in[i]);
	}
	free(page);
}

int main(int argc, char **argv)
{
	const struct top_options options = { .run = { .format = "ndjson" },
					     .question = "",
					     .interval = 3600 * 1000000000ull,
					     .memory = 256 << 20,
					     .way = LIVE_ENGINE };
	const size_t n = argc > 8 ? (size_t)argc - 8 : 0;
	struct diags diags = DIAGS_INIT;
	struct record_keep keep;
	struct record_cut cut;
	struct kept kept;
	struct top *top;
	char *script;

	if (!n || n > CPUS_MAX)
		fail("wrong arguments", NULL);
	script = script_of(argv);
	if (!script || top_new(&options, &top, &diags) ||
	    top_prepare(top, argv[1], span_of(script), &diags))
		fail("cannot count this", &diags);
	if (kept_init(&kept, n, (u32)atoi(argv[6]), UINT64_MAX))
		fail("no memory", NULL);
	kept.tasks = tasks_of(argv[7]);
	for (size_t i = 0; i < n; i++) {
		kept.cpus[i].cpu = (u32)i;
		kept.cpus[i].fd = memfd_create("cpu", MFD_CLOEXEC);
		kept.cpus[i].moved = &moved[i];
	}
	keep = top_keep(top);
	if (keep.start(keep.arg, &kept))
		fail("cannot start", &diags);
	move_all(&kept, argv + 8);
	keep.next(keep.arg, true, &cut);
	keep.stop(keep.arg);
	if (top_finish(top, &diags))
		fail("not everything was counted", &diags);
	top_close(top);
	for (size_t i = 0; i < n; i++)
		close(kept.cpus[i].fd);
	task_news_free(kept.tasks);
	kept_release(&kept);
	diags_release(&diags);
	free(script);
	return 0;
}
