// SPDX-License-Identifier: GPL-2.0-only
/* hist mcp: answers a program that asks in the Model Context Protocol, on its standard input. */
#include "cmd/mcp_tools.h"
#include "hist-session.h"

struct mcp_args {
	struct cmd_args a;
	const char *memory, *symfs;
};

static const struct cmd_option options[] = {
	CMD_HEADING("The recordings:", 1),
	{ "input", 'i', "FILE", 0, "Answer about this recording; several are separate ones", 1,
	  CMD_TEXTS(struct cmd_args, input.paths) },
	{ "symfs", 0, "DIR", 0,
	  "Read the files of programs, whose symbols are keys, in DIR, too; / are those of this machine",
	  1, CMD_TEXT(struct mcp_args, symfs) },
	{ "memory", 0, "SIZE", 0,
	  "Memory for an answer, and half of it for what is kept for the next one, such as 500M or 4G; default: half of the machine's",
	  1, CMD_TEXT(struct mcp_args, memory) },
	{ 0 },
};

static int check_inputs(const struct mcp_args *m, u64 *memory)
{
	*memory = 0;
	if (m->memory && !cmd_parse_size(m->memory, "KMG", memory))
		return diags_error(m->a.diags, -HIST_EINVAL,
				   "--memory takes a size such as 500M or 4G, not '%s'", m->memory);
	if (!m->a.input.paths.n)
		return diags_error(m->a.diags, -HIST_EINVAL,
				   "name the recordings that may be read: hist mcp -i FILE...");
	for (size_t i = 0; i < m->a.input.paths.n; i++)
		if (access(m->a.input.paths.v[i], R_OK))
			return diags_error(m->a.diags, -HIST_ENOENT, "%s: %s",
					   m->a.input.paths.v[i], strerror(errno));
	return 0;
}

/* The next line in @line; false: the end. What is longer than a message may be is not stored. */
static bool read_line(struct strbuf *line, bool *too_long)
{
	enum { MESSAGE_MAX = 1000000 };
	int c;

	strbuf_reset(line);
	*too_long = false;
	while ((c = getc_unlocked(stdin)) != EOF && c != '\n') {
		*too_long |= line->len >= MESSAGE_MAX;
		if (!*too_long)
			strbuf_addch(line, (char)c);
	}
	return c == '\n' || line->len;
}

static int mcp_main(void *args)
{
	struct mcp_args *m = args;
	struct mcp_session session = { .recordings = m->a.input.paths.v,
				       .n_recordings = m->a.input.paths.n,
				       .memory = m->memory,
				       .symfs = m->symfs };
	const struct mcp mcp = mcp_tools(&session);
	scoped(strbuf_release) struct strbuf line = STRBUF_INIT, answer = STRBUF_INIT;
	u64 memory;
	int err = check_inputs(m, &memory);
	bool too_long;

	if (!err && !(session.kept = hist_session_new(memory / 2)))
		err = HIST_NOMEM;
	while (!err && read_line(&line, &too_long)) {
		strbuf_reset(&answer);
		if (too_long)
			mcp_refuse(&answer);
		else
			err = line.failed ? HIST_NOMEM
					  : mcp_answer(&mcp, strbuf_span(&line), &answer);
		fwrite(answer.s, 1, answer.len, stdout);
		if (fflush(stdout))
			break; /* the program that asked has ended */
	}
	hist_session_free(session.kept);
	return err;
}

const struct cmd cmd_mcp = {
	.name = "mcp",
	.summary = "answers programs that ask in the Model Context Protocol",
	.size = sizeof(struct mcp_args),
	.line = {
		.options = options,
		.arguments = offsetof(struct cmd_args, input.paths),
		.args_doc = "[FILE...]",
		.doc = "A server of the Model Context Protocol on standard input and output: a program, such as an agent with a "
		       "language model, asks about the named recordings.\v"
		       "Nothing but these recordings and the recipes of hist is read, and nothing is written.\n\n"
		       "  hist mcp -i trace.dat\n"
		       "\n"
		       "Exit status: 0 at the end of the input, 2 on trouble.",
	},
	.main = mcp_main,
};
