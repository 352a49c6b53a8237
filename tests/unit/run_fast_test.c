// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares the fast paths of a hit (keys, strings and records of common shapes, a single histogram
 * on an event, a trace action fused with its reader) with the general path. Random records, also
 * cut ones and strings without a NUL, of machines of either byte order and word size, must have the
 * same histograms and the same synthetic records. FAST_TEST_ROUNDS=N sets the number of rounds.
 */
#include <stdlib.h>

#include "tracing_dir.h"

#include "bind/binding.h"
#include "program/program.h"

enum { N_ROUNDS = 60, N_RECORDS = 300 };

static u64 seed = 1;

static u32 random_below(u32 n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(seed >> 33) % n;
}

#define ONE_OF(texts) ((texts)[random_below(ARRAY_SIZE(texts))])

static const char waking[] = "sched:sched_waking", switched[] = "sched:sched_switch",
		  all[] = "test:all", wakeup[] = "synthetic:wakeup", small[] = "synthetic:small";
static const char *const events[] = { waking, switched, all, wakeup, small };
static const char synthetic_wakeup[] = "wakeup pid_t a; int b; u64 d; char t[16]; char u[]",
		  synthetic_small[] = "small u8 a; s16 b; u16 c; s8 e; char t[16]; char u[]; s32 f";

/* --- triggers --- */

struct lines {
	struct strbuf waking, switched, all, wakeup, small;
};

static void make_lines(struct lines *s)
{
	static const char *const keys[] = { "prio", "comm", "pid,prio", "comm,pid",
					    "common_pid,target_cpu,comm" };
	static const char *const of_wakeup[] = { "t",     "u",         "t,d.log2", "u,t",
						 "a,b,d", "t,u,a.hex", "d",        "common_pid,t" };
	static const char *const of_small[] = { "t", "u", "a,b,c", "c,e,f", "t,c", "b,u" };
	static const char *const of_all[] = { "st",    "b8,st",   "dyn,st", "a64.log2,a32",
					      "st,b8", "rel,b16", "a8",     "b64.buckets=9" };
	static const char *const values[] = { "", ":vals=b32,a16",
					      ":vals=a64,b8:x=st,y=dyn,z=rel,w=b32",
					      ":x=a32+b8,y=$x,z=st" };
	static const char *const filters[] = { "", "", " if b8 > 100", " if st ~ \"*a*\"" };
	static const char *const pids[] = { "next_pid", "prev_pid" };
	static const char *const texts[] = { "next_comm", "$from", "prev_comm" };
	static const char *const ints[] = { "next_prio", "prev_prio", "common_pid" };
	static const char *const stamps[] = { "common_timestamp.usecs", "common_timestamp" };
	static const char *const lats[] = { "common_timestamp.usecs-$ts", "common_timestamp-$ts" };
	u32 stamp = random_below(ARRAY_SIZE(stamps));

	strbuf_addf(&s->waking, "hist:keys=pid:ts=%s,who=comm,n=prio%s", stamps[stamp],
		    random_below(2) ? " if prio < 200" : "");
	strbuf_addf(&s->switched,
		    "hist:keys=next_pid:lat=%s,from=prev_comm"
		    ":onmatch(sched.sched_waking).wakeup(%s,%s,$lat,%s,%s)",
		    lats[stamp], ONE_OF(pids), ONE_OF(ints), ONE_OF(texts),
		    random_below(2) ? "$who" : "prev_comm");
	strbuf_addf(&s->all, "hist:keys=%s%s%s", ONE_OF(of_all), ONE_OF(values), ONE_OF(filters));
	if (random_below(2))
		strbuf_addstr(&s->all, "\nhist:keys=b32:onmatch(sched.sched_waking)"
				       ".small(b8,a16,b16,a8,st,dyn,a32)");
	strbuf_addf(&s->wakeup, "hist:keys=%s:vals=a,d%s", ONE_OF(of_wakeup),
		    random_below(2)   ? ":size=128"
		    : random_below(4) ? ""
				      : ":pause");
	strbuf_addf(&s->small, "hist:keys=%s:vals=a,f", ONE_OF(of_small));
	if (random_below(2))
		strbuf_addf(&s->waking, "\nhist:keys=%s", ONE_OF(keys));
}

static void release_lines(struct lines *s)
{
	strbuf_release(&s->waking);
	strbuf_release(&s->switched);
	strbuf_release(&s->all);
	strbuf_release(&s->wakeup);
	strbuf_release(&s->small);
}

static void write_lines(struct dir *d, const char *event, const struct strbuf *lines)
{
	char *copy = strdup(lines->s), *rest = copy, *line;

	assert_non_null(copy);
	while ((line = strsep(&rest, "\n")))
		accept(d, event, line);
	free(copy);
}

/* --- directories and their output --- */

struct side {
	struct dir dir;
	struct strbuf made; /* synthetic records, one after the other */
};

static int take_synthetic(void *arg, struct event_file *file, const struct hit *hit)
{
	struct side *side = container_of((struct dir *)arg, struct side, dir);

	(void)file;
	strbuf_add(&side->made, hit->rec, hit->len);
	return 0;
}

/* @seen: an observer reads the synthetic records, so they are generated */
static void open_side(struct side *side, struct machine machine, const struct lines *s, bool seen)
{
	struct dir *d = &side->dir;

	dir_open_machine(d, machine);
	d->context.synthetic = seen ? take_synthetic : NULL;
	side->made = (struct strbuf)STRBUF_INIT;
	accept(d, "synthetic_events", synthetic_wakeup);
	accept(d, "synthetic_events", synthetic_small);
	write_lines(d, waking, &s->waking);
	write_lines(d, switched, &s->switched);
	write_lines(d, all, &s->all);
	write_lines(d, wakeup, &s->wakeup);
	write_lines(d, small, &s->small);
	event_file_enable(file_of(d, wakeup), true, false);
	event_file_enable(file_of(d, small), true, false);
	tracing_reset(d->t);
}

/* Disable all fast paths. */
static void make_side_plain(struct side *side)
{
	struct tracing *t = side->dir.t;

	t->plain = true;
	tracing_reset(t);
	for (size_t i = 0; i < t->synth_events.n; i++)
		for (size_t f = 0; f < t->synth_events.v[i]->n_fields; f++)
			t->synth_events.v[i]->fields[f].kind = SYNTH_ANY;
}

static void close_side(struct side *side)
{
	strbuf_release(&side->made);
	dir_close(&side->dir);
}

/* --- records --- */

/* Bytes with few different values including NUL, so that keys are equal and strings end. */
static void random_bytes(u8 *to, u32 n)
{
	static const u8 letters[] = { 'a', 'b', 0, 'a', 1, 0x80, 0xff, 0 };
	u32 run = 0;

	for (u32 i = 0; i < n; i++) {
		if (!run) {
			run = random_below(20);
			to[i] = letters[random_below(8)];
		} else {
			to[i] = random_below(6) ? 'x' : letters[random_below(8)];
			run--;
		}
	}
}

/* Pids that sched_waking and sched_switch share, in either byte order. */
static void put_pid(u8 *rec, u32 at, u32 len, bool big)
{
	if (at + 4 <= len)
		store_u32(rec + at, random_below(6), big);
}

/* Allocate exactly its length, so that a read past the end is detected. */
static u8 *random_record(const struct event_format *format, u32 *len, bool big)
{
	u32 whole = ALIGN_UP(format->min_size, 4u) + 4 * random_below(12);
	u8 *rec;

	*len = random_below(4) ? whole : 8 + random_below(whole - 7);
	rec = malloc(*len);
	assert_non_null(rec);
	random_bytes(rec, *len);
	store_u16(rec, (u16)format->id, big);
	put_pid(rec, 4, *len, big);
	if (format->id != 102)
		put_pid(rec, format->id == 100 ? 24 : 56, *len, big);
	if (format->id == 102 && *len > format->min_size && random_below(3)) {
		u32 rest = random_below(*len - format->min_size + 1);

		store_u32(rec + 56, rest << 16 | format->min_size, big);
		store_u32(rec + 60, rest << 16 | (format->min_size - 64), big);
	}
	return rec;
}

static void hit_side(struct side *side, const char *event, const u8 *rec, u32 len, u64 ts)
{
	struct event_file *file = file_of(&side->dir, event);
	struct hit hit = { .file = file,
			   .rec = rec,
			   .len = len,
			   .cpu = (u32)ts % 4,
			   .pid = 1,
			   .ts = ts,
			   .context = &side->dir.context };

	event_hit(event_count_of(file), &hit);
}

static void hit_both(struct side *fast, struct side *plain, u64 ts)
{
	const char *event = events[random_below(3)];
	bool big = fast->dir.t->machine.big_endian;
	u32 len;
	u8 *rec = random_record(file_of(&fast->dir, event)->format, &len, big);

	hit_side(fast, event, rec, len, ts);
	hit_side(plain, event, rec, len, ts);
	free(rec);
}

/* --- the comparison --- */

static void check_same(struct side *fast, struct side *plain, const char *event)
{
	char *a = shown(file_of(&fast->dir, event), print_hist_file);
	char *b = shown(file_of(&plain->dir, event), print_hist_file);

	assert_string_equal(a, b);
	free(a);
	free(b);
}

static size_t check_round(struct machine machine, bool seen)
{
	struct lines script = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };
	struct side fast, plain;
	u64 ts = 1000;
	size_t made;

	make_lines(&script);
	open_side(&fast, machine, &script, seen);
	open_side(&plain, machine, &script, seen);
	make_side_plain(&plain);
	for (int i = 0; i < N_RECORDS; i++)
		hit_both(&fast, &plain, ts += random_below(5000));
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		check_same(&fast, &plain, events[i]);
	made = fast.made.len;
	assert_int_equal(made, plain.made.len);
	assert_memory_equal(fast.made.s, plain.made.s, made);
	close_side(&fast);
	close_side(&plain);
	release_lines(&script);
	return made;
}

static void test_machines(void **state)
{
	const char *rounds = getenv("FAST_TEST_ROUNDS");
	long n = rounds ? strtol(rounds, NULL, 0) : N_ROUNDS;
	size_t made = 0;

	(void)state;
	for (long i = 0; i < n; i++) {
		static const char *const versions[] = { "6.1", "6.12", "7.3" };
		struct machine machine = dir_machine(versions[i / 4 % ARRAY_SIZE(versions)]);

		machine.big_endian = i & 1;
		machine.long_size = i & 2 ? 4 : 8;
		made += check_round(machine, i & 8);
	}
	assert_true(made > 0);
}

/* --- comparisons --- */

/* Numbers near the limits of all types, and arbitrary ones. */
static u64 random_number(void)
{
	static const u64 ends[] = { 0, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff };
	u64 v = random_below(2) ? ends[random_below(ARRAY_SIZE(ends))] : 1ull << random_below(64);

	if (!random_below(3))
		v = (u64)random_below(UINT32_MAX) << 32 | random_below(UINT32_MAX);
	v += random_below(3);
	return random_below(2) ? v - 1 : 0 - v;
}

static void check_range(const struct filter_pred *pred, bool big)
{
	struct filter_insn by_number = { *pred, FILTER_TRUE, FILTER_FALSE };
	struct filter_insn by_range = by_number;
	struct filter f = { .big_endian = big, .n_insns = 1, .insns = &by_number };
	u8 rec[8];
	struct hit hit = { .rec = rec, .len = sizeof(rec) };
	bool want;

	by_range.pred.kind = PRED_RANGE;
	assert_true(filter_range_of(pred, &by_range.pred.range));
	for (int i = 0; i < 20; i++) {
		store_u64(rec, i & 3 ? random_number() : pred->val, i & 4);
		f.insns = &by_number;
		want = filter_match(&f, &hit);
		f.insns = &by_range;
		assert_int_equal(filter_match(&f, &hit), want);
	}
}

static void test_ranges(void **state)
{
	static const enum filter_op ops[] = { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE };
	struct filter_pred pred = { .kind = PRED_NUM, .op = OP_BAND, .size = 4 };
	struct filter_range range;

	(void)state;
	assert_false(filter_range_of(&pred, &range));
	for (int i = 0; i < 3000; i++) {
		pred.op = ONE_OF(ops);
		pred.size = 1u << random_below(4);
		pred.is_signed = random_below(2);
		pred.val = random_number();
		check_range(&pred, random_below(2));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_machines),
		TEST(test_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
