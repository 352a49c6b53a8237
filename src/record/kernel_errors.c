// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the entry about our text in error_log, which contains the latest errors of all users, and
 * converts its message and caret to a diagnosis. Corresponds to tracing_log_err() and its printer.
 */
#include "record/kernel_errors.h"
#include "record/tracedir.h"

bool error_log_last(struct span text, struct span *message, struct span *command, unsigned int *pos)
{
	static const char before[] = "  Command: ";
	struct span last = { NULL, 0 }, caret;
	bool found = false;

	while (text.s) {
		struct span line = span_sep(&text, "\n");
		const char *cut;

		if (!span_starts(line, before)) {
			last = line;
			continue;
		}
		*command = span_skip(line, strlen(before));
		caret = span_sep(&text, "\n");
		*pos = caret.n > strlen(before) ? (unsigned int)(caret.n - 1 - strlen(before)) : 0;
		/* "[ TIME] event filter parse error: error: MESSAGE" */
		while (last.s && (cut = span_find(last, span_of("error: "))))
			last = span_between(cut + strlen("error: "), last.s + last.n);
		*message = last;
		found = true;
	}
	return found;
}

/* Find the entry about @text; an older entry about another text is ignored. */
static bool find_entry(const char *log, size_t n, const char *text, struct span *message,
		       unsigned int *pos)
{
	struct span command;

	return log && error_log_last((struct span){ log, n }, message, &command, pos) &&
	       span_same(span_trim(command), span_trim(span_of(text)));
}

bool error_log_has(struct tracefs_instance *instance, const char *text)
{
	size_t n;
	char *log = tracedir_read(instance, "error_log", &n);
	struct span message;
	unsigned int pos;
	bool found = find_entry(log, n, text, &message, &pos);

	free(log);
	return found;
}

int error_log_report(struct tracefs_instance *instance, const char *what, const char *text,
		     struct diags *diags)
{
	size_t n;
	char *log = tracedir_read(instance, "error_log", &n);
	struct span message;
	unsigned int pos = 0;
	struct diag *d;

	if (!find_entry(log, n, text, &message, &pos)) {
		message = span_of("the kernel refuses it");
		pos = 0;
	}
	d = diags_add(diags, DIAG_ERROR, "%s: %.*s", what, (int)message.n, message.s);
	if (d) {
		d->cmd = arena_strdup(&diags->arena, text);
		d->pos = pos;
	}
	free(log);
	return -HIST_EREJECTED;
}
