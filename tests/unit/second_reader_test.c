// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares our reader with that of libtracecmd, record by record: of the files on the command line
 * (check_reader in tests/cli/lib.sh), otherwise of a recording made here. Both return the records
 * of each CPU in order. CPU, length and bytes are compared, also the time if no option shifts it. A
 * difference is shown with its offset in the file, as in hist dump.
 *
 * libtracecmd crashes on some damaged recordings, so another process compares. Exit status: 0
 * equal, 1 different, 2 trouble.
 */
#include "replay_recording.h"

#include <stdio.h>
#include <sys/wait.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "print/print.h"
#include "replay/replay.h"
#include "ring_buffer/ring_buffer.h"

/* libtracecmd interprets data after the last section as sections of a few bytes each. */
enum { TAIL_MAX = 1 << 20 };

enum { SHOWN_MAX = 10 };

struct reader_compare {
	const struct recording *rec;
	struct printer *p;
	struct diags *diags;
	u64 records, different, damaged;
};

static int read_page(void *source, const u8 **page, size_t *len)
{
	return trace_dat_pages_next(source, page, len);
}

/* One CPU of a buffer. */
struct cpu_compare {
	struct reader_compare *all;
	struct trace_dat_pages *pages;
	const struct trace_dat_buffer *buffer;
	u32 cpu;
	u64 records; /* number of compared records */
	u64 theirs;  /* offset of libtracecmd's current record in the file; 0: unknown */
};

/* Print the location of one of our records; in a compressed file, that of its chunk. */
static void print_place(const struct cpu_compare *c, const struct ring_buffer_record *ours)
{
	struct strbuf *out = &c->all->p->buf;
	u64 page = trace_dat_pages_offset(c->pages);
	bool packed = c->all->rec->info->codec != CODEC_NONE;

	if (*c->buffer->name)
		strbuf_addf(out, "%s, ", c->buffer->name);
	strbuf_addf(out, "CPU %u, record %llu, ", c->cpu, (unsigned long long)c->records);
	if (!ours)
		strbuf_addf(out, "after the last one of ours");
	else if (packed)
		strbuf_addf(out, "0x%x of a sub-buffer in the chunk at 0x%llx", ours->offset,
			    (unsigned long long)page);
	else
		strbuf_addf(out, "at 0x%llx", (unsigned long long)page + ours->offset);
	if (!packed && c->theirs && (!ours || c->theirs != page + ours->offset))
		strbuf_addf(out, " (libtracecmd: at 0x%llx)", (unsigned long long)c->theirs);
}

/* Count a difference; whether to print it. */
static bool count_difference(struct cpu_compare *c, const struct ring_buffer_record *ours)
{
	if (c->all->different++ >= SHOWN_MAX)
		return false;
	print_place(c, ours);
	return true;
}

static void differ_in(struct cpu_compare *c, const struct ring_buffer_record *record,
		      const char *what, s64 ours, s64 theirs)
{
	if (count_difference(c, record))
		strbuf_addf(&c->all->p->buf, ": %s: ours %lld, libtracecmd's %lld\n", what,
			    (long long)ours, (long long)theirs);
}

static void compare_bytes(struct cpu_compare *c, const struct ring_buffer_record *ours,
			  const u8 *theirs)
{
	u32 i = 0;

	while (i < ours->len && ours->data[i] == theirs[i])
		i++;
	if (i < ours->len && count_difference(c, ours))
		strbuf_addf(&c->all->p->buf, ": byte %u: ours 0x%02x, libtracecmd's 0x%02x\n", i,
			    ours->data[i], theirs[i]);
}

static void compare_record(struct cpu_compare *c, const struct ring_buffer_record *ours, u32 late,
			   const struct tep_record *theirs)
{
	u64 different = c->all->different;

	if (theirs->size < 0 || ours->len != (u32)theirs->size) {
		differ_in(c, ours, "length", ours->len, theirs->size);
		return;
	}
	compare_bytes(c, ours, theirs->data);
	if (different == c->all->different && ours->ts + late != theirs->ts)
		differ_in(c, ours, "time", (s64)ours->ts, (s64)theirs->ts);
}

/* Compare the next record of each; > 0 if one of them has no more records. */
static int compare_next(struct cpu_compare *c, struct ring_buffer_iter *it,
			struct tracecmd_input *handle)
{
	struct tep_record *theirs = tracecmd_read_data(handle, (int)c->cpu);
	struct ring_buffer_record ours;
	int end = ring_buffer_iter_next(it, &ours);

	c->theirs = theirs ? theirs->offset : 0;
	if (!end && theirs)
		compare_record(c, &ours, it->page.late, theirs);
	else if (end >= 0 && !end != !!theirs && count_difference(c, end ? NULL : &ours))
		strbuf_addf(&c->all->p->buf, ": only %s has this record\n",
			    end ? "libtracecmd" : "our reader");
	c->records += !end;
	c->all->records += !end;
	if (!theirs)
		return end ? end : 1;
	tracecmd_free_record(theirs);
	return end;
}

static int compare_cpu(struct reader_compare *all, struct tracecmd_input *handle, size_t buffer,
		       size_t i)
{
	const struct trace_dat_buffer *b = &all->rec->buffers[buffer];
	const struct ring_buffer_layout layout = { all->rec->info->big_endian,
						   all->rec->info->long_size, b->subbuf_size };
	struct cpu_compare c = { .all = all, .buffer = b, .cpu = b->cpus[i].cpu };
	struct ring_buffer_iter it;
	int err = trace_dat_pages_open(all->rec->td, buffer, i, &c.pages, all->diags);

	if (err)
		return err;
	ring_buffer_iter_init(&it, &layout, c.cpu, read_page, c.pages);
	it.stored = true;
	while (!err)
		err = compare_next(&c, &it, handle);
	all->damaged += it.damaged_pages + (it.have_page && it.page.damaged);
	trace_dat_pages_diagnose(c.pages, all->diags);
	trace_dat_pages_close(c.pages);
	return err < 0 ? err : 0;
}

static int compare_buffer(struct reader_compare *c, struct tracecmd_input *handle, size_t buffer)
{
	int err = 0;

	for (size_t i = 0; i < c->rec->buffers[buffer].n_cpus && !err; i++)
		err = compare_cpu(c, handle, buffer, i);
	return err;
}

static void no_instance(struct reader_compare *c, const char *name)
{
	c->different++;
	strbuf_addf(&c->p->buf, "%s: libtracecmd does not find this instance\n", name);
}

/* The top buffer is the handle itself; instances have handles of their own. */
static int compare_all(struct reader_compare *c, struct tracecmd_input *handle)
{
	int err = 0;

	for (size_t b = 0; b < c->rec->n_buffers && !err; b++) {
		struct tracecmd_input *instance = NULL;

		if (!c->rec->buffers[b].name[0]) {
			err = compare_buffer(c, handle, b);
			continue;
		}
		for (int i = 0; i < tracecmd_buffer_instances(handle) && !instance; i++)
			if (!strcmp(tracecmd_buffer_instance_name(handle, i),
				    c->rec->buffers[b].name))
				instance = tracecmd_buffer_instance_handle(handle, i);
		if (instance)
			err = compare_buffer(c, instance, b);
		else
			no_instance(c, c->rec->buffers[b].name);
		tracecmd_close(instance);
	}
	return err;
}

static int compare_file(const char *path, hist_sink_fn sink, void *arg, struct diags *diags)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	const struct hist_options options = { .inputs = &path, .n_inputs = 1 };
	struct reader_compare c = { .p = &p, .diags = diags };
	struct tracecmd_input *handle = NULL;
	struct recordings recs;
	int err = recordings_open(&recs, &options, diags), end;

	if (err)
		return err;
	c.rec = &recs.files.v[0];
	/*
	 * libtracecmd crashes on files that our reader rejects; so it only gets files that our
	 * reader has opened.
	 */
	tracecmd_set_loglevel(TEP_LOG_NONE);
	if (c.rec->info->tail <= TAIL_MAX)
		handle = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!handle)
		err = diags_error(diags, -HIST_EUNSUPPORTED, "%s: libtracecmd cannot open it",
				  path);
	else
		err = compare_all(&c, handle);
	if (!err)
		strbuf_addf(&p.buf, "%s: %llu records, %llu different\n", path,
			    (unsigned long long)c.records, (unsigned long long)c.different);
	if (!err && c.damaged && !c.different)
		err = diags_error(
			diags, -HIST_EFORMAT,
			"%s: %llu damaged sub-buffers; the data after the damage is missing", path,
			(unsigned long long)c.damaged);
	tracecmd_close(handle);
	recordings_close(&recs);
	end = printer_end(&p);
	if (!err)
		err = end;
	return err ? err : c.different > 0;
}

/* --- files of the command line --- */

static int print_text(void *arg, const void *data, size_t len)
{
	return fwrite(data, 1, len, arg) == len ? 0 : -HIST_EIO;
}

static int compare_and_report(const char *path)
{
	struct diags diags = DIAGS_INIT;
	int result = compare_file(path, print_text, stdout, &diags);

	for (size_t i = 0; i < hist_diags_count(&diags); i++) {
		char *text = hist_diags_text(&diags, i, "second_reader", false);

		fputs(text ? text : "out of memory\n", stderr);
		free(text);
	}
	diags_release(&diags);
	return result < 0 ? 2 : result;
}

static int compare_in_child(const char *path)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		exit(compare_and_report(path));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 2;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	fprintf(stderr, "libtracecmd crashed (%s) while it read %s\n", strsignal(WTERMSIG(status)),
		path);
	return 2;
}

/* --- a recording made here --- */

static void test_same(void **state)
{
	static const struct event_line lines[] = {
		{ .event = "sched:sched_waking", .fields = "pid=7 prio=1 comm=a @ts=1000000000" },
		{ .event = "sched:sched_waking",
		  .fields = "pid=8 prio=2 comm=b @ts=2000000000",
		  .cpu = 1 },
		{ .event = "sched:sched_switch", .fields = "next_pid=7 @ts=3000000000" },
	};
	struct diags diags = DIAGS_INIT;
	struct strbuf out = STRBUF_INIT;

	(void)state;
	recording_write("api.dat",
			&(struct recording_of){ .lines = lines, .n = ARRAY_SIZE(lines) });
	assert_int_equal(compare_file(recording_path("api.dat"), add_to_strbuf, &out, &diags), 0);
	assert_non_null(strstr(out.s, ": 3 records, 0 different\n"));
	strbuf_release(&out);
	diags_release(&diags);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { TEST(test_same) };

	if (argc > 1)
		return compare_in_child(argv[1]);
	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
