// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Takes a message of JSON-RPC apart, and writes its answer.
 *
 * Members may come in any order, so the texts of id and params are noted first, and params are read
 * when the method is known. The id is copied as it was written. A mistake in the arguments of a
 * tool is an answer that the model reads, with what it can write; a mistake in the protocol is an
 * error for the program.
 */
#include "hist.h"
#include "mcp/mcp.h"
#include "json/json.h"
#include "table/table.h"

enum { PARSE = -32700, INVALID_REQUEST = -32600, UNKNOWN_METHOD = -32601, INVALID_PARAMS = -32602 };

/* The newest first; all have the same messages, as far as a server of tools needs them. */
static const char *const versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };

static const char scheme[] = "recording:";

struct message {
	struct span method, id, params; /* absent: { NULL } */
	bool answers;                   /* it has a result or an error, so no answer is due */
	struct arena arena;
};

/* The text of the next value, which is skipped. */
static struct span skip_value(struct json_in *in)
{
	const char *start;

	json_in_at_end(in);
	start = in->p;
	return json_in_skip(in) ? span_trim(span_between(start, in->p)) : (struct span){ NULL, 0 };
}

/* A copy, because the reader uses its room again. */
static struct span copy(struct arena *arena, struct span text)
{
	return (struct span){ arena_strndup(arena, text.s, text.n), text.n };
}

static void read_message(struct json_in *in, struct message *m)
{
	struct span name;

	if (!json_in_open(in, '{'))
		return;
	while (json_in_member(in, &name)) {
		if (span_eq(name, "method") && json_in_text(in, &name))
			m->method = copy(&m->arena, name);
		else if (span_eq(name, "id"))
			m->id = skip_value(in);
		else if (span_eq(name, "params"))
			m->params = skip_value(in);
		else if (!in->problem) {
			m->answers |= span_eq(name, "result") || span_eq(name, "error");
			json_in_skip(in);
		}
	}
	if (!in->problem && !json_in_at_end(in))
		json_in_fail(in, "text follows the message");
}

static bool is_utf8(struct span text)
{
	while (text.n) {
		const size_t n = utf8_length(text);

		if (!n)
			return false;
		text = span_skip(text, n);
	}
	return true;
}

/* --- answers --- */

static void begin(struct json *j, struct span id)
{
	json_object(j, NULL);
	json_str(j, "jsonrpc", "2.0");
	json_name(j, span_of("id"));
	strbuf_add(j->out, id.s, id.n);
	j->comma = true;
}

static void add_error(struct json *j, struct span id, int code, const char *text)
{
	begin(j, id.n ? id : span_of("null"));
	json_object(j, "error");
	json_s64(j, "code", code);
	json_str(j, "message", text);
	json_close(j, '}');
	json_close(j, '}');
	json_end_line(j);
}

void mcp_refuse(struct strbuf *out)
{
	struct json j = { .out = out, .plain = true };

	add_error(&j, span_of("null"), INVALID_REQUEST, "a message has at most a million bytes");
}

/* --- arguments --- */

struct tool_call {
	const struct mcp *mcp;
	const struct mcp_tool *tool;
	ARRAY(struct mcp_value) values;
	struct arena arena;
	struct strbuf problem; /* the first one */
};

/* The next property of the tool, after @p (NULL: the first); NULL: there are no more. */
static const struct mcp_property *next_property(const struct mcp *mcp, const struct mcp_tool *tool,
						const struct mcp_property *p)
{
	for (p = p ? p + 1 : mcp->properties; p->name; p++)
		if (p->tools & tool->bit)
			return p;
	return NULL;
}

static void report_unknown(struct tool_call *c, struct span name)
{
	const struct mcp_property *p = NULL;

	if (c->problem.len)
		return;
	strbuf_addf(&c->problem, "error: %s has no argument '%.*s'; it has", c->tool->name,
		    (int)min_t(size_t, name.n, 80), name.s);
	while ((p = next_property(c->mcp, c->tool, p)))
		strbuf_addf(&c->problem, " %s", p->name);
}

static void report_type(struct tool_call *c, const struct mcp_property *p)
{
	static const char *const shapes[] = { "a text, such as \"%s\": \"...\"",
					      "an object, such as \"%s\": {\"min\": \"10ms\"}",
					      "a natural number, such as \"%s\": 10",
					      "true or false, such as \"%s\": true",
					      "a text, such as \"%s\": \"...\"" };

	if (c->problem.len)
		return;
	strbuf_addf(&c->problem, "error: %s takes ", p->name);
	strbuf_addf(&c->problem, shapes[p->type], p->name);
	if (p->doc)
		strbuf_addf(&c->problem, " (%s)", p->doc);
}

/* A text, or a number as it was written. Return: false for another value, which is skipped */
static bool read_scalar(struct json_in *in, struct span *text)
{
	json_in_at_end(in);
	if (in->p < in->end && *in->p == '"')
		return json_in_text(in, text);
	*text = skip_value(in);
	return text->n && (is_digit(text->s[0]) || text->s[0] == '-');
}

static void read_texts(struct json_in *in, struct strbuf *text, bool *fits)
{
	struct span one;

	json_in_open(in, '[');
	while (json_in_element(in)) {
		*fits &= read_scalar(in, &one);
		strbuf_addf(text, "%s%.*s", text->len ? "," : "", (int)one.n, one.s ? one.s : "");
	}
}

static void add_value(struct tool_call *c, const struct mcp_property *p, struct strbuf *text)
{
	const struct mcp_value value = { p, arena_take(&c->arena, text) };

	if (!value.text || array_push(&c->values, value))
		c->arena.failed = true;
}

/* "NAME=VALUE" for each member. */
static void read_pairs(struct json_in *in, struct tool_call *c, const struct mcp_property *p,
		       bool *fits)
{
	struct span name, value;

	json_in_open(in, '{');
	while (json_in_member(in, &name)) {
		struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, "%.*s=", (int)name.n, name.s);
		*fits &= read_scalar(in, &value);
		strbuf_addf(&text, "%.*s", (int)value.n, value.s ? value.s : "");
		add_value(c, p, &text);
	}
}

static void read_value(struct json_in *in, struct tool_call *c, const struct mcp_property *p)
{
	struct strbuf text = STRBUF_INIT;
	struct span one = { NULL, 0 };
	const char *start;
	bool fits = true;
	u64 number;

	json_in_at_end(in);
	start = in->p;
	if (in->p < in->end && *in->p == '{' && p->type == MCP_PAIRS) {
		read_pairs(in, c, p, &fits);
	} else if (in->p < in->end && *in->p == '[' && p->type == MCP_TEXT) {
		read_texts(in, &text, &fits);
		if (text.len)
			add_value(c, p, &text);
	} else if (read_scalar(in, &one)) {
		fits = p->type == MCP_NUMBER ? span_u64(one, &number) : p->type != MCP_FLAG;
		strbuf_add(&text, one.s, one.n);
		if (fits && one.n)
			add_value(c, p, &text);
	} else if (!span_eq(one, "null") && !(p->type == MCP_FLAG && span_eq(one, "false"))) {
		fits = p->type == MCP_FLAG && span_eq(one, "true");
		strbuf_addstr(&text, "true");
		if (fits)
			add_value(c, p, &text);
	}
	strbuf_release(&text);
	if (!fits || in->p == start)
		report_type(c, p);
}

DEFINE_ORDER(by_property, struct mcp_value, cmp_int(x->property, y->property))

static void read_arguments(struct tool_call *c, struct span text)
{
	struct json_in in = json_in_of(text);
	const struct mcp_property *p = NULL;
	struct span name;

	in.plain = true;
	if (text.n && json_in_open(&in, '{'))
		while (json_in_member(&in, &name)) {
			p = NULL;
			while ((p = next_property(c->mcp, c->tool, p)) && !span_eq(name, p->name))
				;
			if (p) {
				read_value(&in, c, p);
			} else {
				report_unknown(c, name);
				json_in_skip(&in);
			}
		}
	if (in.problem && !c->problem.len)
		strbuf_addf(&c->problem, "error: arguments: %s", in.problem);
	json_in_release(&in);
	if (c->values.n) /* few; their order within a property does not matter */
		qsort(c->values.v, c->values.n, sizeof(*c->values.v), by_property);
	for (p = NULL; (p = next_property(c->mcp, c->tool, p));) {
		const struct mcp_values given = { c->values.v, c->values.n };

		if (p->type == MCP_NEEDED && !mcp_value(&given, p->name) && !c->problem.len)
			strbuf_addf(&c->problem, "error: %s needs the argument %s: %s",
				    c->tool->name, p->name, p->doc ? p->doc : "a text");
	}
}

const char *mcp_value(const struct mcp_values *values, const char *name)
{
	for (size_t i = 0; i < values->n; i++)
		if (!strcmp(values->v[i].property->name, name))
			return values->v[i].text;
	return NULL;
}

/* --- methods --- */

/* The member @name of params: its text as it was written, or what a string contains. */
static struct span get_param(struct message *m, const char *wanted, bool string)
{
	struct span name, found = { NULL, 0 };
	struct json_in in;

	if (!m->params.n)
		return (struct span){ "", 0 };
	in = json_in_of(m->params);
	in.plain = true;
	if (json_in_open(&in, '{'))
		while (json_in_member(&in, &name)) {
			if (!span_eq(name, wanted))
				json_in_skip(&in);
			else if (!string)
				found = skip_value(&in);
			else if (json_in_text(&in, &name))
				found = copy(&m->arena, name);
		}
	json_in_release(&in);
	return found.s ? found : (struct span){ "", 0 };
}

static void initialize(const struct mcp *mcp, struct message *m, struct json *j)
{
	const struct span asked = get_param(m, "protocolVersion", true);
	const char *version = versions[0];

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (span_eq(asked, versions[i]))
			version = versions[i];
	json_object(j, "result");
	json_str(j, "protocolVersion", version);
	json_object(j, "capabilities");
	json_object(j, "tools");
	json_close(j, '}');
	json_object(j, "resources");
	json_close(j, '}');
	json_close(j, '}');
	json_object(j, "serverInfo");
	json_str(j, "name", "hist");
	json_str(j, "version", HIST_VERSION);
	json_close(j, '}');
	json_str(j, "instructions", mcp->instructions);
	json_close(j, '}');
}

static void add_schema(struct json *j, const struct mcp *mcp, const struct mcp_tool *tool)
{
	const struct mcp_property *p = NULL;
	static const char *const types[] = { "string", "object", "integer", "boolean", "string" };

	json_object(j, "inputSchema");
	json_str(j, "type", "object");
	json_object(j, "properties");
	while ((p = next_property(mcp, tool, p))) {
		json_object(j, p->name);
		json_str(j, "type", types[p->type]);
		json_str_if(j, "description", p->doc);
		json_close(j, '}');
	}
	json_close(j, '}');
	json_array(j, "required");
	while ((p = next_property(mcp, tool, p)))
		if (p->type == MCP_NEEDED)
			json_str(j, NULL, p->name);
	json_close(j, ']');
	json_close(j, '}');
}

static void list_tools(const struct mcp *mcp, struct message *m UNUSED, struct json *j)
{
	json_object(j, "result");
	json_array(j, "tools");
	for (size_t i = 0; i < mcp->n_tools; i++) {
		json_object(j, NULL);
		json_str(j, "name", mcp->tools[i]->name);
		json_str(j, "description", mcp->tools[i]->doc);
		add_schema(j, mcp, mcp->tools[i]);
		json_object(j, "annotations");
		json_bool(j, "readOnlyHint", true);
		json_bool(j, "openWorldHint", false);
		json_close(j, '}');
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

/* Return: what is wrong with the parameters; NULL: nothing, the answer is in @j */
static const char *call_tool(const struct mcp *mcp, struct message *m, struct json *j)
{
	const struct span name = get_param(m, "name", true);
	struct tool_call c = { .mcp = mcp, .arena = ARENA_INIT, .problem = STRBUF_INIT };
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	bool answered = false;

	for (size_t i = 0; i < mcp->n_tools && !c.tool; i++)
		if (span_eq(name, mcp->tools[i]->name))
			c.tool = mcp->tools[i];
	if (!c.tool)
		return "there is no such tool; tools/list lists them";
	read_arguments(&c, get_param(m, "arguments", false));
	if (!c.problem.len)
		answered = mcp->call(mcp->arg, c.tool,
				     &(struct mcp_values){ c.values.v, c.values.n }, &out);
	else
		strbuf_add(&out, c.problem.s, c.problem.len);
	m->arena.failed |= c.arena.failed | c.problem.failed | out.failed;
	json_object(j, "result");
	/* A text that the model reads. */
	json_array(j, "content");
	json_object(j, NULL);
	json_str(j, "type", "text");
	json_text(j, "text", strbuf_span(&out));
	json_close(j, '}');
	json_close(j, ']');
	json_bool(j, "isError", !answered);
	json_close(j, '}');
	array_release(&c.values);
	arena_release(&c.arena);
	strbuf_release(&c.problem);
	return NULL;
}

static void list_resources(const struct mcp *mcp, struct message *m, struct json *j)
{
	const char *name;

	json_object(j, "result");
	json_array(j, "resources");
	for (size_t i = 0; (name = mcp->resource(mcp->arg, i)); i++) {
		json_object(j, NULL);
		json_str(j, "uri", arena_printf(&m->arena, "%s%s", scheme, name));
		json_str(j, "name", name);
		json_str(j, "description", "a recording of ftrace; its summary");
		json_str(j, "mimeType", "text/plain");
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static const char *read_resource(const struct mcp *mcp, struct message *m, struct json *j)
{
	const struct span uri = get_param(m, "uri", true);
	const struct span wanted = span_starts(uri, scheme) ? span_skip(uri, strlen(scheme)) : uri;
	struct strbuf text = STRBUF_INIT;
	const char *name;

	for (size_t i = 0; (name = mcp->resource(mcp->arg, i)); i++) {
		if (!span_eq(wanted, name))
			continue;
		mcp->read(mcp->arg, i, &text);
		m->arena.failed |= text.failed;
		json_object(j, "result");
		json_array(j, "contents");
		json_object(j, NULL);
		json_text(j, "uri", uri);
		json_str(j, "mimeType", "text/plain");
		json_text(j, "text", strbuf_span(&text));
		json_close(j, '}');
		json_close(j, ']');
		json_close(j, '}');
		strbuf_release(&text);
		return NULL;
	}
	return "there is no such resource; resources/list lists them";
}

static void add_nothing(struct json *j, const char *list)
{
	json_object(j, "result");
	if (list) {
		json_array(j, list);
		json_close(j, ']');
	}
	json_close(j, '}');
}

/* Append the result to an answer that begins with the id; false: the method is not known. */
static bool answer_method(const struct mcp *mcp, struct message *m, struct json *j,
			  const char **problem)
{
	if (span_eq(m->method, "initialize"))
		initialize(mcp, m, j);
	else if (span_eq(m->method, "ping"))
		add_nothing(j, NULL);
	else if (span_eq(m->method, "tools/list"))
		list_tools(mcp, m, j);
	else if (span_eq(m->method, "tools/call"))
		*problem = call_tool(mcp, m, j);
	else if (span_eq(m->method, "resources/list"))
		list_resources(mcp, m, j);
	else if (span_eq(m->method, "resources/templates/list"))
		add_nothing(j, "resourceTemplates");
	else if (span_eq(m->method, "resources/read"))
		*problem = read_resource(mcp, m, j);
	else
		return false;
	return true;
}

static size_t count_digits(struct span text)
{
	size_t n = 0;

	while (n < text.n && is_digit(text.s[n]))
		n++;
	return n;
}

/* Whether an id, which the answer repeats, is a string, which was read, or a number of JSON. */
static bool is_id(struct span id)
{
	size_t n;

	if (id.n && *id.s == '"')
		return true;
	id = span_skip(id, id.n && *id.s == '-');
	n = count_digits(id);
	if (!n || (n > 1 && *id.s == '0'))
		return false;
	id = span_skip(id, n);
	if (id.n && *id.s == '.') {
		n = count_digits(span_skip(id, 1));
		if (!n)
			return false;
		id = span_skip(id, 1 + n);
	}
	if (id.n && (*id.s | 32) == 'e') {
		id = span_skip(id, 1);
		id = span_skip(id, id.n && (*id.s == '-' || *id.s == '+'));
		n = count_digits(id);
		return n && n == id.n;
	}
	return !id.n;
}

/* Notifications, and answers to what a server never asks, need none. */
static void answer_request(const struct mcp *mcp, struct message *m, struct strbuf *out)
{
	const char *problem = NULL;
	struct json j = { .out = out, .plain = true };
	const size_t start = out->len;

	if (!m->id.s || m->answers) {
		if (!m->method.s && !m->answers)
			add_error(&j, m->id, INVALID_REQUEST, "a request has a method and an id");
		return;
	}
	if (!m->method.s || !is_id(m->id)) {
		add_error(&j, span_of("null"), INVALID_REQUEST,
			  "a request has a method, and an id that is a string or a number");
		return;
	}
	begin(&j, m->id);
	if (answer_method(mcp, m, &j, &problem) && !problem) {
		json_close(&j, '}');
		json_end_line(&j);
		return;
	}
	strbuf_cut(out, start);
	j.comma = false;
	add_error(&j, m->id, problem ? INVALID_PARAMS : UNKNOWN_METHOD,
		  problem ? problem : "this server has no such method");
}

int mcp_answer(const struct mcp *mcp, struct span text, struct strbuf *out)
{
	struct message m = { .arena = ARENA_INIT };
	struct json_in in = json_in_of(text);
	struct json j = { .out = out, .plain = true };
	int err;

	if (json_in_at_end(&in))
		return 0;
	in.plain = true;
	if (is_utf8(text))
		read_message(&in, &m);
	else
		json_in_fail(&in, "it is not UTF-8");
	if (in.problem && *span_trim(text).s == '[')
		add_error(&j, span_of("null"), INVALID_REQUEST, "one message in each line, please");
	else if (in.problem)
		add_error(&j, span_of("null"), PARSE,
			  arena_printf(&m.arena, "byte %zu: %s", (size_t)(in.p - in.start) + 1,
				       in.problem));
	else
		answer_request(mcp, &m, out);
	err = m.arena.failed || out->failed ? HIST_NOMEM : 0;
	json_in_release(&in);
	arena_release(&m.arena);
	return err;
}
