// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Builds commands piece by piece as one text in the caller's buffer. The command's own function
 * runs the text.
 *
 * Invariant: of an argument that does not fit, only what fits is there, and of later ones nothing.
 * Corresponds to trace_dynevent.c and, for the buffer, lib/seq_buf.c.
 */
#include "dynevent/dynevent.h"

#undef dynevent_arg_add
#undef dynevent_arg_pair_add
#undef dynevent_arg_init
#undef dynevent_arg_pair_init

static int overflow(struct seq_buf *s)
{
	s->len = s->size + 1;
	return -E2BIG;
}

__attribute__((format(printf, 2, 3))) static int seq_printf(struct seq_buf *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (s->len >= s->size)
		return overflow(s);
	va_start(ap, fmt);
	n = vsnprintf(s->buffer + s->len, s->size - s->len, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= s->size - s->len)
		return overflow(s);
	s->len += (size_t)n;
	return 0;
}

void dynevent_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen, enum dynevent_type type,
		       dynevent_create_fn_t run_command)
{
	*cmd = (struct dynevent_cmd){
		.seq = { .buffer = buf, .size = maxlen > 0 ? (size_t)maxlen : 0 },
		.type = type,
		.run_command = run_command,
	};
	if (cmd->seq.size)
		buf[0] = '\0';
}

void dynevent_arg_init(struct dynevent_arg *arg, char separator)
{
	*arg = (struct dynevent_arg){ .separator = separator ? separator : ' ' };
}

void dynevent_arg_pair_init(struct dynevent_arg_pair *pair, char op, char separator)
{
	*pair = (struct dynevent_arg_pair){
		.operator= op ? op : ' ',
		.separator = separator ? separator : ' ',
	};
}

int dynevent_arg_add(struct dynevent_cmd *cmd, struct dynevent_arg *arg,
		     dynevent_check_arg_fn_t check_arg)
{
	int err = check_arg ? check_arg(arg) : arg->check_arg ? arg->check_arg(arg) : 0;

	if (err)
		return err;
	if (!arg->str)
		return -EINVAL;
	return seq_printf(&cmd->seq, " %s%c", arg->str, arg->separator);
}

int dynevent_arg_pair_add(struct dynevent_cmd *cmd, struct dynevent_arg_pair *pair,
			  dynevent_check_arg_fn_t check_arg)
{
	int err = check_arg ? check_arg(pair) : pair->check_arg ? pair->check_arg(pair) : 0;

	if (err)
		return err;
	if (!pair->lhs || !pair->rhs)
		return -EINVAL;
	return seq_printf(&cmd->seq, " %s%c%s%c", pair->lhs, pair->operator, pair->rhs,
			  pair->separator);
}

int dynevent_str_add(struct dynevent_cmd *cmd, const char *str)
{
	if (!str)
		return -EINVAL;
	if (cmd->seq.len + strlen(str) >= cmd->seq.size)
		return overflow(&cmd->seq);
	return seq_printf(&cmd->seq, "%s", str);
}

int dynevent_create(struct dynevent_cmd *cmd)
{
	return cmd->run_command ? cmd->run_command(cmd) : -EINVAL;
}

int dynevent_errno(int err)
{
	switch (err) {
	case 0:
		return 0;
	case -HIST_ENOMEM:
		return -ENOMEM;
	case -HIST_ENOENT:
		return -ENOENT;
	default:
		return -EINVAL;
	}
}
