// SPDX-License-Identifier: LGPL-2.1-only
/* Sorts names by their distance from a name that does not exist. */
#include "base/base.h"

enum { NAME_MAX_LEN = 63 };

/*
 * Number of letters to change, insert or remove to turn one name into the other; large if too long.
 */
static size_t distance_of(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b), row[NAME_MAX_LEN + 1];

	if (na > NAME_MAX_LEN || nb > NAME_MAX_LEN)
		return SIZE_MAX / 2;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t up = row[j], change = corner + (a[i - 1] != b[j - 1]);

			row[j] = min_t(size_t, change, min_t(size_t, row[j - 1], up) + 1);
			corner = up;
		}
	}
	return row[nb];
}

/* Whether only two letters that follow each other have changed places. */
static bool is_swapped(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a && *b && a[0] == b[1] && a[1] == b[0] && !strcmp(a + 2, b + 2);
}

void near_offer(struct near *near, const char *name, const char *shown)
{
	size_t limit = max_t(size_t, 2, strlen(near->wanted) / 3);
	size_t distance = distance_of(near->wanted, name), at = near->n;

	/* two letters in the wrong order are one mistake */
	if (distance == 2 && is_swapped(near->wanted, name))
		distance = 1;
	/* a part of a name is a reasonable guess */
	if (strlen(near->wanted) >= 4 && strstr(name, near->wanted))
		distance = min_t(size_t, distance, limit);
	if (distance > limit)
		return;
	while (at && near->best[at - 1].distance > distance)
		at--;
	if (at == NEAR_MAX)
		return;
	near->n += near->n < NEAR_MAX;
	memmove(&near->best[at + 1], &near->best[at], (near->n - 1 - at) * sizeof(near->best[0]));
	near->best[at].shown = shown;
	near->best[at].distance = distance;
}

void near_text(const struct near *near, struct strbuf *out)
{
	for (size_t i = 0; i < near->n; i++)
		strbuf_addf(out, "%s%s", i ? ", " : "", near->best[i].shown);
}

char *near_event_word(char *word)
{
	static const char *const kinds[] = { "tracepoint:", "t:", "rawtracepoint:", "rt:" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t n = strlen(kinds[i]);

		if (!strncmp(word, kinds[i], n) && strchr(word + n, ':'))
			return word + n;
	}
	return word;
}
