#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""html_rows.py PAGE TSV: checks that a page is one table, or several, with the cells of TSV (empty lines between
tables), in well-formed elements, without scripts, links or images."""
import html.parser
import sys

VOID = {"meta"}
KNOWN = {"html", "head", "title", "style", "body", "h1", "table", "thead", "tbody", "tr", "th", "td"} | VOID


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tables, self.title, self.meta = [], [], "", []

    def handle_starttag(self, tag, attrs):
        assert tag in KNOWN, f"<{tag}>"
        assert all(not name.startswith("on") and name not in ("src", "href", "style") for name, _ in attrs), attrs
        if tag in VOID:
            self.meta.append(dict(attrs))
            return
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}>"

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data
        elif self.open and self.open[-1] == "title":
            self.title += data


page = Page()
with open(sys.argv[1], encoding="utf-8") as f:
    page.feed(f.read())
page.close()
assert page.open == ["html", "body"], page.open
assert page.title, "no title"
policy = next(m["content"] for m in page.meta if m.get("http-equiv") == "Content-Security-Policy")
assert policy.startswith("default-src 'none'") and "script-src" not in policy, policy
assert {"name": "color-scheme", "content": "light dark"} in page.meta
with open(sys.argv[2], encoding="utf-8") as f:
    want = [[line.split("\t") for line in table.split("\n")] for table in f.read().rstrip("\n").split("\n\n")]
# an escape is visible in both; a backslash of tsv that is doubled is doubled on the page
assert page.tables == want, next((p, w) for p, w in zip(page.tables + [None], want + [None]) if p != w)
print(page.title)
