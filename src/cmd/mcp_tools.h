/* SPDX-License-Identifier: GPL-2.0-only */
/* The tools of hist mcp: each is a verb, whose answer is made to fit. */
#pragma once
#include "cmd/cmd.h"
#include "mcp/mcp.h"

/* Borrowed: the recordings of the command line. */
struct mcp_session {
	const char *const *recordings;
	size_t n_recordings;
	const char *memory; /* of --memory; NULL: the default */
	struct hist_session *kept;
	const char *symfs; /* files of programs below may be read; NULL: none */
};

/* A server of these tools. @session: borrowed as long as it is used */
struct mcp mcp_tools(struct mcp_session *session);

/* About how many tokens a text has. */
size_t mcp_tokens(struct span text);

/*
 * Append the lines of a text, as many as fit into @room tokens: of its parts, which blank lines
 * separate, the first ones, and what is left out. @more: it does not end here
 */
void mcp_fit(struct strbuf *out, struct span text, size_t room, bool more);
