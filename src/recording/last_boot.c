// SPDX-License-Identifier: LGPL-2.1-only
/* Symbols of a buffer that another boot wrote, from the options of the recording. */
#include "recording/last_boot.h"

/* The text after "INSTANCE:" of the option of that buffer; absent if there is none. */
static struct span info_of(const struct recording *rec, const char *buffer)
{
	size_t n, len = strlen(buffer);
	const struct trace_dat_option *options = trace_dat_options(rec->td, &n);

	for (size_t i = 0; i < n; i++) {
		struct span text = { (const char *)options[i].data, options[i].size };

		if (options[i].id != TRACE_DAT_LAST_BOOT || text.n <= len ||
		    memcmp(text.s, buffer, len) != 0 || text.s[len] != ':')
			continue;
		text.n = strnlen(text.s, text.n);
		return span_skip(text, min_t(size_t, len + 1, text.n));
	}
	return (struct span){ NULL, 0 };
}

int last_boot_symbols(const struct recording *rec, const char *buffer, struct arena *arena,
		      struct span *text, struct diags *diags)
{
	struct event_boot boot = { .info = info_of(rec, buffer), .kallsyms = *text };
	struct strbuf moved = STRBUF_INIT;
	int err;

	if (!event_other_boot(boot.info))
		return 0;
	err = trace_dat_section(rec->td, TRACE_DAT_MODULES, &boot.modules, diags);
	if (err == HIST_NOMEM)
		return err;
	err = event_boot_symbols(&boot, rec->path, &moved, diags);
	if (!err) {
		*text = (struct span){ arena_strndup(arena, moved.s, moved.len), moved.len };
		err = text->s ? 0 : HIST_NOMEM;
	}
	strbuf_release(&moved);
	return err;
}
