// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The start and end of an html page.
 *
 * The page makes no requests, and its policy forbids them: it permits only the script and the style
 * that it contains, identified by their hashes (src/picture/embed).
 */
#include "picture/picture.h"

#include "picture/page.inc"

void page_begin(struct strbuf *out, const char *title)
{
	strbuf_addf(out,
		    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<meta name=\"color-scheme\" content=\"light dark\">\n"
		    "<meta name=\"generator\" content=\"hist\">\n<title>",
		    page_js_hash, page_css_hash);
	markup_str(out, title);
	strbuf_addstr(out, "</title>\n<style>");
	strbuf_addstr(out, page_style);
	strbuf_addstr(out, "</style>\n</head>\n<body>\n<main>\n<h1>");
	markup_str(out, title);
	strbuf_addstr(out, "</h1>\n");
}

void page_end(struct strbuf *out)
{
	strbuf_addstr(out, "</main>\n<script>");
	strbuf_addstr(out, page_script);
	strbuf_addstr(out, "</script>\n</body>\n</html>\n");
}
