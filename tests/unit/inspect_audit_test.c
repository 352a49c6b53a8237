// SPDX-License-Identifier: LGPL-2.1-only
/* The findings of the audit in sub-buffers made by hand, and data without findings. */
#include "unit.h"

#include "inspect/audit.h"
#include "ring_buffer_draft.h"

enum { FINDINGS_MAX = 8, NORMAL = 0, SOFTIRQ = 0x10, IRQ = 0x08, NMI = 0x40 };

static struct ring_buffer_finding findings[FINDINGS_MAX];
static size_t n_findings;
static bool old_kernel = true;

static void note(void *arg, const struct ring_buffer_finding *f)
{
	assert_ptr_equal(arg, findings);
	assert_true(n_findings < FINDINGS_MAX);
	findings[n_findings++] = *f;
}

/* Put a record of two words with the flags of its context. */
static void put_flags(struct draft *d, u32 delta, u8 flags)
{
	u32 at;

	put_data(d, delta, 2, false);
	at = ring_buffer_header_size(&d->layout) + d->used - 8;
	memset(d->bytes + at, 0, 8);
	d->bytes[at + 2] = flags;
}

static void audit_page(struct ring_buffer_audit *a, const struct draft *d, u64 subbuf)
{
	struct ring_buffer_page pg = open_draft(d);
	struct ring_buffer_record rec;

	ring_buffer_audit_page(a, &pg, subbuf);
	while (!ring_buffer_page_raw(&pg, &rec))
		ring_buffer_audit_entry(a, &rec);
}

static void audit_drafts(const struct draft *drafts, size_t n)
{
	struct ring_buffer_audit a;

	n_findings = 0;
	ring_buffer_audit_init(&a, drafts[0].layout.big_endian, old_kernel, note, findings);
	for (size_t i = 0; i < n; i++)
		audit_page(&a, &drafts[i], i);
	ring_buffer_audit_end(&a);
}

static void expect(size_t i, enum ring_buffer_finding_kind kind, u64 subbuf, u32 offset, u64 n)
{
	assert_true(i < n_findings);
	assert_int_equal(findings[i].kind, kind);
	assert_int_equal(findings[i].subbuf, subbuf);
	assert_int_equal(findings[i].offset, offset);
	assert_int_equal(findings[i].n, n);
}

static void test_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct draft d[2] = { draft_of(&layouts[i], 5000),
				      draft_of(&layouts[i], 5000 + (1ull << 40)) };

		put_flags(&d[0], 0, NORMAL);
		put_flags(&d[0], 7, IRQ);
		put_stamp(&d[0], RINGBUF_TYPE_TIME_EXTEND, 1ull << RINGBUF_TS_SHIFT);
		put_flags(&d[0], 0, NORMAL);
		put_stamp(&d[0], RINGBUF_TYPE_TIME_STAMP, 6000 + (2ull << RINGBUF_TS_SHIFT));
		put_flags(&d[0], 0, NORMAL);
		put_flags(&d[1], 0, NORMAL);
		audit_drafts(d, 2);
		assert_int_equal(n_findings, 0);
	}
}

static void test_backward(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct draft d[2] = { draft_of(&layouts[i], 5000), draft_of(&layouts[i], 4000) };
		u32 header = ring_buffer_header_size(&layouts[i]);

		put_flags(&d[0], 0, NORMAL);
		put_flags(&d[0], 300, NORMAL);
		put_stamp(&d[0], RINGBUF_TYPE_TIME_STAMP, 5100);
		put_flags(&d[0], 0, NORMAL);
		put_flags(&d[1], 0, NORMAL);
		put_flags(&d[1], 5, NORMAL); /* not repeated */
		audit_drafts(d, 2);
		assert_int_equal(n_findings, 2);
		expect(0, RING_BUFFER_BACKWARD, 0, header + 32, 0);
		assert_int_equal(findings[0].ts, 5100);
		assert_int_equal(findings[0].before, 5300);
		expect(1, RING_BUFFER_BACKWARD, 1, header, 0);
	}
}

/* The example of the article: events of an interrupt before kill_fasync reserves its space. */
static void test_nest(void **state)
{
	struct draft d[2] = { draft_of(&layouts[0], 137210588990),
			      draft_of(&layouts[0], 137210590461) };

	(void)state;
	put_flags(&d[0], 0, NORMAL);
	put_flags(&d[0], 88, NORMAL);
	put_flags(&d[0], 631, IRQ);
	for (int i = 0; i < 3; i++)
		put_flags(&d[0], 0, IRQ);
	put_flags(&d[1], 0, IRQ);
	for (int i = 0; i < 7; i++)
		put_flags(&d[1], 0, IRQ);
	put_flags(&d[1], 0, SOFTIRQ);
	put_flags(&d[1], 0, NORMAL);
	put_flags(&d[1], 14558, NORMAL);
	audit_drafts(d, 2);
	assert_int_equal(n_findings, 2);
	expect(0, RING_BUFFER_ZERO_DELTAS, 0, 16 + 3 * 12, 3);
	assert_false(findings[0].nested); /* the sub-buffer ends before the interrupted event */
	expect(1, RING_BUFFER_ZERO_DELTAS, 1, 16 + 12, 9);
	assert_true(findings[1].nested);
	assert_int_equal(findings[1].ts, 137210590461);
}

/* A single zero is a finding only after a context that interrupts. */
static void test_single_zero(void **state)
{
	struct draft d = draft_of(&layouts[0], 5000);

	(void)state;
	put_flags(&d, 0, NORMAL);
	put_flags(&d, 100, NORMAL);
	put_flags(&d, 0, NORMAL);
	put_flags(&d, 100, NMI);
	put_flags(&d, 0, IRQ);
	put_flags(&d, 100, NORMAL);
	put_flags(&d, 0, IRQ);
	audit_drafts(&d, 1);
	assert_int_equal(n_findings, 1);
	expect(0, RING_BUFFER_ZERO_DELTAS, 0, 16 + 4 * 12, 1);
	old_kernel = false;
	audit_drafts(&d, 1);
	assert_int_equal(n_findings, 0);
	old_kernel = true;
}

/* With a clock that ticks with the timer interrupt, many events have the same time. */
static void test_coarse_clock(void **state)
{
	struct draft d = draft_of(&layouts[0], 1000000000);

	(void)state;
	for (int i = 0; i < 30; i++)
		put_flags(&d, i && i % 10 == 0 ? 4000000 : 0, i % 3 ? NORMAL : IRQ);
	audit_drafts(&d, 1);
	assert_int_equal(n_findings, 0);
}

static void test_needless_extend(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct draft d = draft_of(&layouts[i], 5000);
		u32 header = ring_buffer_header_size(&layouts[i]);

		put_stamp(&d, RINGBUF_TYPE_TIME_EXTEND, 0);
		put_flags(&d, 0, NORMAL);
		put_stamp(&d, RINGBUF_TYPE_TIME_EXTEND, (1ull << RINGBUF_TS_SHIFT) - 1);
		put_flags(&d, 0, NORMAL);
		put_stamp(&d, RINGBUF_TYPE_TIME_EXTEND, 1ull << RINGBUF_TS_SHIFT);
		put_flags(&d, 0, NORMAL);
		audit_drafts(&d, 1);
		assert_int_equal(n_findings, 2);
		expect(0, RING_BUFFER_NEEDLESS_EXTEND, 0, header, 0);
		expect(1, RING_BUFFER_NEEDLESS_EXTEND, 0, header + 20, (1 << RINGBUF_TS_SHIFT) - 1);
	}
}

static void test_lost(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct draft d[3] = { draft_of(&layouts[i], 5000), draft_of(&layouts[i], 6000),
				      draft_of(&layouts[i], 7000) };
		u32 size;

		for (int k = 0; k < 3; k++)
			put_flags(&d[k], 0, NORMAL);
		size = d[1].used;
		put_u32(&d[1], layouts[i].big_endian && layouts[i].long_size == 8 ? 0 : 12);
		put_u32(&d[1], layouts[i].big_endian && layouts[i].long_size == 8 ? 12 : 0);
		draft_commit(&d[1], size | RB_MISSED_EVENTS | RB_MISSED_STORED);
		draft_commit(&d[2], size | RB_MISSED_EVENTS);
		audit_drafts(d, 3);
		assert_int_equal(n_findings, 2);
		expect(0, RING_BUFFER_LOST, 1, 0, 12);
		expect(1, RING_BUFFER_LOST, 2, 0, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing),     TEST(test_backward),     TEST(test_nest),
		TEST(test_single_zero), TEST(test_coarse_clock), TEST(test_needless_extend),
		TEST(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
