// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The start and end of an html page.
 *
 * The page makes no requests, and its policy forbids them: it permits only the script and the style
 * that it contains, identified by their hashes (src/picture/embed).
 */
#include "picture/picture.h"

#include "picture/page.inc"

enum { MAX_MESSAGES = 100 };

/* Whether the message was already given. */
static bool is_repeated(const struct diags *messages, size_t i)
{
	return any_of(k, i,
		      messages->list.v[k].file == messages->list.v[i].file &&
			      !strcmp(messages->list.v[k].text, messages->list.v[i].text));
}

void page_begin(struct strbuf *out, const struct page_head *head)
{
	strbuf_addf(
		out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"script-src '%s'%s%s%s; style-src '%s'; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta name=\"generator\" content=\"hist\">\n<title>",
		page_js_hash, head->timeline ? " '" : "", head->timeline ? timeline_js_hash : "",
		head->timeline ? "'" : "", page_css_hash);
	markup_str(out, head->title);
	strbuf_addstr(out, "</title>\n<style>");
	strbuf_addstr(out, page_css);
	strbuf_addstr(out, "</style>\n</head>\n<body>\n<main>\n<h1>");
	markup_str(out, head->title);
	strbuf_addstr(out, "</h1>\n");
	if (head->subtitle) {
		strbuf_addstr(out, "<p class=\"sub\">");
		markup_str(out, head->subtitle);
		strbuf_addstr(out, "</p>\n");
	}
	if (head->messages) {
		const struct diags *messages = head->messages;
		size_t n = min_t(size_t, messages->list.n, MAX_MESSAGES);

		out->failed |= messages->failed;

		for (size_t i = 0; i < n; i++) {
			const struct diag *d = &messages->list.v[i];

			if (is_repeated(messages, i))
				continue;
			strbuf_addstr(out, d->level == DIAG_NOTE ? "<p class=\"note\">Note: "
								 : "<p class=\"warn\">Warning: ");
			if (d->file && !d->line) {
				markup_str(out, d->file);
				strbuf_addstr(out, ": ");
			}
			markup_str(out, d->text);
			strbuf_addstr(out, ".</p>\n");
		}
		if (messages->list.n > n)
			strbuf_addf(out, "<p class=\"note left-out\">%zu more messages</p>\n",
				    messages->list.n - n);
	}
}

void page_end(const struct page_head *head, struct strbuf *out)
{
	if (head->command) {
		strbuf_addstr(out, "<details class=\"repeat\"><summary>The command of this "
				   "page</summary>\n<pre>");
		markup_str(out, head->command);
		strbuf_addstr(out, "</pre></details>\n");
	}
	strbuf_addstr(out, "</main>\n<script>");
	strbuf_addstr(out, page_script);
	if (head->timeline) {
		strbuf_addstr(out, "</script>\n<script>");
		strbuf_addstr(out, timeline_js);
	}
	strbuf_addstr(out, "</script>\n</body>\n</html>\n");
}
