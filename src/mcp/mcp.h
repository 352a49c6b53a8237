/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * mcp: the server side of the Model Context Protocol: JSON-RPC 2.0, one message in each line. It
 * knows the protocol, and what tools and resources are; what a tool does is the caller's.
 */
#pragma once
#include "base/base.h"

enum mcp_type {
	MCP_TEXT,   /* also a number, or an array of texts, which commas then separate */
	MCP_PAIRS,  /* an object: a text "NAME=VALUE" for each member */
	MCP_NUMBER, /* a natural number */
	MCP_FLAG,   /* true; false is as if it were absent */
	MCP_NEEDED, /* a text, without which the tool is not called */
};

/* An argument of tools. */
struct mcp_property {
	const char *name;
	enum mcp_type type;
	const char *doc;    /* for the model that asks; NULL: the name is enough */
	const char *option; /* what it is to the tool; not the protocol's business */
	unsigned int tools; /* bits of those that have it */
};

struct mcp_tool {
	const char *name, *doc;
	unsigned int bit;
};

/* An argument as it was given: a text with a NUL; a flag is "true". */
struct mcp_value {
	const struct mcp_property *property;
	const char *text;
};

struct mcp_values {
	const struct mcp_value *v; /* in the order of the properties */
	size_t n;
};

struct mcp {
	const char *instructions;
	const struct mcp_tool *const *tools;
	size_t n_tools;
	const struct mcp_property *properties; /* of all tools; one without a name ends them */
	/* Append the answer of a tool; false: it is an error, which the model reads */
	bool (*call)(void *arg, const struct mcp_tool *tool, const struct mcp_values *values,
		     struct strbuf *out);
	/* The name of the @i-th resource; NULL: there are no more */
	const char *(*resource)(void *arg, size_t i);
	/* Append its text. Return: as ->call() */
	bool (*read)(void *arg, size_t i, struct strbuf *out);
	void *arg;
};

/* The value of an argument; NULL: it was not given. */
const char *mcp_value(const struct mcp_values *values, const char *name);

/*
 * Answer a message: a line with the answer is appended to @out, or nothing, if none is due. Return:
 * 0, -HIST_ENOMEM
 */
int mcp_answer(const struct mcp *mcp, struct span message, struct strbuf *out);

/* The answer to a message that is longer than a server accepts. */
void mcp_refuse(struct strbuf *out);
