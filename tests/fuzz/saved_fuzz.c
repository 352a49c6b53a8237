// SPDX-License-Identifier: LGPL-2.1-only
/* saved: arbitrary text as a result. If accepted, it can be merged, written and read again. */
#include "fuzz.h"
#include "print/print.h"
#include "saved/saved.h"

static int collect(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

static void print(const struct result *r, struct strbuf *out)
{
	const struct format_options options = { .u64_as_string = false };
	struct printer p = { .buf = STRBUF_INIT, .sink = collect, .arg = out };

	format_json.print(&format_json, r, &options, &p);
	print_hist(&p, r, &options);
	MUST(!printer_end(&p));
	strbuf_reset(out);
	p = (struct printer){ .buf = STRBUF_INIT, .sink = collect, .arg = out };
	format_json.print(&format_json, r, &options, &p);
	MUST(!printer_end(&p));
}

/* Check the sum of the results with themselves. */
static void check(const saved_array *list)
{
	struct strbuf text = STRBUF_INIT;
	const struct merge_input in = { .name = "a" };
	struct result_merge m = { .n_added = 0 };
	struct diags diags = DIAGS_INIT;
	saved_array again = ARRAY_INIT;

	if (!merge_add(&m, &in, list, &diags)) {
		MUST(!merge_add(&m, &in, list, &diags));
		MUST(!merge_end(&m));
		for (size_t i = 0; i < m.results.n; i++) {
			strbuf_reset(&text);
			print(m.results.v[i], &text);
			MUST(!saved_read("c", (struct span){ text.s, text.len }, &again, &diags));
		}
	}
	merge_release(&m);
	saved_array_release(&again);
	strbuf_release(&text);
	diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	saved_array list = ARRAY_INIT;
	struct diags diags = DIAGS_INIT;
	int err = saved_read("fuzz", (struct span){ (const char *)data, size }, &list, &diags);

	MUST(!err == !diags_has_error(&diags, 0));
	if (!err && list.n)
		check(&list);
	saved_array_release(&list);
	diags_release(&diags);
	return 0;
}
