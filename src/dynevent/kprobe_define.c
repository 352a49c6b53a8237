// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Defines kprobes and kretprobes: builds the text of a definition, which is processed like a line
 * of kprobe_events.
 *
 * Corresponds to trace_kprobe.c.
 */
#include "dynevent/dynevent.h"

#undef dynevent_arg_add
#undef dynevent_arg_init
#undef kprobe_event_cmd_init
#undef kprobe_event_delete

/* With its NUL, of "p:GROUP/EVENT" and of what deletes one: the rest is cut off. */
#define MAX_EVENT_NAME_LEN 64

static bool has_type(const struct dynevent_cmd *cmd)
{
	return cmd->type == DYNEVENT_TYPE_KPROBE;
}

static int add_arg(struct dynevent_cmd *cmd, const char *text)
{
	struct dynevent_arg arg;

	dynevent_arg_init(&arg, 0);
	arg.str = text;
	return dynevent_arg_add(cmd, &arg, NULL);
}

static int add_fields(struct dynevent_cmd *cmd, va_list ap)
{
	const char *field;
	int err = 0;

	while (!err && (field = va_arg(ap, const char *)))
		err = ++cmd->n_fields > PROBE_ARGS_MAX ? -EINVAL : add_arg(cmd, field);
	return err;
}

int __kprobe_event_gen_cmd_start(struct dynevent_cmd *cmd, bool kretprobe, const char *name,
				 const char *loc, ...)
{
	char text[MAX_EVENT_NAME_LEN];
	va_list ap;
	int err;

	if (!has_type(cmd) || !loc)
		return -EINVAL;
	cmd->event_name = name ?: NULL_TEXT;
	snprintf(text, sizeof(text), "%c:kprobes/%s", kretprobe ? 'r' : 'p', cmd->event_name);
	err = dynevent_str_add(cmd, text);
	err = err ?: add_arg(cmd, loc);
	if (err)
		return err;
	va_start(ap, loc);
	err = add_fields(cmd, ap);
	va_end(ap);
	return err;
}

int __kprobe_event_add_fields(struct dynevent_cmd *cmd, ...)
{
	va_list ap;
	int err;

	if (!has_type(cmd))
		return -EINVAL;
	va_start(ap, cmd);
	err = add_fields(cmd, ap);
	va_end(ap);
	return err;
}

/* The errno for a rejected definition; only a name that is in use has its own errno. */
static int refused(const struct trace_array *tr)
{
	static const enum probe_err taken[] = { PROBE_ERR_SAME_PROBE, PROBE_ERR_DIFF_ARG_TYPE,
						PROBE_ERR_DIFF_PROBE_TYPE, PROBE_ERR_EVENT_EXIST };
	const struct error_log *log = &tr->errors;

	for (size_t i = 0; i < ARRAY_SIZE(taken) && log->n; i++)
		if (!strcmp(log->entries[log->n - 1].text, probe_err_text[taken[i]]))
			return -EEXIST;
	return -EINVAL;
}

static int run_command(struct dynevent_cmd *cmd)
{
	static const struct probe_rules rules = { .long_size = sizeof(long),
						  .casts = true,
						  .counts_args = true };
	struct hist *h = cmd->private_data;
	scoped(diags_release) struct diags ignored =
		DIAGS_INIT; /* error_log contains the message */
	struct arena arena = ARENA_INIT;
	struct probe_text text;
	int err;

	if (!cmd->event_name)
		return -EINVAL;
	if (!h) { /* check only the text, without a directory */
		err = probe_text_cut(&arena, span_of(cmd->seq.buffer), &rules, &text);
		arena_release(&arena);
		return !err && text.bad ? -EINVAL : dynevent_errno(err);
	}
	h->changed |= h->replayed;
	err = probe_event_run_command(h->tracing, cmd->seq.buffer, &ignored);
	return err == -HIST_EREJECTED ? refused(h->tracing->top) : dynevent_errno(err);
}

void kprobe_event_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen, struct hist *h)
{
	dynevent_cmd_init(cmd, buf, maxlen, DYNEVENT_TYPE_KPROBE, run_command);
	cmd->private_data = h;
}

int kprobe_event_delete(const char *name, struct hist *h)
{
	char command[MAX_EVENT_NAME_LEN];
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	struct span group = { NULL, 0 }, event;
	const struct probe *probe;
	const char *slash;
	int err;

	snprintf(command, sizeof(command), "-:%s", name ?: NULL_TEXT);
	event = span_of(command + 2);
	slash = span_chr(event, '/');
	if (slash) {
		group = span_between(event.s, slash);
		event = span_of(slash + 1);
	}
	if (!event.n)
		return -EINVAL;
	probe = probe_find(h->tracing, group, event);
	if (!probe || probe->text.is_user)
		return -ENOENT;
	h->changed |= h->replayed;
	err = probe_event_run_command(h->tracing, command, &ignored);
	return err == -HIST_EREJECTED ? -EBUSY : dynevent_errno(err);
}
