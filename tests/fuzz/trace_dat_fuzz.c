// SPDX-License-Identifier: LGPL-2.1-only
/* Arbitrary bytes as a recording: opened and read to the end, forwards and by seeking. */
#include "fuzz.h"
#include "recording_mutator.h"

#include <sys/mman.h>
#include <unistd.h>

#include "ring_buffer/ring_buffer.h"
#include "trace_dat/task_fact.h"

/* Enough to cover every path; a small valid file may contain many empty sub-buffers. */
enum { MAX_PAGES = 512 };

struct reader {
	struct trace_dat_pages *pages;
	u64 n; /* number of pages read so far */
};

static int read_page(void *arg, const u8 **page, size_t *len)
{
	struct reader *reader = arg;

	reader->n++;
	return trace_dat_pages_next(reader->pages, page, len);
}

static void read_records(struct trace_dat_pages *pages, const struct ring_buffer_layout *layout)
{
	struct reader reader = { .pages = pages };
	struct ring_buffer_iter it;
	struct ring_buffer_record rec;
	volatile u64 sink; /* makes sure that every byte of every record is read */
	u64 sum = 0, errors = 0;
	int err;

	ring_buffer_iter_init(&it, layout, 0, read_page, &reader);
	while ((err = ring_buffer_iter_next(&it, &rec)) <= 0 && reader.n < MAX_PAGES) {
		for (u32 i = 0; i < rec.len && !err; i++)
			sum += rec.data[i];
		MUST(err >= 0 || ++errors < MAX_PAGES || trace_dat_pages_count(pages) >= MAX_PAGES);
	}
	sink = sum;
	(void)sink;
}

static void read_cpu(struct trace_dat *td, size_t buffer, size_t cpu, u32 subbuf,
		     struct diags *diags)
{
	const struct trace_dat_info *info = trace_dat_info(td);
	struct ring_buffer_layout layout = { info->big_endian, info->long_size, subbuf };
	struct trace_dat_pages *pages;
	const u8 *page;
	size_t len;
	u64 count;

	if (trace_dat_pages_open(td, buffer, cpu, &pages, diags))
		return;
	read_records(pages, &layout);
	count = trace_dat_pages_count(pages);
	MUST(trace_dat_pages_seek(pages, count));
	MUST(trace_dat_pages_next(pages, &page, &len) != 0);
	if (count) {
		MUST(!trace_dat_pages_seek(pages, count / 2));
		if (!trace_dat_pages_next(pages, &page, &len))
			MUST(len && len <= subbuf);
		MUST(!trace_dat_pages_seek(pages, 0));
	}
	trace_dat_pages_diagnose(pages, diags);
	trace_dat_pages_close(pages);
}

/* Each fact is the same after it was written again. */
static void read_tasks(const struct trace_dat *td)
{
	struct task_facts facts;
	struct task_fact fact, again;

	task_facts_init(&facts, td);
	while (task_facts_next(&facts, &fact)) {
		struct strbuf line = STRBUF_INIT;
		struct span rest, raw[2];
		char text[2][256], read[256];

		for (size_t i = 0; i < 2; i++) {
			raw[i].n = task_text(fact.text[i], text[i], sizeof(text[i]));
			raw[i].s = text[i];
			fact.text[i] = raw[i];
		}
		task_fact_print(&fact, &line);
		rest = (struct span){ line.s, line.len };
		MUST(line.failed || task_fact_next(&rest, &again));
		MUST(line.failed || (again.kind == fact.kind && again.ts == fact.ts &&
				     again.pid == fact.pid && again.n[0] == fact.n[0]));
		for (size_t i = 0; i < 2 && !line.failed && again.text[i].s; i++)
			MUST(task_text(again.text[i], read, sizeof(read)) == raw[i].n &&
			     !memcmp(read, raw[i].s, raw[i].n));
		strbuf_release(&line);
	}
}

static void read_all(struct trace_dat *td, struct diags *diags)
{
	const struct trace_dat_format *formats;
	const struct trace_dat_buffer *b;
	struct span text;
	size_t n;

	trace_dat_formats(td, &formats, &n, diags);
	read_tasks(td);
	for (int id = TRACE_DAT_KALLSYMS; id <= TRACE_DAT_CMDLINES; id++)
		trace_dat_section(td, (enum trace_dat_option_id)id, &text, diags);
	b = trace_dat_buffers(td, &n);
	MUST(n && !*b->name);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < b[i].n_cpus; k++)
			read_cpu(td, i, k, b[i].subbuf_size, diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[64];
	struct diags diags = DIAGS_INIT;
	struct trace_dat *td;

	if (fd < 0) {
		fd = memfd_create("trace.dat", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	if (!trace_dat_open(path, &td, &diags)) {
		read_all(td, &diags);
		trace_dat_close(td);
	} else {
		MUST(diags_has_error(&diags, 0));
	}
	diags_release(&diags);
	return 0;
}
