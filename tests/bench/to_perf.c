// SPDX-License-Identifier: LGPL-2.1-only
/*
 * to_perf FILE OUT: writes the events of a recording of make_recording as perf record would have
 * recorded them, so that perf can be asked about the same events.
 *
 * As perf does, it writes the samples of one CPU after another in rounds. A task has the name with
 * which it was first switched to.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>

#include "trace_dat/trace_dat.h"

enum { CPUS_MAX = 64, ROUND = 50000, PIDS = 65536, COMM_LEN = 16 };
enum { FINISHED_ROUND = 68, FEATURE_TRACING_DATA = 1 };
enum {
	SAMPLE_TYPE = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
		      PERF_SAMPLE_RAW | PERF_SAMPLE_IDENTIFIER
};

/* A section of the file: offset and size. */
struct section {
	u64 at, size;
};

struct attr_entry {
	struct perf_event_attr attr;
	struct section ids;
};

struct file_header {
	char magic[8];
	u64 size, attr_size;
	struct section attrs, data, event_types;
	u64 features[4];
};

/* The fields of a sample before its record, and those after the body of another one. */
struct sample {
	struct perf_event_header header;
	u64 id;
	u32 pid, tid;
	u64 time;
	u32 cpu, reserved;
	u64 period;
	u32 raw_size;
} __attribute__((packed));

struct trailer {
	u32 pid, tid;
	u64 time;
	u32 cpu, reserved;
	u64 id;
};

/* What was sampled on a CPU in this round. */
struct ring {
	u8 *data;
	size_t len, room;
};

static struct ring rings[CPUS_MAX];
static bool named[PIDS];
static unsigned int in_round;
static int switch_id = -1;
static FILE *out;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "to_perf: %s\n", what);
	exit(2);
}

static void put(const void *data, size_t len)
{
	if (len && fwrite(data, 1, len, out) != len)
		die("cannot write");
}

static void put_u32(u32 v)
{
	put(&v, sizeof(v));
}

static void put_text(const char *text, size_t len)
{
	const u64 size = len;

	put(&size, sizeof(size));
	put(text, len);
}

static u8 *ring_reserve(struct ring *r, size_t len)
{
	if (r->len + len > r->room) {
		r->room = 2 * (r->len + len);
		r->data = realloc(r->data, r->room);
		if (!r->data)
			die("no memory");
	}
	r->len += len;
	return memset(r->data + r->len - len, 0, len);
}

static void end_round(void)
{
	const struct perf_event_header end = { .type = FINISHED_ROUND, .size = sizeof(end) };

	for (int i = 0; i < CPUS_MAX; i++) {
		put(rings[i].data, rings[i].len);
		rings[i].len = 0;
	}
	put(&end, sizeof(end));
	in_round = 0;
}

/* The first switch to a task names it. */
static void put_comm(struct ring *ring, const struct tep_record *rec)
{
	const u8 *data = rec->data;
	struct {
		struct perf_event_header header;
		u32 pid, tid;
		char comm[COMM_LEN];
		struct trailer trailer;
	} r = { .header = { .type = PERF_RECORD_COMM, .size = sizeof(r) } };
	u32 pid;

	memcpy(&pid, data + 56, sizeof(pid));
	if (!pid || pid >= PIDS || named[pid])
		return;
	named[pid] = true;
	memcpy(r.comm, data + 40, COMM_LEN);
	r.pid = r.tid = pid;
	r.trailer = (struct trailer){
		.pid = pid, .tid = pid, .time = rec->ts, .cpu = (u32)rec->cpu, .id = (u64)switch_id
	};
	memcpy(ring_reserve(ring, sizeof(r)), &r, sizeof(r));
}

static int each(struct tracecmd_input *handle, struct tep_record *rec, int cpu, void *data)
{
	const size_t raw = (((size_t)rec->size + 4 + 7) & ~7ul) - 4,
		     len = sizeof(struct sample) + raw;
	struct sample s = { .header = { .type = PERF_RECORD_SAMPLE, .size = (u16)len },
			    .time = rec->ts,
			    .cpu = (u32)cpu,
			    .period = 1,
			    .raw_size = (u32)raw };
	struct ring *ring = &rings[cpu % CPUS_MAX];
	u16 id;
	u8 *to;

	(void)handle;
	(void)data;
	memcpy(&id, rec->data, sizeof(id));
	memcpy(&s.tid, (const u8 *)rec->data + 4, sizeof(s.tid));
	s.pid = s.tid;
	s.id = id;
	if (id == switch_id)
		put_comm(ring, rec);
	to = ring_reserve(ring, len);
	memcpy(to, &s, sizeof(s));
	memcpy(to + sizeof(s), rec->data, (size_t)rec->size);
	if (++in_round == ROUND)
		end_round();
	return 0;
}

/* The formats, as trace-cmd writes them. */
static void put_tracing_data(const struct trace_dat_info *info,
			     const struct trace_dat_format *formats, size_t n)
{
	put("\x17\x08"
	    "Dtracing0.6\0\0\x08",
	    16);
	put_u32(info->page_size);
	put("header_page", 12);
	put_text(info->header_page, strlen(info->header_page));
	put("header_event", 13);
	put_text("", 0);
	put_u32(0); /* formats of the ftrace system */
	put_u32((u32)n);
	for (size_t i = 0; i < n; i++) {
		put(formats[i].system, strlen(formats[i].system) + 1);
		put_u32(1);
		put_text(formats[i].text.s, formats[i].text.n);
	}
	put_u32(0); /* kallsyms */
	put_u32(0); /* printk_formats */
	put_text("", 0);
}

/* Everything before the samples. The id of an event is also that of its samples. */
static struct file_header put_head(const struct trace_dat_format *formats, size_t n)
{
	struct file_header h = { .magic = "PERFILE2",
				 .size = sizeof(h),
				 .attr_size = sizeof(struct attr_entry),
				 .attrs = { sizeof(h) + 8 * n, n * sizeof(struct attr_entry) },
				 .features = { 1 << FEATURE_TRACING_DATA } };

	put(&h, sizeof(h));
	for (size_t i = 0; i < n; i++)
		put(&(u64){ formats[i].id }, 8);
	for (size_t i = 0; i < n; i++) {
		struct attr_entry entry = { .attr = { .type = PERF_TYPE_TRACEPOINT,
						      .size = sizeof(entry.attr),
						      .config = formats[i].id,
						      .sample_period = 1,
						      .sample_type = SAMPLE_TYPE,
						      .comm = !i,
						      .sample_id_all = 1 },
					    .ids = { sizeof(h) + 8 * i, 8 } };

		put(&entry, sizeof(entry));
	}
	h.data.at = h.attrs.at + h.attrs.size;
	return h;
}

/* The section after the samples, and the header that refers to both. */
static void put_tail(struct file_header head, const struct trace_dat_info *info,
		     const struct trace_dat_format *formats, size_t n)
{
	struct section tracing = { .at = (u64)ftell(out) + sizeof(tracing) };

	head.data.size = (u64)ftell(out) - head.data.at;
	put(&tracing, sizeof(tracing));
	put_tracing_data(info, formats, n);
	tracing.size = (u64)ftell(out) - tracing.at;
	if (fseek(out, (long)(tracing.at - sizeof(tracing)), SEEK_SET))
		die("cannot seek");
	put(&tracing, sizeof(tracing));
	if (fseek(out, 0, SEEK_SET))
		die("cannot seek");
	put(&head, sizeof(head));
}

int main(int argc, char **argv)
{
	const struct trace_dat_format *formats;
	struct diags diags = DIAGS_INIT;
	struct tracecmd_input *handle;
	struct file_header head;
	struct trace_dat *td;
	size_t n;

	if (argc != 3) {
		fprintf(stderr, "usage: to_perf FILE OUT\n");
		return 2;
	}
	handle = tracecmd_open(argv[1], TRACECMD_FL_LOAD_NO_PLUGINS);
	out = fopen(argv[2], "w");
	if (!handle || !out || trace_dat_open(argv[1], &td, &diags) ||
	    trace_dat_formats(td, &formats, &n, &diags))
		die("cannot open");
	for (size_t i = 0; i < n; i++)
		if (span_eq(formats[i].name, "sched_switch"))
			switch_id = (int)formats[i].id;
	head = put_head(formats, n);
	tracecmd_iterate_events(handle, NULL, 0, each, NULL);
	end_round();
	put_tail(head, trace_dat_info(td), formats, n);
	if (fclose(out))
		die("cannot write");
	tracecmd_close(handle);
	trace_dat_close(td);
	return 0;
}
