// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Defines and deletes synthetic events: builds the text of a definition, at once or piece by piece.
 * The text is processed like a line of synthetic_events.
 *
 * Corresponds to trace_events_synth.c.
 */
#include "dynevent/dynevent.h"

#undef dynevent_arg_add
#undef dynevent_arg_pair_add
#undef dynevent_arg_init
#undef dynevent_arg_pair_init

static bool has_type(const struct dynevent_cmd *cmd)
{
	return cmd->type == DYNEVENT_TYPE_SYNTH;
}

/* --- building the text --- */

int synth_event_add_field(struct dynevent_cmd *cmd, const char *type, const char *name)
{
	struct dynevent_arg_pair pair;
	int err;

	if (!has_type(cmd) || !type || !name)
		return -EINVAL;
	/* unknown types are refused here, without a message; arrays when the command is run */
	if (!strchr(type, '[') && !strcmp(synth_field_fmt(type), "%s"))
		return -EINVAL;
	dynevent_arg_pair_init(&pair, 0, ';');
	pair.lhs = type;
	pair.rhs = name;
	err = dynevent_arg_pair_add(cmd, &pair, NULL);
	if (err)
		return err;
	return ++cmd->n_fields > SYNTH_FIELDS_MAX ? -EINVAL : 0;
}

int synth_event_add_field_str(struct dynevent_cmd *cmd, const char *type_name)
{
	struct dynevent_arg arg;
	int err;

	if (!has_type(cmd) || !type_name)
		return -EINVAL;
	dynevent_arg_init(&arg, ';');
	arg.str = type_name;
	err = dynevent_arg_add(cmd, &arg, NULL);
	if (err)
		return err;
	return ++cmd->n_fields > SYNTH_FIELDS_MAX ? -EINVAL : 0;
}

int synth_event_add_fields(struct dynevent_cmd *cmd, struct synth_field_desc *fields,
			   unsigned int n_fields)
{
	int err = 0;

	for (unsigned int i = 0; i < n_fields && !err; i++)
		err = synth_event_add_field(cmd, fields[i].type, fields[i].name);
	return err;
}

static int start(struct dynevent_cmd *cmd, const char *name, struct hist *h)
{
	struct dynevent_arg arg;

	cmd->event_name = name ?: NULL_TEXT;
	cmd->private_data = h;
	if (!has_type(cmd))
		return -EINVAL;
	dynevent_arg_init(&arg, 0);
	arg.str = cmd->event_name;
	return dynevent_arg_add(cmd, &arg, NULL);
}

int __synth_event_gen_cmd_start(struct dynevent_cmd *cmd, const char *name, struct hist *h, ...)
{
	const char *type, *field;
	int err = start(cmd, name, h);
	va_list ap;

	va_start(ap, h);
	while (!err && (type = va_arg(ap, const char *)) && (field = va_arg(ap, const char *))) {
		/* kernel: fields are counted here and again where they are added */
		err = ++cmd->n_fields > SYNTH_FIELDS_MAX ? -EINVAL
							 : synth_event_add_field(cmd, type, field);
	}
	va_end(ap);
	return err;
}

int synth_event_gen_cmd_array_start(struct dynevent_cmd *cmd, const char *name, struct hist *h,
				    struct synth_field_desc *fields, unsigned int n_fields)
{
	if (n_fields > SYNTH_FIELDS_MAX)
		return -EINVAL;
	return start(cmd, name, h) ?: synth_event_add_fields(cmd, fields, n_fields);
}

/* --- running it --- */

/* The errno for a rejected definition; only a name that is in use has its own errno. */
static int refused(const struct trace_array *tr)
{
	const struct error_log *log = &tr->errors;
	const char *exists = synth_err_text[SYNTH_ERR_EVENT_EXISTS];

	return log->n && !strcmp(log->entries[log->n - 1].text, exists) ? -EEXIST : -EINVAL;
}

static int run_command(struct dynevent_cmd *cmd)
{
	struct hist *h = cmd->private_data;
	scoped(diags_release) struct diags ignored =
		DIAGS_INIT; /* error_log contains the message */
	int err;

	if (!h || !cmd->event_name)
		return -EINVAL;
	h->changed |= h->replayed;
	err = synth_event_run_command(h->tracing, cmd->seq.buffer, &ignored);
	if (err)
		return err == -HIST_EREJECTED ? refused(h->tracing->top) : dynevent_errno(err);
	/* the text may have defined an event of another name, which remains */
	return synth_event_find(h->tracing, span_of(cmd->event_name)) ? 0 : -ENOENT;
}

void synth_event_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen)
{
	dynevent_cmd_init(cmd, buf, maxlen, DYNEVENT_TYPE_SYNTH, run_command);
}

int synth_event_create(const char *name, struct synth_field_desc *fields, unsigned int n_fields,
		       struct hist *h)
{
	char buf[MAX_DYNEVENT_CMD_LEN];
	struct dynevent_cmd cmd;
	int err;

	synth_event_cmd_init(&cmd, buf, sizeof(buf));
	err = synth_event_gen_cmd_array_start(&cmd, name, h, fields, n_fields);
	return err ?: synth_event_gen_cmd_end(&cmd);
}

int(synth_event_delete)(const char *name, struct hist *h)
{
	scoped(strbuf_release) struct strbuf command = STRBUF_INIT;
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	int err;

	if (!synth_event_find(h->tracing, span_of(name)))
		return -ENOENT;
	strbuf_addf(&command, "!%s", name);
	h->changed |= h->replayed;
	err = command.failed ? HIST_NOMEM
			     : synth_event_run_command(h->tracing, command.s, &ignored);
	return err == -HIST_EREJECTED ? -EBUSY : dynevent_errno(err);
}
