// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A perf.data that several threads read: the import, and what it reports, is that of one thread,
 * wherever the file is cut into ranges, and if what looks like a record is not one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

#include "import/import.h"
#include "import/perf_scan.h"

enum { DATA_AT = 40, FEATURES_AT = 72, FAKE_SIZE = 64 };

static struct strbuf read_fd(int fd)
{
	struct strbuf s = STRBUF_INIT;
	char buf[4096];
	ssize_t n;

	for (off_t at = 0; (n = pread(fd, buf, sizeof(buf), at)) > 0; at += n)
		strbuf_add(&s, buf, (size_t)n);
	return s;
}

static struct strbuf unzip(const char *name)
{
	struct strbuf s = STRBUF_INIT, command = STRBUF_INIT;
	char buf[4096];
	FILE *f;
	size_t n;

	strbuf_addf(&command, "gunzip -c tests/import/%s.data.gz", name);
	f = popen(command.s, "r");
	assert_non_null(f);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		strbuf_add(&s, buf, n);
	assert_int_equal(pclose(f), 0);
	assert_true(s.len > 10000);
	strbuf_release(&command);
	return s;
}

/* The trace.dat of a file or directory, after all that is reported. */
static struct strbuf import_path(const char *path, size_t range, unsigned int threads)
{
	const struct import_options options = { .kallsyms = "tests/import/stacks.kallsyms",
						.codec = CODEC_NONE,
						.threads = threads,
						.range = range };
	const int out = memfd_create("out", MFD_CLOEXEC);
	struct strbuf s = STRBUF_INIT, data;
	struct import_result result;
	struct diags diags = DIAGS_INIT;
	int err = import_file(&(struct import_input){ path, "input" }, &options,
			      &(struct import_output){ .fd = out }, &result, &diags);

	strbuf_addf(&s, "%d %d\n", err, !err && result.cut);
	for (size_t i = 0; i < diags.list.n; i++)
		strbuf_addf(&s, "%s\n", diags.list.v[i].text);
	data = read_fd(out);
	strbuf_add(&s, data.s, data.len);
	strbuf_release(&data);
	diags_release(&diags);
	close(out);
	return s;
}

static struct strbuf import_bytes(const struct strbuf *bytes, size_t range, unsigned int threads)
{
	const int in = memfd_create("in", MFD_CLOEXEC);
	char path[32];
	struct strbuf s;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", in);
	assert_true(fd_write(in, bytes->s, bytes->len));
	s = import_path(path, range, threads);
	close(in);
	return s;
}

static void check_same(const struct strbuf *want, struct strbuf got)
{
	assert_int_equal(want->len, got.len);
	assert_memory_equal(want->s, got.s, got.len);
	strbuf_release(&got);
}

/* One range, then many, of which some begin and end in a record. */
static void check_ranges(const struct strbuf *bytes, unsigned int threads)
{
	static const size_t ranges[] = { 488, 8191, 40000 };
	struct strbuf want = import_bytes(bytes, SIZE_MAX, 1);

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		check_same(&want, import_bytes(bytes, ranges[i], threads));
	strbuf_release(&want);
}

/* The records of the last two are in other records, or after those that describe them. */
static const char *const names[] = { "mixed", "plain",  "samples", "stacks",
				     "tasks", "unwind", "pipe",    "zstd" };

static void test_ranges(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct strbuf bytes = unzip(names[i]);

		for (unsigned int threads = 1; threads < 4; threads++)
			check_ranges(&bytes, threads);
		strbuf_release(&bytes);
	}
}

static void test_directory(void **state)
{
	char dir[] = "/tmp/import_perf_test.XXXXXX";
	struct strbuf command = STRBUF_INIT, path = STRBUF_INIT, want;

	(void)state;
	assert_non_null(mkdtemp(dir));
	strbuf_addf(&command, "tar -xzf tests/import/threads.data.tar.gz -C %s", dir);
	strbuf_addf(&path, "%s/threads.data", dir);
	assert_int_equal(system(command.s), 0);
	want = import_path(path.s, SIZE_MAX, 1);
	assert_true(want.len > 10000);
	check_same(&want, import_path(path.s, 1000, 3));
	command.len = 0;
	strbuf_addf(&command, "rm -r %s", dir);
	assert_int_equal(system(command.s), 0);
	strbuf_release(&want);
	strbuf_release(&command);
	strbuf_release(&path);
}

/* --- what a scan finds --- */

struct others {
	const struct perf_file *f;
	struct perf_scan *scan;
	struct strbuf *out;
};

static size_t offset_of(const struct perf_file *f, const u8 *p)
{
	return (size_t)(p - (const u8 *)f->runs.v[0].data.s);
}

static int add_other(void *arg, const struct perf_event *ev)
{
	const struct others *o = arg;

	strbuf_addf(o->out, "%zu: type %u\n", offset_of(o->f, ev->body), ev->type);
	return ev->type == PERF_LOST ? perf_scan_lost(o->scan, ev, 1, 7) : 0;
}

/* Adds the samples of a part; parts of other ranges have other ends. */
static void add_part(const struct perf_file *f, const struct perf_part *part, struct strbuf *out)
{
	struct bytes b = bytes_of(part->p, part->len, f->big);
	struct perf_event ev;
	struct perf_sample s;
	u64 last = part->first;

	if (part->loss)
		strbuf_addf(out, "%zu: %u bytes lost\n", offset_of(f, part->p), part->len);
	while (!part->loss && !perf_event_next(&b, &ev)) {
		if (ev.type != PERF_SAMPLE || perf_sample_read(f, &ev, &s) || perf_sample_check(&s))
			continue;
		assert_int_equal(s.cpu, part->cpu);
		assert_in_range(s.ts, part->first, part->last);
		assert_true(!part->sorted || s.ts >= last);
		if (s.attr->type == PERF_TYPE_TRACEPOINT)
			assert_true(part->ids & 1ull << load_u16(s.raw, f->big) % 64);
		strbuf_addf(out, "%zu: CPU %u\n", offset_of(f, ev.body), s.cpu);
		last = s.ts;
	}
}

static struct strbuf scan_path(const char *path, size_t range, unsigned int threads)
{
	struct perf_scan scan = { .range = range, .threads = threads };
	struct perf_file f = { .name = "input", .arena = ARENA_INIT };
	struct diags diags = DIAGS_INIT;
	struct strbuf out = STRBUF_INIT;
	size_t round = 0;

	assert_int_equal(mapped_open_path(&f.map, path, path, &diags), 0);
	assert_int_equal(perf_file_read(&f, &diags), 0);
	assert_int_equal(perf_file_complete(&f), 0);
	assert_int_equal(perf_scan_file(&scan, &f, add_other, &(struct others){ &f, &scan, &out }),
			 0);
	for (size_t i = 0; i <= scan.parts.n; i++) {
		for (; round < scan.rounds.n && scan.rounds.v[round].part <= i; round++)
			strbuf_addf(&out, "after a round until %llu\n",
				    (unsigned long long)scan.rounds.v[round].limit);
		if (i < scan.parts.n)
			add_part(&f, &scan.parts.v[i], &out);
	}
	for (size_t i = 0; i < scan.cpus.n; i++)
		strbuf_addf(&out, "%llu to %llu\n", (unsigned long long)scan.cpus.v[i].first,
			    (unsigned long long)scan.cpus.v[i].last);
	for (size_t i = 0; i < f.attrs.n; i++)
		strbuf_addf(&out, "%llu samples\n", (unsigned long long)f.attrs.v[i].samples);
	strbuf_addf(&out, "%zu others, %llu taken, %llu unknown, %llu damaged, %d %d %d\n",
		    scan.others.n, (unsigned long long)scan.counts.taken,
		    (unsigned long long)scan.counts.unknown,
		    (unsigned long long)scan.counts.damaged, scan.counts.pids_same,
		    scan.counts.pids_differ, scan.counts.pids_outside);
	perf_scan_release(&scan);
	perf_file_release(&f);
	diags_release(&diags);
	return out;
}

static void test_scan(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names) - 2; i++) {
		struct strbuf bytes = unzip(names[i]), want;
		const int in = memfd_create("in", MFD_CLOEXEC);
		char path[32];

		snprintf(path, sizeof(path), "/proc/self/fd/%d", in);
		assert_true(fd_write(in, bytes.s, bytes.len));
		want = scan_path(path, SIZE_MAX, 1);
		assert_true(want.len > 500);
		for (size_t range = 300; range < 100000; range *= 3)
			check_same(&want, scan_path(path, range, 2));
		strbuf_release(&bytes);
		strbuf_release(&want);
		close(in);
	}
}

static u64 random_next(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A few bytes of samples are other ones. */
static void damage(struct strbuf *file, u64 *seed, u64 every)
{
	enum { HEADER = 104, FIELDS = 72 };
	size_t at = load_u64(file->s + DATA_AT, false);
	struct bytes b;
	struct perf_event ev;

	if (load_u64(file->s + 8, false) != HEADER)
		at = 16; /* of a pipe */
	at = min_t(size_t, at, file->len);
	b = bytes_of(file->s + at, file->len - at, false);
	while (!perf_event_next(&b, &ev)) {
		const size_t k = random_next(seed) % FIELDS;

		if (ev.type == PERF_SAMPLE && k < ev.len && !(random_next(seed) % every))
			file->s[ev.body - (const u8 *)file->s + (ptrdiff_t)k] ^=
				(char)(1 + random_next(seed) % 255);
	}
}

/* Bytes of each copy are other ones, also of headers; every fourth copy lacks its end. */
static void test_damaged(void **state)
{
	enum { COPIES = 8, HEADER = 104 };
	u64 seed = 88172645463325252ull;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct strbuf whole = unzip(names[i]);

		for (int copy = 0; copy < COPIES; copy++) {
			struct strbuf bytes = STRBUF_INIT;
			const size_t n = copy % 4 ? whole.len
						  : random_next(&seed) % whole.len + HEADER;

			strbuf_add(&bytes, whole.s, min_t(size_t, n, whole.len));
			damage(&bytes, &seed, copy % 2 ? 20 : 300);
			for (int k = copy / 2; k > 0; k--)
				bytes.s[HEADER + random_next(&seed) % (bytes.len - HEADER)] =
					(char)(random_next(&seed) % (k % 2 ? 256 : 4));
			check_ranges(&bytes, 1);
			strbuf_release(&bytes);
		}
		strbuf_release(&whole);
	}
}

/* --- what looks like records --- */

/* Names of a task. */
static void add_fakes(struct strbuf *s, size_t n)
{
	u8 fake[FAKE_SIZE] = { 0 };

	store_u32(fake, PERF_COMM, false);
	store_u16(fake + 6, FAKE_SIZE, false);
	store_u32(fake + 8, 1, false);
	store_u32(fake + 12, 1, false);
	memcpy(fake + 16, "fake", 4);
	for (size_t i = 0; i < n; i++)
		strbuf_add(s, (const char *)fake, sizeof(fake));
}

/* The file with @record before its samples; returns where it is. */
static size_t insert(const struct strbuf *file, const struct strbuf *record, struct strbuf *out)
{
	const size_t data_at = load_u64(file->s + DATA_AT, false);
	const size_t data_size = load_u64(file->s + DATA_AT + 8, false);
	struct bytes b = bytes_of(file->s + data_at, data_size, false);
	struct perf_event ev;
	size_t at, table;
	int bits = 0;

	while (!perf_event_next(&b, &ev) && ev.type != PERF_SAMPLE)
		;
	assert_int_equal(ev.type, PERF_SAMPLE);
	at = (size_t)((const char *)ev.body - 8 - file->s);
	strbuf_add(out, file->s, at);
	strbuf_add(out, record->s, record->len);
	strbuf_add(out, file->s + at, file->len - at);
	store_u64(out->s + DATA_AT + 8, data_size + record->len, false);
	for (int i = 0; i < PERF_FEATS / 64; i++)
		bits += __builtin_popcountll(load_u64(file->s + FEATURES_AT + 8 * i, false));
	table = data_at + data_size + record->len;
	for (int i = 0; i < bits; i++)
		store_u64(out->s + table + 16 * i,
			  load_u64(out->s + table + 16 * i, false) + record->len, false);
	return at;
}

/* Neither the body of an unknown record nor what follows one of hardware contains records. */
static void test_fakes(void **state)
{
	enum { UNKNOWN = 30 };
	static const struct {
		u32 type;
		u16 size;
		size_t more;
	} kinds[] = { { UNKNOWN, 8 + 900 * FAKE_SIZE, 0 },
		      { PERF_AUXTRACE, 48, 3000 * FAKE_SIZE } };
	struct strbuf plain = unzip("plain");
	struct strbuf want = import_bytes(&plain, SIZE_MAX, 1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct strbuf record = STRBUF_INIT, bytes = STRBUF_INIT;
		const struct perf_file f = { .big = false };
		u8 head[16] = { 0 };
		const u8 *p;
		size_t at;

		store_u32(head, kinds[i].type, false);
		store_u16(head + 6, kinds[i].size, false);
		store_u64(head + 8, kinds[i].more, false);
		strbuf_add(&record, (const char *)head, kinds[i].more ? 16 : 8);
		while (record.len < kinds[i].size && kinds[i].more)
			strbuf_add(&record, "\0\0\0\0\0\0\0", 8);
		add_fakes(&record, (kinds[i].size + kinds[i].more - 8) / FAKE_SIZE);
		at = insert(&plain, &record, &bytes);
		/* the guess is wrong, and what is read after it is left out */
		p = (const u8 *)bytes.s + at + 8192;
		p = perf_range_find(&f, p, p + 4096, (const u8 *)bytes.s + bytes.len);
		assert_non_null(p);
		assert_memory_equal(p + 16, "fake", 4);
		check_same(&want, import_bytes(&bytes, SIZE_MAX, 1));
		check_ranges(&bytes, 2);
		strbuf_release(&record);
		strbuf_release(&bytes);
	}
	strbuf_release(&plain);
	strbuf_release(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ranges),  TEST(test_directory), TEST(test_scan),
		TEST(test_damaged), TEST(test_fakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
