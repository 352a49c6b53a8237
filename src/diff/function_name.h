/* SPDX-License-Identifier: LGPL-2.1-only */
/* The name of a function without its parameters; plugins use this header, too. */
#pragma once
#include <stdlib.h>
#include <string.h>

/* The characters of an operator after its word, which may look like brackets: "operator<<". */
static inline size_t function_operator_length(const char *s, const char *end)
{
	static const char word[] = "operator";
	const size_t n = sizeof(word) - 1;
	const char *at = s + n;

	if ((size_t)(end - s) <= n || memcmp(s, word, n) != 0)
		return 0;
	if (end - at >= 2 && !memcmp(at, "()", 2))
		return n + 2;
	while (at < end && strchr("<>=-", *at))
		at++;
	return (size_t)(at - s);
}

/*
 * The parentheses of the parameters: the last ones outside of other brackets, unless a name goes on
 * after them, as after "job(int)::" and "(*T)." of Go.
 */
static inline const char *function_parameters(const char *s, const char *end)
{
	const char *open = NULL, *after = end;
	size_t depth = 0;

	for (const char *at = s; at < end; at++) {
		const size_t skip = at == s || at[-1] == ':' || at[-1] == ' '
					    ? function_operator_length(at, end)
					    : 0;

		if (skip) {
			at += skip - 1;
		} else if (strchr("(<{[", *at)) {
			open = !depth++ && *at == '(' ? at : open;
		} else if (strchr(")>}]", *at) && (*at != '>' || at == s || at[-1] != '-')) {
			depth -= depth > 0;
			after = !depth && *at == ')' ? at + 1 : after;
		}
	}
	return after < end && (*after == ':' || *after == '.') ? NULL : open;
}

/* The length of the name in @s, @n bytes, of which [FILE (deleted)] has no parameters. */
static inline size_t function_name_length(const char *s, size_t n)
{
	const char *open = n && *s != '[' ? function_parameters(s, s + n) : NULL;

	return open && open > s ? (size_t)(open - s) : n;
}

/*
 * The functions in a text, of which those that differ only in their parameters keep them, as f(int)
 * and f(char). It is zeroed, gets all names, and is sorted before it is asked.
 */
struct function_names {
	struct function_whole {
		char *s;
		size_t cut;
	} * v;
	size_t n, size;
};

static inline int function_compare(const void *x, const void *y)
{
	const struct function_whole *a = x, *b = y;
	const size_t least = a->cut < b->cut ? a->cut : b->cut;
	const int order = memcmp(a->s, b->s, least);

	return order              ? order
	       : a->cut != b->cut ? (a->cut > b->cut ? 1 : -1)
				  : strcmp(a->s + a->cut, b->s + b->cut);
}

static inline void function_names_sort(struct function_names *f)
{
	size_t n = 0;

	if (f->n)
		qsort(f->v, f->n, sizeof(*f->v), function_compare);
	for (size_t i = 0; i < f->n; i++)
		if (n && !function_compare(&f->v[n - 1], &f->v[i]))
			free(f->v[i].s);
		else
			f->v[n++] = f->v[i];
	f->n = n;
}

/* Return: 0; -1: out of memory */
static inline int function_names_add(struct function_names *f, const char *s, size_t n)
{
	const size_t cut = function_name_length(s, n);

	if (cut == n) /* without parameters */
		return 0;
	if (f->n == f->size) {
		function_names_sort(f);
		/* so that it is not sorted for each name */
		if (f->n >= f->size / 2) {
			const size_t size = 2 * f->size + 64;
			void *v = realloc(f->v, size * sizeof(*f->v));

			if (!v)
				return -1;
			f->v = v;
			f->size = size;
		}
	}
	f->v[f->n].cut = cut;
	f->v[f->n].s = strndup(s, n);
	return f->v[f->n].s ? (f->n++, 0) : -1;
}

static inline int function_same_cut(const struct function_whole *a, const struct function_whole *b)
{
	return a->cut == b->cut && !memcmp(a->s, b->s, a->cut);
}

/* The length of the name to show. */
static inline size_t function_names_length(const struct function_names *f, const char *s, size_t n)
{
	const struct function_whole key = { (char *)s, function_name_length(s, n) };
	size_t low = 0, high = f->n;

	/* the first one with this short name */
	while (low < high) {
		const size_t middle = (low + high) / 2;
		const struct function_whole *at = &f->v[middle];
		const size_t least = at->cut < key.cut ? at->cut : key.cut;
		const int order = memcmp(at->s, s, least);

		if (order < 0 || (!order && at->cut < key.cut))
			low = middle + 1;
		else
			high = middle;
	}
	return low + 1 < f->n && function_same_cut(&f->v[low], &key) &&
			       function_same_cut(&f->v[low + 1], &key)
		       ? n
		       : key.cut;
}

static inline void function_names_release(struct function_names *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->v[i].s);
	free(f->v);
}
