// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tool of hist mcp is a verb: its arguments are options of the verb, under the same names, so
 * that what one knows of the other is true, and messages that name an option name an argument. The
 * verb runs in this process; its output and its messages become the answer, which is made to fit.
 */
#include <libgen.h>

#include "cmd/mcp_tools.h"
#include "hist-events.h"

enum {
	TOKENS = 1000, /* of an answer, unless another number is asked for */
	TOKENS_MAX = 50000,
	TOKEN_BYTES = 8,      /* more than most tokens have */
	OUTPUT_MAX = 1 << 18, /* of a verb, from which the answer is made */
	MESSAGES = 3,         /* a part of the answer: at most the third */
};

struct tool {
	struct mcp_tool tool;
	const struct cmd *verb, *plain; /* without the argument; NULL: the same */
	const char *next;               /* what to ask next */
	bool prints_lines;              /* one after the other: what does not fit is not made */
};

/* --- arguments --- */

enum {
	SUMMARY = 1,
	ASK = 2,
	WHY = 4,
	EVENTS = 8,
	SQL = 16,
	DIFF = 32,
	RECIPES = 64,
	DESCRIBE = 128,
	QUESTIONS = ASK | WHY | EVENTS | DIFF,
	SPANS = SUMMARY | ASK | WHY | EVENTS | SQL,
	TASKS = ASK | EVENTS | DIFF,
};

/*
 * All arguments: a question comes before what changes it. Instead of an option: '@' a recording,
 * '?' a recipe, "" an argument of the verb.
 */
static const struct mcp_property properties[] = {
	{ "recording", MCP_TEXT, "needed if there are several", "@", ~DIFF },
	{ "before", MCP_NEEDED, "a recording", "@", DIFF },
	{ "after", MCP_NEEDED, "a recording", "@", DIFF },
	{ "statement", MCP_NEEDED,
	  "of SQLite, such as SELECT comm, sum(ns) FROM wait GROUP BY comm", "", SQL },
	{ "timeout", MCP_TEXT, "default 30s", "--timeout", SQL },
	{ "name", MCP_TEXT, "show this one, with its parameters", "", RECIPES },
	{ "event", MCP_TEXT, "sched_switch, derived:wait, sched:*; without: the recording", "",
	  DESCRIBE },
	{ "question", MCP_TEXT, "a recipe, such as wakeup-latency; see recipes", "?", QUESTIONS },
	{ "define", MCP_PAIRS, "parameters of the recipe", "-D", QUESTIONS },
	{ "event", MCP_TEXT, "instead of a recipe: sched_switch, derived:wait ...", "-e",
	  QUESTIONS },
	{ "filter", MCP_TEXT, "such as ns > 1ms && comm ~ \"ssh*\"", "-f", QUESTIONS },
	{ "by", MCP_TEXT, "keys: comm,prio or ns.log2; why with all: what, by, in, reason", "--by",
	  ASK | WHY | DIFF },
	{ "sum", MCP_TEXT, "fields to add up, such as ns", "--sum", ASK | DIFF },
	{ "stats", MCP_FLAG, "min, mean, stddev, p50, p90, p99, max", "--stats", ASK | DIFF },
	{ "sort", MCP_TEXT, "a key, a value, p99 ...", "--sort", ASK },
	{ "top", MCP_NUMBER, "only the first N", "--top", QUESTIONS },
	{ "exemplars", MCP_NUMBER, "the N worst hits of each row", "--exemplars", ASK },
	{ "show", MCP_TEXT, "only table N", "--show", ASK },
	{ "interval", MCP_TEXT, "a table for each slice of time: 100ms", "--interval", ASK },
	{ "over-time", MCP_FLAG, "with interval: one row for each slice", "--over-time", ASK },
	{ "exemplar", MCP_NUMBER, "the Nth longest; default 1", "--exemplar", WHY },
	{ "at", MCP_TEXT, "T[,CPU]: the one that ends then, or contains it", "--at", WHY },
	{ "all", MCP_FLAG, "why: add all intervals up; diff: what did not change, too", "--all",
	  WHY | DIFF },
	{ "min", MCP_TEXT, "at least this long, such as 1ms", "--min", WHY },
	{ "depth", MCP_NUMBER, "of the chain of wakers", "--depth", WHY },
	{ "fields", MCP_TEXT, "columns: time, cpu, pid, comm, event, fields", "--fields", EVENTS },
	{ "around", MCP_TEXT, "T[,CPU]: a moment", "--around", EVENTS },
	{ "context", MCP_TEXT, "time around it; default 1ms", "--context", EVENTS },
	{ "metric", MCP_TEXT, "only this number, such as p99", "--metric", DIFF },
	{ "from", MCP_TEXT, "start: seconds, or +SECONDS from the first event", "--from", SPANS },
	{ "to", MCP_TEXT, NULL, "--to", SPANS },
	{ "cpu", MCP_TEXT, "such as 0,2-3", "--cpu", SPANS },
	{ "pid", MCP_TEXT, "of these tasks; why: with from and to, this time of it", "--pid",
	  TASKS | WHY },
	{ "comm", MCP_TEXT, "names or globs of tasks", "--comm", TASKS },
	{ "process", MCP_TEXT, "names or ids of processes", "--process", TASKS },
	{ "cgroup", MCP_TEXT, "and those below, such as /system.slice", "--cgroup", TASKS },
	{ "tokens", MCP_NUMBER, "most of the answer; default 1000", NULL, ~0u },
	{ 0 }
};

/* --- describe: a verb that only programs need --- */

struct describe {
	struct cmd_args a;
	text_array events; /* one */
};

/* "ns" and "waiting_ns" are times. */
static const char *unit_of(const char *field)
{
	const size_t n = strlen(field);
	const bool named = n == 2 || (n > 2 && field[n - 3] == '_');

	return named && !strcmp(field + n - 2, "ns")   ? ", nanoseconds"
	       : named && !strcmp(field + n - 2, "us") ? ", microseconds"
	       : !strcmp(field, "bytes_req") || !strcmp(field, "bytes_alloc") ||
			       !strcmp(field, "bytes")
		       ? ", bytes"
		       : "";
}

static int describe_events(struct describe *d)
{
	struct hist_event_choice choice = { .event = d->events.v[0] };
	const struct hist_events_options options = { .choices = &choice, .n_choices = 1 };
	const struct hist_event_type *type;
	struct hist_events *events;
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	int err = hist_events_open(d->a.h, &options, &events, d->a.diags);

	if (err)
		return err;
	for (size_t i = 0; (type = hist_events_type(events, i)); i++) {
		strbuf_addf(&out, "%s:%s\n", type->system, type->name);
		array_each_of(const struct hist_event_field, f, type->fields, type->n_fields) {
			strbuf_addf(&out, "  %s: %s%s", f->name, f->type, unit_of(f->name));
			if (strcmp(f->name, f->column) != 0)
				strbuf_addf(&out, " (%s in sql)", f->column);
			strbuf_addch(&out, '\n');
		}
	}
	hist_events_close(events, -HIST_EINVAL);
	strbuf_addstr(
		&out,
		"every event: ts (ns in sql; seconds elsewhere), cpu, pid, comm, tgid, process, "
		"cmdline, cgroup: its task\n");
	return out.failed ? HIST_NOMEM : cmd_output_write(&d->a.out, out.s, out.len);
}

static int describe_main(void *args)
{
	struct describe *d = args;
	return cmd_open_output(&d->a) ?: describe_events(d);
}

static void describe_release(void *args)
{
	array_release(&((struct describe *)args)->events);
}

static const struct cmd cmd_describe = {
	.name = "describe",
	.uses = CMD_RECORDING,
	.size = sizeof(struct describe),
	.line = { .shared = CMD_SHARED(&cmd_input_options),
		  .arguments = offsetof(struct describe, events) },
	.main = describe_main,
	.release = describe_release,
};

/* --- the tools --- */

static const struct tool summary = {
	{ "summary",
	  "What a recording contains and what is wrong in it. Begin here: each line names the command that goes on.",
	  SUMMARY },
	.verb = &cmd_summary,
	.next = "hist report NAME is ask {question: NAME}, hist why is why, -e is event, --at is at",
};

static const struct tool ask = {
	{ "ask",
	  "Answers a question: a recipe, or an event counted by keys. Rows are the largest first, times have their unit.",
	  ASK },
	.verb = &cmd_report,
	.next = "why with the same question or event explains the longest; filter, by, stats and from/to narrow it",
};

static const struct tool why = {
	{ "why",
	  "Explains one interval (a wait, a sleep, a system call ...) of a recipe or a derived event: parts that add up, with their causes. Without question and event: the longest wait for a CPU.",
	  WHY },
	.verb = &cmd_why,
	.next = "all: true adds all intervals up; exemplar: 2 is the next longest; events {around: T} shows the records",
};

static const struct tool events = {
	{ "events", "The events themselves, in the order of time.", EVENTS },
	.verb = &cmd_events,
	.next = "from continues after the last time; ask {event, by} counts them",
	.prints_lines = true,
};

static const struct tool sql = {
	{ "sql",
	  "Runs a statement of SQLite: a table for each event (sched_switch, wait, ...), tables, events, tasks, and the answers of recipes.",
	  SQL },
	.verb = &cmd_sql,
	.next = "describe {event} lists columns; SELECT name, kind FROM tables lists tables",
};

static const struct tool diff = {
	{ "diff", "Compares two recordings: what changed, with a verdict.", DIFF },
	.verb = &cmd_diff,
	.next = "ask and why of each recording explain a row",
};

static const struct tool recipes = {
	{ "recipes",
	  "The questions with ready answers that a recording can answer, and what the others need.",
	  RECIPES },
	.verb = &cmd_recipe,
	.next = "ask {question: NAME}",
};

static const struct tool describe = {
	{ "describe",
	  "The machine, the events with their numbers, and what is derived from them; or the fields of an event with types and units.",
	  DESCRIBE },
	.verb = &cmd_describe,
	.plain = &cmd_list,
	.next = "describe {event: NAME} lists fields; ask {event: NAME, by: FIELD} counts",
};

static const struct mcp_tool *const tools[] = { &summary.tool, &ask.tool,     &why.tool,
						&events.tool,  &sql.tool,     &diff.tool,
						&recipes.tool, &describe.tool };

static const char instructions[] =
	"Recordings of ftrace: what Linux and its tasks did. Begin with summary, then recipes; ask answers, why explains, "
	"sql and events show details. Arguments are named like the options of the command hist: where a text says "
	"--from, type from; -e is event, -f filter, -D define. Only the recordings of resources/list are read; nothing is "
	"written. Answers have at most 1000 tokens and say what is left out.";

/* --- from arguments to the words of a verb --- */

struct verb_words {
	const struct mcp_session *session;
	ARRAY(char *) v;
	struct arena arena;
	struct strbuf problem;
	const char *argument; /* that is no option; NULL: none */
	bool chosen;          /* a recording was named */
};

static void add_word(struct verb_words *w, char *word)
{
	if (!word || array_push(&w->v, word))
		w->arena.failed = true;
}

/* A recording by its path, the last part of it, or its number. */
static const char *find_recording(const struct mcp_session *session, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < session->n_recordings; i++) {
		const char *path = session->recordings[i];

		if (!strcmp(path, name))
			return path;
		if (!strcmp(path_base(path), name))
			found = path;
	}
	return found;
}

static void add_recording(struct verb_words *w, const char *name)
{
	const struct mcp_session *s = w->session;
	const char *path = name                   ? find_recording(s, name)
			   : s->n_recordings == 1 ? s->recordings[0]
						  : NULL;

	w->chosen = true;
	if (path) {
		add_word(w, arena_printf(&w->arena, "-i%s", path));
		return;
	}
	if (w->problem.len)
		return;
	if (name)
		strbuf_addf(&w->problem, "error: %s is not a recording of this server", name);
	else
		strbuf_addstr(&w->problem, "error: which recording?");
	strbuf_addf(&w->problem, "; type recording: one of ");
	for (size_t i = 0; i < s->n_recordings; i++)
		strbuf_addf(&w->problem, "%s\"%s\"", i ? ", " : "", s->recordings[i]);
	strbuf_addch(&w->problem, '\n');
}

/* A recipe by its name, never a file. */
static void add_recipe(struct verb_words *w, const struct tool *tool, const char *name)
{
	scoped(free_scoped) char *found = cmd_find_recipe(name);
	scoped(strbuf_release) struct strbuf near = STRBUF_INIT;

	if (found)
		add_word(w, arena_printf(&w->arena, tool == &diff ? "-S%s" : "%s", found));
	else if (!w->problem.len) {
		recipe_suggest(name, &near);
		strbuf_addf(
			&w->problem,
			"error: there is no recipe %s%s; type recipes {} for a list, or event and by\n",
			name, near.s ?: "");
	}
}

/* What an option takes is part of its word, so it is never read as another one. */
static void add_option(struct verb_words *w, const struct mcp_value *value)
{
	const char *option = value->property->option;

	if (value->property->type == MCP_FLAG)
		add_word(w, arena_strdup(&w->arena, option));
	else if (option[1] == '-')
		add_word(w, arena_printf(&w->arena, "%s=%s", option, value->text));
	else
		add_word(w, arena_printf(&w->arena, "%s%s", option, value->text));
}

/* The words of a command line. What is no option comes last, after "--". */
static void add_words(struct verb_words *w, const struct tool *tool,
		      const struct mcp_values *values)
{
	add_word(w, arena_printf(&w->arena, "hist %s", tool->verb->name));
	array_each(const struct mcp_value, value, values) {
		const char *option = value->property->option;

		if (!option)
			continue;
		if (*option == '@')
			add_recording(w, value->text);
		else if (*option == '?')
			add_recipe(w, tool, value->text);
		else if (!*option)
			w->argument = value->text;
		else
			add_option(w, value);
	}
	/* a recipe reads the same, whatever was recorded */
	if (!w->chosen && !(tool == &recipes && w->argument))
		add_recording(w, NULL);
	if (w->session->memory && tool->verb != &cmd_describe && tool != &summary &&
	    tool != &recipes)
		add_word(w, arena_printf(&w->arena, "--memory=%s", w->session->memory));
	if (tool == &sql && !mcp_value(values, "timeout"))
		add_word(w, arena_strdup(&w->arena, "--timeout=30s"));
	if (w->argument) {
		add_word(w, arena_strdup(&w->arena, "--"));
		add_word(w, arena_strdup(&w->arena, w->argument));
	}
}

/* --- answers --- */

static void add_messages(struct strbuf *out, struct diags *diags, size_t room)
{
	scoped(strbuf_release) struct strbuf all = STRBUF_INIT;

	for (int level = HIST_ERROR; level >= HIST_NOTE; level--)
		for (size_t i = 0; i < hist_diags_count(diags); i++) {
			char *text = hist_diags_level(diags, i) == (enum hist_level)level
					     ? hist_diags_text(diags, i, "hist", false)
					     : NULL;
			struct span shown = span_of(text ? text : "");

			if (span_starts(shown, "hist: "))
				shown = span_skip(shown, 6);
			strbuf_add(&all, shown.s, shown.n);
			free(text);
		}
	mcp_fit(out, strbuf_span(&all), room, false);
}

static size_t room_of(const struct mcp_values *values)
{
	const char *tokens = mcp_value(values, "tokens");
	u64 n = TOKENS;

	if (tokens)
		span_u64(span_of(tokens), &n);
	n = min_t(u64, n < 100 ? 100 : n, TOKENS_MAX);
	return (size_t)n;
}

/* Run a verb. Return: whether it has an answer */
static bool run(struct verb_words *w, const struct tool *tool, size_t room, struct strbuf *out)
{
	struct cmd_session session = { .out = STRBUF_INIT,
				       .max = tool->prints_lines ? room * TOKEN_BYTES : OUTPUT_MAX,
				       .kept = w->session->kept,
				       .symfs = w->session->symfs ?: "/dev/null" };
	scoped(diags_release) struct diags diags = DIAGS_INIT;
	struct cmd_context cx = { .diags = &diags,
				  .colour = CMD_COLOUR_NEVER,
				  .command = "hist mcp",
				  .session = &session };
	scoped(strbuf_release) struct strbuf messages = STRBUF_INIT;
	const size_t next = mcp_tokens(span_of(tool->next)) + 2;
	bool answered;
	int err;

	add_word(w, NULL);
	err = cmd_main(w->argument || !tool->plain ? tool->verb : tool->plain, &cx, (int)w->v.n,
		       w->v.v);
	answered = err >= 0 || session.full;
	if (err < 0 && !answered && !diags_has_error(&diags, 0))
		diags_error(&diags, err, "%s", hist_strerror(err));
	add_messages(&messages, &diags, answered ? room / MESSAGES : room);
	if (session.out.len)
		mcp_fit(out, strbuf_span(&session.out),
			room - mcp_tokens(strbuf_span(&messages)) - next, session.full);
	else if (answered)
		strbuf_addstr(out, "(no rows)\n");
	strbuf_add(out, messages.s, messages.len);
	if (answered)
		strbuf_addf(out, "next: %s\n", tool->next);
	strbuf_release(&session.out);
	return answered;
}

static bool call(void *arg, const struct mcp_tool *which, const struct mcp_values *values,
		 struct strbuf *out)
{
	const struct tool *tool = (const void *)((const char *)which - offsetof(struct tool, tool));
	struct verb_words w = { .session = arg, .arena = ARENA_INIT, .problem = STRBUF_INIT };
	bool answered = false;

	add_words(&w, tool, values);
	if (w.arena.failed || w.problem.failed)
		strbuf_addstr(out, "error: out of memory\n");
	else if (w.problem.len)
		strbuf_add(out, w.problem.s, w.problem.len);
	else
		answered = run(&w, tool, room_of(values), out);
	array_release(&w.v);
	arena_release(&w.arena);
	strbuf_release(&w.problem);
	return answered;
}

static const char *resource(void *arg, size_t i)
{
	const struct mcp_session *s = arg;

	return i < s->n_recordings ? s->recordings[i] : NULL;
}

static bool read_summary(void *arg, size_t i, struct strbuf *out)
{
	const struct mcp_session *s = arg;
	const struct mcp_value value = { &properties[0], s->recordings[i] };

	return call(arg, &summary.tool, &(struct mcp_values){ &value, 1 }, out);
}

struct mcp mcp_tools(struct mcp_session *session)
{
	return (struct mcp){ .instructions = instructions,
			     .tools = tools,
			     .properties = properties,
			     .n_tools = ARRAY_SIZE(tools),
			     .call = call,
			     .resource = resource,
			     .read = read_summary,
			     .arg = session };
}
