// SPDX-License-Identifier: LGPL-2.1-only
/* text: word-wise copies compared with byte-wise copies, for all lengths and positions of NUL. */
#include <stdlib.h>

#include "unit.h"

enum { ROOM = 64 };

/* Various letters, including values next to NUL. */
static void fill(char *s, size_t n, unsigned int seed)
{
	static const char letters[] = { 'a', 1, '\x80', '\xff', '\x7f', 'z', '\x81' };

	for (size_t i = 0; i < n; i++)
		s[i] = letters[(i * 5 + seed) % sizeof(letters)];
}

static void copies(void **state)
{
	char from[ROOM], to[ROOM];

	(void)state;
	for (size_t max = 0; max <= 40; max++) {
		for (size_t n = 0; n <= 48; n++) {
			fill(from, ROOM, (unsigned int)(max + n));
			from[n] = '\0';
			memset(to, 'x', ROOM);
			assert_int_equal(text_copy(to, from, max), strnlen(from, max));
			assert_memory_equal(to, from, strnlen(from, max));
			assert_int_equal(to[ALIGN_UP(max, 8u)], 'x');
		}
	}
}

static void copies_arrays(void **state)
{
	char from[ROOM], to[ROOM], want[ROOM];

	(void)state;
	for (size_t size = 8; size <= 32; size += 8) {
		for (size_t n = 0; n <= size; n++) {
			size_t len = min_t(size_t, n, size - 1);

			fill(from, ROOM, (unsigned int)(size + n));
			if (n < size)
				from[n] = '\0';
			memset(to, 'x', ROOM);
			memset(want, 'x', ROOM);
			memset(want, 0, size);
			memcpy(want, from, len);
			text_copy_array(to, from, size);
			assert_memory_equal(to, want, ROOM);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(copies), TEST(copies_arrays) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
