/* SPDX-License-Identifier: LGPL-2.1-only */
/* The name of a function without its parameters; plugins use this header, too. */
#ifndef HIST_DIFF_FUNCTION_NAME_H
#define HIST_DIFF_FUNCTION_NAME_H

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

#endif
