// SPDX-License-Identifier: GPL-2.0-only
/* hist why: what one interval of a task consisted of. */
#include "cmd/cmd.h"
#include "hist-why.h"

struct why_args {
	struct cmd_args a;
	struct hist_why_options why;
	const char *pid, *comm, *mark, *top;
};

enum { TOP = 10 };

static const struct cmd_option options[] = {
	CMD_HEADING("The recording, and which part of it:", 1),
	CMD_HEADING("Which interval:", 2),
	CMD_HEADING("The explanation:", 3),
	CMD_HEADING("The output:", 5),
	{ "exemplar", 0, "N", 0, "The Nth longest interval; default 1, the longest", 2,
	  CMD_RANGE(struct why_args, why.exemplar, 1, HIST_EXEMPLARS_MAX) },
	{ "at", 0, "T[,CPU]", 0,
	  "The interval that ends at this time (on this CPU), or contains it; without an event, the state of --pid, "
	  "what the CPU ran, or the longest wait",
	  2, CMD_TEXT(struct why_args, why.at) },
	{ "mark", CMD_MARK, "N", OPTION_ARG_OPTIONAL,
	  "The Nth event for which hist record --until wrote the file, or what its task did then",
	  2, CMD_CALL(struct why_args, mark, cmd_store_mark) },
	{ "pid", 0, "PID", 0,
	  "Only intervals of this task; with --from or --to and without an event, this time of it",
	  2, CMD_TEXT(struct why_args, pid) },
	{ "comm", 0, "GLOB", 0, "Only intervals of tasks with these names", 2,
	  CMD_TEXT(struct why_args, comm) },
	{ "all", 0, NULL, 0,
	  "Add up what all intervals consisted of, by the tasks that ran meanwhile or woke, or --by "
	  "what, by, in, reason and fields of the event",
	  2, CMD_TRUE(struct why_args, why.all) },
	{ "min", 0, "TIME", 0, "Only intervals of at least this length, such as 1ms", 2,
	  CMD_TEXT(struct why_args, why.min) },
	{ "depth", 0, "N", 0,
	  "Explain the task that woke a task, too: at most N tasks in a chain; default 5", 3,
	  CMD_RANGE(struct why_args, why.depth, 1, 64) },
	{ "top", 0, "N", 0,
	  "Print only the N largest parts of each part, or rows of --all (text); 0: all; default 10",
	  3, CMD_TEXT(struct why_args, top) },
	{ "format", 0, "FORMAT", 0,
	  "text (default), json, svg (a picture), html (a page), or perfetto (slices for ui.perfetto.dev); --all: text, json (an object), or " CMD_ROW_FORMATS,
	  3, CMD_TEXT(struct why_args, why.format) },
	{ 0 },
};

static error_t why_parse(int key, const char *arg UNUSED, struct argp_state *state)
{
	struct why_args *w = state->input;
	u64 top = TOP;
	s64 pid;

	if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	if (w->top && (!span_u64(span_of(w->top), &top) || top > SIZE_MAX))
		argp_error(state, "--top takes a number, not '%s'", w->top);
	w->why.top = (size_t)top;
	if (w->pid && (!span_s64(span_of(w->pid), &pid) || pid < 0 || pid > INT32_MAX))
		argp_error(state, "--pid takes the number of a task, not '%s'", w->pid);
	w->why.has_pid = w->pid != NULL;
	w->why.pid = w->pid ? (int)pid : 0;
	if (w->why.at && w->why.exemplar)
		argp_error(state, "--at and --exemplar cannot be used together");
	if (w->mark && (w->why.at || w->why.exemplar || w->why.all))
		argp_error(state, "--mark takes no --at, --exemplar and --all");
	if (w->why.all && (w->why.exemplar || w->why.depth))
		argp_error(state, "--all has no --exemplar and no --depth");
	return 0;
}

static int add_piece(struct cmd_script *cs, int key, const char *text)
{
	const struct cmd_script_piece piece = {
		.key = key, .name = text, .text = text, .len = strlen(text)
	};

	return array_push(&cs->pieces, piece);
}

/*
 * --mark: the interval that ended at the mark. Without an event, that of the mark if it is a
 * derived one, otherwise what its task did.
 */
static int choose_mark(struct why_args *w)
{
	struct hist_mark mark;
	const char *time;
	u64 n = 1;
	int found;

	span_u64(span_of(w->mark), &n);
	found = hist_mark(w->a.h, (size_t)n - 1, &mark);
	if (found <= 0)
		return found ? found
			     : diags_error(w->a.diags, -HIST_ENOENT,
					   "the recording has no mark %llu: hist record --until "
					   "makes marks",
					   n);
	time = cmd_seconds_text(&w->a.input, mark.ts);
	w->why.at = time ? arena_printf(&w->a.input.arena, "%s,%u", time, mark.cpu) : NULL;
	if (!w->why.at)
		return HIST_NOMEM;
	if (w->a.script.pieces.n)
		return 0;
	if (!w->pid) {
		w->why.has_pid = true;
		w->why.pid = mark.pid;
	}
	if (strncmp(mark.event, "derived:", 8) != 0)
		return add_piece(&w->a.script, 'e', "derived:task_state");
	return add_piece(&w->a.script, 'e', mark.event);
}

/* --by is that of the table of --all, and not of a histogram. */
static int take_keys(struct why_args *w)
{
	struct cmd_script *cs = &w->a.script;
	size_t n = 0;

	array_each(struct cmd_script_piece, piece, &cs->pieces) {
		if (piece->key != CMD_SCRIPT_BY) {
			cs->pieces.v[n++] = *piece;
			continue;
		}
		if (!w->why.all)
			return diags_error(w->a.diags, -HIST_EINVAL,
					   "--by=%s is for the table of --all: add --all",
					   piece->text);
		w->why.by = !w->why.by ? piece->text
				       : arena_printf(&w->a.input.arena, "%s,%s", w->why.by,
						      piece->text);
		if (!w->why.by)
			return HIST_NOMEM;
	}
	cs->pieces.n = n;
	return 0;
}

/* Without an event: the longest wait, or the state at a time. */
static int why_prepare(void *args)
{
	struct why_args *w = args;
	struct cmd_script *cs = &w->a.script;
	const struct hist_options *o = &w->a.input.options;
	int err = take_keys(w);

	if (err)
		return err;
	if (w->comm) {
		const char *filter = arena_printf(&w->a.input.arena, "comm ~ \"%s\"", w->comm);

		err = filter ? 0 : HIST_NOMEM;
		if (!err && !cs->pieces.n)
			err = add_piece(cs, 'e', "derived:wait");
		return err ?: add_piece(cs, 'f', filter);
	}
	if (cs->pieces.n || w->mark || (w->pid && !w->why.at && !w->why.all && (o->from || o->to)))
		return 0;
	if (!w->why.at || (!w->pid && !strchr(w->why.at, ',')))
		return add_piece(cs, 'e', "derived:wait");
	err = add_piece(cs, 'e', "derived:task_state");
	return err || w->pid ? err : add_piece(cs, 'f', "state == \"running\"");
}

static int why_main(void *args)
{
	struct why_args *w = args;
	struct cmd_args *a = &w->a;
	int err = 0;

	w->why.command = a->cx->command;
	w->why.colour = cmd_is_colourful(a->cx, a->to.path ? -1 : STDOUT_FILENO);
	w->why.width = cmd_columns(a->to.path);
	if (w->mark)
		err = choose_mark(w);
	if (!err && a->script.pieces.n)
		err = cmd_script_build(&a->script, a->h, a->lines, a->diags);
	err = err ?: cmd_check_binary(a, w->why.format);
	err = err ?: cmd_open_output(a);
	return err ? err
		   : hist_why(a->h, a->script.pieces.n ? a->lines : NULL, &w->why, cmd_output_write,
			      &a->out, a->diags);
}

const struct cmd cmd_why = {
	.name = "why",
	.summary = "explains why one interval took that long",
	.uses = CMD_RECORDING,
	.size = sizeof(struct why_args),
	.alone = "derived:wait",
	.line = {
		.options = options,
		.parse = why_parse,
		.shared = CMD_SHARED(&cmd_input_options, &cmd_buffer_options, &cmd_part_options,
				     &cmd_script_options, &cmd_output_options, &cmd_other_options),
		.args_doc = "[RECIPE]",
		.doc = "Explains one interval: when the task ran, what ran while it waited for a CPU, "
		       "who woke it when it was blocked, and what that task did meanwhile.\v"
		       "The interval is the longest one of an event with a length, or of a recipe; without both, "
		       "of derived:wait.\n\n"
		       "  hist why -i FILE\n"
		       "  hist why -i FILE wakeup-latency --exemplar 2\n"
		       "  hist why -i FILE -e derived:syscall -f 'name == \"openat\"'\n"
		       "  hist why -i FILE --pid 1234 --from 12.5 --to 12.6\n"
		       "\n"
		       "Exit status: 0, 1 if a line of a script was rejected, 2 on trouble.",
	},
	.prepare = why_prepare,
	.main = why_main,
};
