// SPDX-License-Identifier: LGPL-2.1-only
/* Items made by several threads are taken in their order. */
#include <sched.h>

#include "base/base.h"
#include "unit.h"

enum { N = 300 };

struct taken {
	size_t n, stop_at;
	bool in_order;
};

static void make(void *slot, size_t i)
{
	if (i % 7 == 0)
		sched_yield();
	*(size_t *)slot = i;
}

static int take(void *arg, const void *slot)
{
	struct taken *t = arg;

	t->in_order &= *(const size_t *)slot == t->n;
	return ++t->n == t->stop_at ? 42 : 0;
}

static int run(size_t n, unsigned int threads, size_t n_slots, struct taken *t)
{
	size_t slots[16];
	const struct ordered_work work = { .n = n,
					   .make = make,
					   .take = take,
					   .arg = t,
					   .slots = slots,
					   .slot_size = sizeof(slots[0]),
					   .n_slots = n_slots,
					   .threads = threads };

	return threads_run_ordered(&work);
}

static void items_are_taken_in_order(void **state)
{
	(void)state;
	for (unsigned int threads = 1; threads <= 5; threads++)
		for (size_t slots = 1; slots <= 16; slots *= 4) {
			struct taken t = { .in_order = true };

			assert_int_equal(run(N, threads, slots, &t), 0);
			assert_int_equal(t.n, N);
			assert_true(t.in_order);
		}
}

static void the_taker_can_stop(void **state)
{
	(void)state;
	for (unsigned int threads = 1; threads <= 5; threads++) {
		struct taken t = { .in_order = true, .stop_at = 100 };

		assert_int_equal(run(N, threads, 4, &t), 42);
		assert_int_equal(t.n, 100);
		assert_true(t.in_order);
	}
}

/* What an item is made of, read in order. */
struct read {
	struct taken t; /* the argument of take(), too */
	size_t n, next;
	bool reading, overlaps;
};

static bool read_one(void *arg, void *slot)
{
	struct read *r = arg;

	r->overlaps |= r->reading;
	r->reading = true;
	if (r->next % 5 == 0)
		sched_yield();
	*(size_t *)slot = r->next + 1000;
	r->reading = false;
	return r->next++ < r->n;
}

static void make_of_read(void *slot, size_t i)
{
	if (i % 7 == 0)
		sched_yield();
	*(size_t *)slot -= 1000;
}

static void items_are_read_in_order(void **state)
{
	(void)state;
	for (unsigned int threads = 1; threads <= 5; threads++)
		for (size_t n = 0; n <= N; n += 100) {
			struct read r = { .t = { .in_order = true }, .n = n };
			size_t slots[4];
			const struct ordered_work work = { .n = SIZE_MAX,
							   .read = read_one,
							   .make = make_of_read,
							   .take = take,
							   .arg = &r,
							   .slots = slots,
							   .slot_size = sizeof(slots[0]),
							   .n_slots = 4,
							   .threads = threads };

			assert_int_equal(threads_run_ordered(&work), 0);
			assert_int_equal(r.t.n, n);
			assert_true(r.t.in_order);
			assert_false(r.overlaps);
		}
}

/* Work of the calling thread while it waits, without which the other one does not go on. */
struct helped {
	struct read r;
	size_t pieces, refused;
};

static bool help(void *arg)
{
	struct helped *h = arg;

	if (h->refused++ % 3 == 0)
		return false;
	__atomic_fetch_add(&h->pieces, 1, __ATOMIC_RELAXED);
	return true;
}

static bool read_with_help(void *arg, void *slot)
{
	struct helped *h = arg;

	/* the calling thread does not help itself */
	for (int i = 0; i < 100 && !__atomic_load_n(&h->pieces, __ATOMIC_RELAXED); i++)
		sched_yield();
	return read_one(&h->r, slot);
}

static int take_helped(void *arg, const void *slot)
{
	return take(&((struct helped *)arg)->r.t, slot);
}

static void the_taker_helps_while_it_waits(void **state)
{
	size_t pieces = 0;

	(void)state;
	/* on a busy machine, the calling thread may do all itself for a while */
	for (int round = 0; round < 20 || (!pieces && round < 20000); round++) {
		struct helped h = { .r = { .t = { .in_order = true }, .n = N } };
		size_t slots[4];
		const struct ordered_work work = { .n = SIZE_MAX,
						   .read = read_with_help,
						   .make = make_of_read,
						   .take = take_helped,
						   .help = help,
						   .arg = &h,
						   .slots = slots,
						   .slot_size = sizeof(slots[0]),
						   .n_slots = 4,
						   .threads = 2 };

		assert_int_equal(threads_run_ordered(&work), 0);
		assert_int_equal(h.r.t.n, N);
		assert_true(h.r.t.in_order);
		assert_false(h.r.overlaps);
		pieces += h.pieces;
	}
	assert_true(pieces > 0);
}

static void nothing_to_do(void **state)
{
	struct taken t = { .in_order = true };

	(void)state;
	assert_int_equal(run(0, 3, 4, &t), 0);
	assert_int_equal(t.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_are_taken_in_order),
		cmocka_unit_test(the_taker_can_stop),
		cmocka_unit_test(items_are_read_in_order),
		cmocka_unit_test(the_taker_helps_while_it_waits),
		cmocka_unit_test(nothing_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
