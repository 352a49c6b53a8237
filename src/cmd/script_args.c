// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collects the script of a verb from the command line.
 *
 * SCRIPT files, -x lines, --synth definitions, --sql and -e groups become pieces, in their
 * order, with the contents of files; script_build.c combines them into one script. --around becomes
 * a span of time and a script.
 */
#include "cmd/sql_args.h"

static const struct cmd_option options[] = {
	{ NULL, 'x', "LINE", 0, "Add LINE to the script", 2, CMD_PARSE },
	{ "event", 'e', "EVENT", 0,
	  "Enable this event: system:event, event, system, glob, or several with commas", 2,
	  CMD_PARSE },
	{ "trigger", 'R', "TRIGGER", 0, "Write TRIGGER to the trigger file of the preceding -e", 2,
	  CMD_PARSE },
	{ "filter", 'f', "FILTER", 0,
	  "Write FILTER to the filter file of the preceding -e, or filter the result of the "
	  "preceding --sql or recipe",
	  2, CMD_PARSE },
	{ "synth", CMD_SCRIPT_SYNTH, "DEFINITION", 0, "Define a synthetic event", 2, CMD_PARSE },
	{ "sql", CMD_SCRIPT_SQL, "QUERY", 0,
	  "Write the triggers of an SQL statement: [NAME=]SELECT ... FROM ... [JOIN ... ON ... [WHERE ...]]",
	  2, CMD_PARSE },
	{ "by", CMD_SCRIPT_BY, "KEYS", 0,
	  "Count the events of the preceding -e (that its -f accepts), or group the result of the "
	  "preceding --sql or recipe, by these keys",
	  2, CMD_PARSE },
	{ "sum", CMD_SCRIPT_SUM, "FIELDS", 0, "Add up these fields in the histograms of --by", 2,
	  CMD_PARSE },
	{ "slice-begin", CMD_SCRIPT_BEGIN, "EVENT[ if FILTER]", 0,
	  "Let the slices of derived:slice begin with this event, and end with the next --slice-end of the task",
	  2, CMD_PARSE },
	{ "slice-end", CMD_SCRIPT_END, "EVENT[ if FILTER]", 0,
	  "Let the slices of the preceding --slice-begin end with this event", 2, CMD_PARSE },
	{ "on", CMD_SCRIPT_ON, "max:FIELD|change:FIELD", 0,
	  "Let the preceding --sql act only on a new maximum or a change", 2, CMD_PARSE },
	{ "do", CMD_SCRIPT_DO, "ACTION[,ACTION]", 0,
	  "Action for --on: trace, snapshot or save:FIELD[+FIELD]", 2, CMD_PARSE },
	{ "define", 'D', "NAME=VALUE", 0, "Set a parameter of a recipe", 2,
	  CMD_CALL(struct cmd_args, script.defines, cmd_store_define) },
	{ 0 },
};

error_t cmd_store_define(const struct cmd_option *o UNUSED, void *to, const char *arg,
			 struct argp_state *state)
{
	int err = recipe_define_add(to, arg);

	if (err == -HIST_EINVAL)
		argp_error(state, "-D takes NAME=VALUE, not '%s'", arg);
	return err ? ENOMEM : 0;
}

error_t cmd_script_add_file(struct cmd_script *cs, const char *arg)
{
	const struct cmd_script_piece piece = { .key = ARGP_KEY_ARG,
						.name = arg,
						.text = arg,
						.len = strlen(arg),
						.only_script = true };

	return array_push(&cs->pieces, piece) ? ENOMEM : 0;
}

bool cmd_begins_group(const struct cmd_script_piece *piece)
{
	return piece->key == 'e' || piece->key == CMD_SCRIPT_SQL || piece->key == (int)ARGP_KEY_ARG;
}

/* The -f of the last event, recipe or statement; NULL: it has none. */
static struct cmd_script_piece *last_filter(const struct cmd_script *cs)
{
	for (size_t i = cs->pieces.n; i--;) {
		struct cmd_script_piece *piece = &cs->pieces.v[i];

		if (piece->key == 'f')
			return piece;
		if (cmd_begins_group(piece))
			break;
	}
	return NULL;
}

static bool is_filter(const char *text)
{
	return *text && strcmp(text, "0") != 0;
}

/* Several -f must all match, as in trace-cmd; -f 0 and -f '' remove the filter, as in the kernel.
 */
static int join_filters(struct cmd_script_piece *first, const char *text, struct arena *arena)
{
	first->text = is_filter(first->text) && is_filter(text)
			      ? cmd_both_filters(first->text, text, arena)
			      : text;
	if (!first->text)
		return HIST_NOMEM;
	first->name = first->text;
	first->len = strlen(first->text);
	return 0;
}

static error_t add_filter(struct cmd_args *args, const struct cmd_script_piece *piece)
{
	struct cmd_script_piece *last = last_filter(&args->script);
	int err = last ? join_filters(last, piece->text, &args->input.arena)
		       : array_push(&args->script.pieces, *piece);

	return err ? ENOMEM : 0;
}

error_t cmd_script_parse(int key, const char *arg, struct argp_state *state)
{
	struct cmd_script *cs = &((struct cmd_args *)state->input)->script;
	struct cmd_script_piece piece = { .key = key, .name = arg, .text = arg };

	switch (key) {
	case 'e':
		cs->event = true;
		break;
	case CMD_SCRIPT_SQL:
		cs->event = cs->sql = true;
		break;
	case CMD_SCRIPT_BY:
	case CMD_SCRIPT_SUM:
		break;
	case CMD_SCRIPT_ON:
	case CMD_SCRIPT_DO:
		if (!cs->sql)
			argp_error(state, "--on and --do need a --sql before them");
		break;
	case 'R':
		if (!cs->event)
			argp_error(state, "-R needs an -e EVENT before it");
		break;
	case 'f':
		piece.len = strlen(arg);
		return add_filter(state->input, &piece);
	case ARGP_KEY_ARG:
		break;
	case CMD_SCRIPT_BEGIN:
	case CMD_SCRIPT_END:
		if ((key == CMD_SCRIPT_END) != cs->slices)
			argp_error(state, key == CMD_SCRIPT_END
						  ? "--slice-end needs a --slice-begin before it"
						  : "each --slice-begin needs a --slice-end");
		cs->slices = key == CMD_SCRIPT_BEGIN;
		break;
	case 'x':
	case CMD_SCRIPT_SYNTH:
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	piece.len = strlen(arg);
	return array_push(&cs->pieces, piece) ? ENOMEM : 0;
}

const struct cmd_options cmd_script_options = { .options = options, .parse = cmd_script_parse };
const struct cmd_options cmd_line_options = { .options = options, .parse = cmd_script_parse };

/* --- SCRIPT arguments --- */

/* More than any script, so that other input is not read to its end. */
enum { MAX_READ = (4 << 20) + 1, STEP = 1 << 14 };

static int read_script(struct cmd_script *cs, struct cmd_script_piece *piece, int fd,
		       struct diags *diags)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	ssize_t n;

	do
		n = fd_append(fd, &sb, STEP);
	while (n == STEP && sb.len < MAX_READ && !hist_recognises(sb.s, sb.len));
	piece->text = n < 0 ? NULL : arena_strndup(&cs->input->arena, sb.s, sb.len);
	piece->len = sb.len;
	if (n < 0)
		return diags_error(diags, -HIST_EIO, "%s: %s", piece->name, strerror(errno));
	return piece->text ? 0 : HIST_NOMEM;
}

bool cmd_is_recipe(const char *arg)
{
	scoped(free_scoped) char *other = NULL;
	const int fd = access(arg, F_OK) ? recipe_open(arg, true, &other) : -1;

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/*
 * "tracepoint:S:E /FILTER/ { @[KEYS] = sum(ARG); }" of bpftrace, as it is asked here; NULL:
 * something else
 */
static const char *program_here(struct arena *arena, const char *name)
{
	struct span rest = span_of(name), event, filter = span_of(""), keys, fn;
	struct strbuf out = STRBUF_INIT;
	char *text;

	span_sep(&rest, ":");
	event = span_trim(span_sep(&rest, " /{"));
	if (!rest.s || !span_find(event, span_of(":")) || !strstr(name, "@"))
		return NULL;
	if (strchr(name, '/') && strchr(name, '/') < strchr(name, '@')) {
		filter = span_of(strchr(name, '/') + 1);
		filter = span_sep(&filter, "/");
	}
	fn = span_of(strchr(name, '@'));
	keys = span_skip(fn, strcspn(fn.s, "[=") + 1);
	keys = fn.s[strcspn(fn.s, "[=")] == '[' ? span_sep(&keys, "]") : span_of("comm");
	fn = span_of(strchr(fn.s, '=') ?: "=");
	fn = span_trim(span_skip(fn, 1));
	strbuf_addf(&out, "hist report -i FILE -e %.*s", (int)event.n, event.s);
	if (filter.n)
		strbuf_addf(&out, " -f '%.*s'", (int)filter.n, filter.s);
	strbuf_addf(&out, " --by '%.*s", (int)keys.n, keys.s);
	if (span_starts(fn, "hist(") || span_starts(fn, "lhist(")) {
		span_sep(&fn, "(");
		fn = span_sep(&fn, "),");
		strbuf_addf(&out, ",%.*s.log2'", (int)fn.n, fn.s);
	} else {
		span_sep(&fn, "(");
		fn = span_sep(&fn, ")");
		strbuf_addf(&out, fn.n ? "' --sum '%.*s' --stats" : "'", (int)fn.n, fn.s);
	}
	text = arena_take(arena, &out);
	/* fields have no prefix here */
	for (char *at; text && ((at = strstr(text, "args->")) || (at = strstr(text, "args.")));) {
		char *end = at + (at[4] == '.' ? 5 : 6);

		memmove(at, end, strlen(end) + 1);
	}
	return text;
}

/* A trigger in place of a script is an easy mistake. */
static int cannot_open(struct cmd_input *in, const char *name, struct diags *diags)
{
	int err = errno;
	scoped(strbuf_release) struct strbuf near = STRBUF_INIT;
	const char *program = strchr(name, '{') ? program_here(&in->arena, name) : NULL;

	if (program)
		return diags_error(diags, -HIST_ENOENT, "a program of bpftrace is here: %s",
				   program);
	if (!strncmp(name, "hist:", 5))
		return diags_error(diags, -HIST_ENOENT,
				   "%s: no such script; -R TRIGGER must follow -e EVENT", name);
	if (!strcmp(name, "if"))
		return diags_error(diags, -HIST_ENOENT,
				   "if: no such script; quote a trigger with a filter: "
				   "-R 'hist:keys=KEY if FILTER'");
	if (!strncasecmp(name, "select ", 7))
		return diags_error(diags, -HIST_ENOENT,
				   "%s: no such script; SQL must follow --sql, and hist sql FILE "
				   "answers any statement",
				   name);
	if (is_alpha(*name) && strchr(name, '=') && !strpbrk(name, " /") && !strstr(name, "=="))
		return diags_error(diags, -HIST_ENOENT,
				   "%s: no such script; a parameter of a recipe must follow -D, a "
				   "filter -f",
				   name);
	if (strchr(name, '>') || !strncmp(name, "cat ", 4))
		return diags_error(diags, -HIST_ENOENT,
				   "%s: no such script; a line of a script must follow -x", name);
	if (!strcmp(name, "p50") || !strcmp(name, "p90") || !strcmp(name, "p99") ||
	    !strcmp(name, "p99.9"))
		return diags_error(diags, -HIST_ENOENT,
				   "%s: no such script; --stats takes no argument and prints all "
				   "quantiles, --sort %s puts the largest first",
				   name, name);
	recipe_suggest(name, &near);
	diags_error(diags, 0, "%s: %s%s", name, strerror(err), near.s);
	return -HIST_ENOENT;
}

/*
 * A script or recipe by its name, or a recipe by its name in other tools; 1: it is a directory,
 * which may be a recording.
 */
static int open_script(struct cmd_script *cs, struct cmd_script_piece *piece, int *fd,
		       struct diags *diags)
{
	scoped(free_scoped) char *recipe = NULL;

	*fd = recipe_open(piece->name, cs->only_recipes, &recipe);
	if (*fd >= 0 && recipe) {
		diags_add(diags, DIAG_NOTE, "%s: using the recipe %s", piece->name, recipe);
		piece->name = arena_strdup(&cs->input->arena, recipe);
	}
	if (*fd < 0 && errno == EISDIR && !piece->only_script && !cs->only_recipes)
		return 1;
	if (*fd < 0)
		return cannot_open(cs->input, piece->name, diags);
	return piece->name ? 0 : HIST_NOMEM;
}

/* What was read is a script, or a recording to replay, which is not a piece. */
static int use_piece(struct cmd_script *cs, struct cmd_script_piece *piece, int fd,
		     struct diags *diags)
{
	struct cmd_input *in = cs->input;
	struct span text = { piece->text, piece->len };
	const bool live = cs->live || in->options.strict_kernel;
	const struct recipe_text recipe = { piece->name, text,
					    live         ? RECIPE_LIVE
					    : cs->stored ? RECIPE_STORED
							 : RECIPE_ANSWER };
	bool recording = hist_recognises(text.s, text.n);
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct stat st;
	int err;

	if (recording && piece->only_script)
		return diags_error(diags, -HIST_EINVAL, "-S takes a script; %s is a recording",
				   piece->name);
	if (recording) {
		piece->text = NULL;
		if (fd != STDIN_FILENO && !fstat(fd, &st) && S_ISREG(st.st_mode))
			return array_push(&in->paths, piece->name);
		return cmd_input_add_fd(in, piece->name, fd, text, diags);
	}
	/* a script cannot start so: an unquoted brace is an error */
	if (span_starts(text, "{\""))
		return diags_error(
			diags, -HIST_EINVAL,
			"%s: is a saved result, not a script; hist merge prints it, hist diff compares it",
			piece->name);
	if (live && recipe_lacks_live(text))
		return diags_error(diags, -HIST_EREJECTED,
				   "%s has no form for kernels, which have no derived events",
				   piece->name);
	piece->recipe = text;
	err = recipe_expand(&recipe, &cs->defines, &sb, diags);
	piece->text = arena_strndup(&in->arena, sb.s, sb.len);
	piece->len = sb.len;
	return err ? err : piece->text ? 0 : HIST_NOMEM;
}

static int load_piece(struct cmd_script *cs, struct cmd_script_piece *piece, struct diags *diags)
{
	bool is_stdin = !strcmp(piece->name, "-") && !cs->only_recipes;
	int fd = STDIN_FILENO;
	int err = is_stdin ? cmd_input_take_stdin(cs->input, diags)
			   : open_script(cs, piece, &fd, diags);

	if (err == 1) {
		piece->text = NULL;
		return array_push(&cs->input->paths, piece->name);
	}
	if (err)
		return err;
	if (is_stdin)
		piece->name = "standard input";
	err = input_files_add_fd(&cs->input->files, fd, piece->name);
	err = err ?: read_script(cs, piece, fd, diags);
	err = err ?: use_piece(cs, piece, fd, diags);
	if (!is_stdin)
		close(fd);
	return err;
}

static int check_defines(const struct cmd_script *cs, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < cs->pieces.n; i++)
		if (cs->pieces.v[i].key == (int)ARGP_KEY_ARG)
			recipe_param_names(
				(struct span){ cs->pieces.v[i].text, cs->pieces.v[i].len }, &names);
	return recipe_defines_check(&cs->defines, names.s ? names.s : "", diags);
}

static bool is_of_group(const struct cmd_script_piece *piece)
{
	return piece->key == 'f' || piece->key == CMD_SCRIPT_BY || piece->key == CMD_SCRIPT_SUM;
}

/* The filters of the first group become one. */
static int join_group(struct cmd_script *cs)
{
	struct cmd_script_piece *filter = NULL;
	bool first = true;
	size_t n = 0;
	int err = 0;

	array_each(struct cmd_script_piece, piece, &cs->pieces) {
		first &= !n || !cmd_begins_group(piece);
		if (first && piece->key == 'f' && filter) {
			err = err ?: join_filters(filter, piece->text, &cs->input->arena);
			continue;
		}
		cs->pieces.v[n] = *piece;
		if (first && piece->key == 'f')
			filter = &cs->pieces.v[n];
		n++;
	}
	cs->pieces.n = n;
	return err;
}

/*
 * -f, --by and --sum before the first event or recipe belong to that one; without any, to the event
 * that the verb takes alone.
 */
static int place_early(struct cmd_script *cs, struct diags *diags)
{
	const struct cmd_script_piece alone = { .key = 'e',
						.text = cs->alone,
						.len = cs->alone ? strlen(cs->alone) : 0 };
	struct cmd_script_piece *v = cs->pieces.v, group;
	size_t first = 0, n = 0;

	while (first < cs->pieces.n && !cmd_begins_group(&v[first]))
		n += is_of_group(&v[first++]);
	if (!n)
		return 0;
	if (n < first || (first == cs->pieces.n && !cs->alone))
		return diags_error(
			diags, -HIST_EINVAL,
			"-f, --by and --sum need an -e EVENT (-e all: any), a --sql or a "
			"recipe");
	if (first == cs->pieces.n && array_push(&cs->pieces, alone))
		return HIST_NOMEM;
	v = cs->pieces.v;
	group = v[first];
	memmove(v + 1, v, first * sizeof(*v));
	v[0] = group;
	return join_group(cs);
}

int cmd_script_load(struct cmd_script *cs, struct diags *diags)
{
	size_t n = 0;

	array_each(struct cmd_script_piece, piece, &cs->pieces) {
		int err = piece->key == (int)ARGP_KEY_ARG ? load_piece(cs, piece, diags) : 0;

		if (err)
			return err;
		if (piece->text)
			cs->pieces.v[n++] = *piece;
	}
	cs->pieces.n = n;
	return place_early(cs, diags) ?: check_defines(cs, diags);
}

void cmd_script_release(struct cmd_script *cs)
{
	array_release(&cs->pieces);
	array_release(&cs->defines);
}

/* --- --around T[,CPU] --context TIME: shows trace around a moment --- */

const char *cmd_seconds_text(struct cmd_input *in, u64 ns)
{
	return arena_printf(&in->arena, "%llu.%09llu", ns / 1000000000, ns % 1000000000);
}

static int add_line(struct cmd_script *cs, const char *line)
{
	const struct cmd_script_piece piece = {
		.key = 'x', .name = line, .text = line, .len = strlen(line)
	};

	return array_push(&cs->pieces, piece);
}

error_t cmd_store_mark(const struct cmd_option *o UNUSED, void *to, const char *arg,
		       struct argp_state *state)
{
	u64 n;

	if (arg && (!span_u64(span_of(arg), &n) || !n))
		argp_error(state, "--mark takes the number of a mark, such as --mark=2, not '%s'",
			   arg);
	*(const char **)to = arg ? arg : "1";
	return 0;
}

const char *cmd_mark_time(struct cmd_input *in, const char *mark)
{
	return arena_printf(&in->arena, "mark%s", mark);
}

int cmd_around_span(struct cmd_input *in, const char *around, const char *context,
		    struct diags *diags)
{
	struct span cpu = span_of(around), moment = span_sep(&cpu, ",");
	struct span text = span_of(context ? context : "1ms");
	struct span base = span_skip(moment, span_starts(moment, "+"));
	u64 at, width;

	base.n = strcspn(base.s, "+-,");
	if (!span_starts(moment, "mark") && !span_time(base, &at))
		return diags_error(diags, -HIST_EINVAL,
				   "--around takes seconds of the trace clock and optionally a "
				   "CPU, such as 12.345678 or 12.345678,3, +0.98 or mark, not '%s'",
				   around);
	if (!span_time(text, &width))
		return diags_error(diags, -HIST_EINVAL,
				   "--context takes a time such as 5ms, not '%s'", context);
	in->options.from = arena_printf(&in->arena, "%.*s-%lluns", (int)moment.n, moment.s, width);
	in->options.to = arena_printf(&in->arena, "%.*s+%lluns", (int)moment.n, moment.s, width);
	if (cpu.s)
		in->options.cpus = cpu.s;
	return in->options.from && in->options.to ? 0 : HIST_NOMEM;
}

int cmd_around(struct cmd_script *cs, const char *around, const char *context, struct diags *diags)
{
	int err = cmd_around_span(cs->input, around, context, diags);

	if (err)
		return err;
	/* a question about that time; without one, the trace is printed */
	for (size_t i = 0; i < cs->pieces.n; i++)
		if (cs->pieces.v[i].key != 'e' && cs->pieces.v[i].key != 'f')
			return 0;
	/* all recorded events, or those of -e, with enough room for them; a 32-bit program has less
	 * for each CPU */
	err = add_line(cs, sizeof(void *) == 8 ? "echo 1000000 > buffer_size_kb"
					       : "echo 50000 > buffer_size_kb");
	if (!cs->event)
		err = err ?: add_line(cs, "echo 1 > events/enable");
	return err ? err : add_line(cs, "cat trace");
}
