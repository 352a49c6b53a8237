// SPDX-License-Identifier: LGPL-2.1-only
/*
 * systrace writes a page: a viewer, and the trace as a string of a script (var linuxPerfData =
 * "..."), or as the text of elements <script class="trace-data">; a page may have several, and
 * others that are JSON. atrace -z prints a line TRACE: and the text compressed by zlib.
 */
#include "import/inflate.h"
#include "import/text_page.h"

/*
 * Limit of a compressed text, which is in memory as a whole: 64 times its file, and 16 MiB. That of
 * events is 5 to 20 times as large as its file.
 */
static size_t text_max(size_t compressed)
{
	return min_t(u64, 1ull << 31, (16ull << 20) + 64 * (u64)compressed);
}

static const char compressed[] = "TRACE:\n\x78";

static bool is_page(struct span head)
{
	static const char *const begins[] = { "<!DOCTYPE html", "<html" };

	while (head.n && is_space(head.s[0]))
		head = span_skip(head, 1);
	return any_of(i, ARRAY_SIZE(begins),
		      head.n >= strlen(begins[i]) &&
			      !strncasecmp(head.s, begins[i], strlen(begins[i])));
}

/* The zlib stream of atrace -z; absent if it is something else. */
static struct span find_compressed(struct span whole)
{
	struct span head = { whole.s, min_t(size_t, whole.n, IMPORT_HEAD) };
	const char *at = span_find(head, span_of(compressed));

	if (!at)
		return (struct span){ NULL, 0 };
	return span_between(at + sizeof(compressed) - 2, whole.s + whole.n);
}

bool text_is_wrapped(struct span head)
{
	return is_page(head) || find_compressed(head).s;
}

/* Append a string of JavaScript, up to its quote. Return: what follows it */
static struct span add_string(struct span rest, struct strbuf *text)
{
	while (rest.n && rest.s[0] != '"') {
		const char *special = rest.s;

		while (special < rest.s + rest.n && *special != '"' && *special != '\\')
			special++;
		strbuf_add(text, rest.s, (size_t)(special - rest.s));
		rest = span_between(special, rest.s + rest.n);
		if (!rest.n || rest.s[0] == '"')
			break;
		/* the page ends in an escape */
		if (rest.n == 1)
			return span_skip(rest, 1);
		/* an escaped end of a line only continues the string */
		if (rest.s[1] == 'n')
			strbuf_addch(text, '\n');
		else if (rest.s[1] == 't')
			strbuf_addch(text, '\t');
		else if (rest.s[1] != '\n' && rest.s[1] != '\r')
			strbuf_addch(text, rest.s[1]);
		rest = span_skip(rest, 2);
	}
	return rest;
}

static void add_strings(struct span page, struct strbuf *text)
{
	static const char variable[] = "linuxPerfData";
	const char *at;

	while ((at = span_find(page, span_of(variable)))) {
		page = span_between(at + sizeof(variable) - 1, page.s + page.n);
		while (page.n && strchr(" =", page.s[0]))
			page = span_skip(page, 1);
		if (!span_starts(page, "\""))
			continue;
		page = add_string(span_skip(page, 1), text);
		strbuf_addch(text, '\n');
	}
}

static void add_elements(struct span page, struct strbuf *text)
{
	static const char class[] = "class=\"trace-data\"";
	const char *at;

	while ((at = span_find(page, span_of(class)))) {
		struct span element, end = span_between(at, page.s + page.n);
		const char *close;

		at = span_chr(end, '>');
		if (!at)
			break;
		page = span_between(at + 1, page.s + page.n);
		close = span_find(page, span_of("</script>"));
		element = span_between(page.s, close ?: page.s + page.n);
		page = span_skip(page, element.n);
		element = span_trim(element);
		/* JSON, such as the events of Chrome */
		if (span_starts(element, "{") || span_starts(element, "["))
			continue;
		strbuf_add(text, element.s, element.n);
		strbuf_addch(text, '\n');
	}
}

struct inflated_text {
	struct strbuf *text;
	size_t max;
};

static int add_text(void *arg, const void *p, size_t n)
{
	const struct inflated_text *to = arg;

	strbuf_add(to->text, p, n);
	return to->text->failed ? HIST_NOMEM : to->text->len >= to->max;
}

int text_unwrap(const char *name, struct span whole, struct strbuf *text, struct diags *diags)
{
	struct span from = find_compressed(whole);

	if (from.s) {
		struct inflated_text to = { text, text_max(from.n) };
		bool complete;
		int err = inflate_stream(from, INFLATE_ZLIB, add_text, &to, &complete);

		if (err < 0 || complete)
			return min_t(int, err, 0);
		if (err)
			return diags_error(
				diags, -HIST_EFORMAT,
				"%s: the trace in it has more than %zu MiB, which is the limit "
				"for a compressed one of %zu bytes: decompress it, and import the text",
				name, to.max >> 20, from.n);
		diags_add(
			diags, DIAG_WARNING,
			"%s: the compressed trace is damaged, or its end is missing; %zu bytes of it were read",
			name, text->len);
		return text->len ? 0 : -HIST_EFORMAT;
	}
	add_strings(whole, text);
	add_elements(whole, text);
	if (text->failed)
		return HIST_NOMEM;
	return text->len ? 0
			 : diags_error(diags, -HIST_EUNSUPPORTED,
				       "%s: is a web page without a trace of systrace in it", name);
}
