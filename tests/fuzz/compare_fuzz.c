// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Two arbitrary saved results, separated by NUL: compared in each format and mode; merged, with the
 * same result in either order; the sum is printed as json, csv, tsv and text.
 */
#include "fuzz.h"

#include <string.h>

#include "base/base.h"
#include "hist-diff.h"
#include "hist-merge.h"

static const char *const diff_formats[] = { "text", "json", "csv", "markdown", "html", "junit" };
static const char *const merge_formats[] = { "json", "csv", "tsv", "text", "ndjson", "html" };

static int collect(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

static void compare(struct span before, struct span after, unsigned int how)
{
	const struct hist_diff_options options = {
		.n_before = 1,
		.n_after = 1,
		.mode = (enum hist_diff_mode)(how % 4),
		.format = diff_formats[how % ARRAY_SIZE(diff_formats)],
		.all = how & 1,
		.stats = how & 2,
	};
	struct diags *diags = hist_diags_new();
	struct strbuf out = STRBUF_INIT;
	enum hist_diff_verdict verdict;
	struct hist_diff *d;

	MUST(diags && !hist_diff_new(&options, &d, diags));
	if (!hist_diff_start_run(d, 0, "before", diags) &&
	    !hist_diff_add_saved(d, before.s, before.n, diags) &&
	    !hist_diff_start_run(d, 1, "after", diags) &&
	    !hist_diff_add_saved(d, after.s, after.n, diags) &&
	    !hist_diff_print(d, collect, &out, &verdict, diags))
		MUST(verdict <= HIST_DIFF_INCONCLUSIVE);
	hist_diff_free(d);
	hist_diags_free(diags);
	strbuf_release(&out);
}

static int merge(struct span a, struct span b, const char *format, struct strbuf *out)
{
	struct hist_merge *m = hist_merge_new();
	struct diags *diags = hist_diags_new();
	int err;

	MUST(m && diags);
	err = hist_merge_add(m, "x", a.s, a.n, diags);
	if (!err)
		err = hist_merge_add(m, "x", b.s, b.n, diags);
	if (!err)
		err = hist_merge_print(m, &(struct hist_run_options){ .format = format }, collect,
				       out, diags);
	MUST(!err || hist_diags_count(diags));
	hist_merge_free(m);
	hist_diags_free(diags);
	return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *nul = memchr(text, 0, size);
	const char *format = merge_formats[size % ARRAY_SIZE(merge_formats)];
	struct strbuf one = STRBUF_INIT, other = STRBUF_INIT;
	struct span a, b;
	int err;

	if (!nul)
		return 0;
	a = (struct span){ text, (size_t)(nul - text) };
	b = (struct span){ nul + 1, size - a.n - 1 };
	compare(a, b, (unsigned int)size);
	err = merge(a, b, format, &one);
	MUST(!err == !merge(b, a, format, &other));
	if (!err && strcmp(format, "text") != 0)
		MUST(one.len == other.len && !memcmp(one.s, other.s, one.len));
	strbuf_release(&one);
	strbuf_release(&other);
	return 0;
}
