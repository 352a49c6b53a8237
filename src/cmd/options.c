// SPDX-License-Identifier: GPL-2.0-only
/* Parses a command line by the tables of options.h, with argp. */
#include "cmd/cmd.h"

/* Keys of options that have none. */
enum { FIRST_KEY = 0x10000 };

/* A table in use; the input of its parser. */
struct table_use {
	const struct cmd_options *options;
	void *input;
	size_t n;        /* options */
	size_t n_shared; /* tables */
	struct table_use *shared;
	struct argp argp;
	bool root;    /* it includes the others */
	FILE *errors; /* where argp reports them; NULL: standard error */
};

static void store_bits(void *to, size_t size, u64 v)
{
	u32 v32 = (u32)v;
	bool truth = v != 0;

	if (size == sizeof(v))
		memcpy(to, &v, sizeof(v));
	else if (size == sizeof(v32))
		memcpy(to, &v32, sizeof(v32));
	else
		memcpy(to, &truth, sizeof(truth));
}

static void store_number(void *to, const struct cmd_option *o, const char *arg,
			 struct argp_state *state)
{
	u64 v, max = o->to.size == sizeof(v) ? UINT64_MAX : UINT32_MAX;

	if (o->to.max > 0)
		max = (u64)o->to.max;
	if (!span_u64(span_of(arg), &v) || v > max || v < o->to.value) {
		if (o->to.max > 0)
			argp_error(state, "--%s takes a number from %d to %d, not '%s'", o->name,
				   (int)o->to.value, (int)max, arg);
		argp_error(state, "--%s takes a number%s, not '%s'", o->name,
			   o->to.value ? " greater than 0" : "", arg);
	}
	store_bits(to, o->to.size, v);
}

static void store_real(double *to, const struct cmd_option *o, const char *arg,
		       struct argp_state *state)
{
	char *end;

	*to = strtod(arg, &end);
	end += *end == '%' && o->to.max > 1;
	if ((*arg != '.' && !is_digit(*arg)) || *end || !(*to >= 0 && *to <= o->to.max) ||
	    (o->to.value && *to <= 0))
		argp_error(state, "--%s takes a number %s %g, not '%s'", o->name,
			   o->to.value ? "between 0 and" : "from 0 to", o->to.max, arg);
}

/* The index of @arg in the words. */
static u64 find_word(const struct cmd_option *o, const char *arg, struct argp_state *state)
{
	struct span rest = span_of(o->to.words);
	scoped(strbuf_release) struct strbuf list = STRBUF_INIT;
	u64 i = 0;

	/* argp_error() returns in a session */
	for (bool found = false; !found && rest.s; i++) {
		struct span word = span_sep(&rest, "|");

		found = span_eq(word, arg);
		strbuf_addf(&list, "%s%.*s", !i ? "" : rest.s ? ", " : " or ", (int)word.n, word.s);
		if (!found && !rest.s)
			argp_error(state, "--%s takes %s, not '%s'", o->name, list.s, arg);
	}
	return i - 1;
}

static error_t store(const struct cmd_option *o, void *input, const char *arg,
		     struct argp_state *state)
{
	void *to = (char *)input + o->to.offset;

	switch (o->to.how) {
	case CMD_STORE_TEXT:
		*(const char **)to = arg;
		return 0;
	case CMD_STORE_TEXTS:
		return array_push((text_array *)to, arg) ? ENOMEM : 0;
	case CMD_STORE_VALUE:
		store_bits(to, o->to.size, o->to.value);
		return 0;
	case CMD_STORE_WORD:
		store_bits(to, o->to.size, o->to.value + find_word(o, arg, state));
		return 0;
	case CMD_STORE_CHOICE:
		find_word(o, arg, state);
		*(const char **)to = arg;
		return 0;
	case CMD_STORE_NUMBER:
		store_number(to, o, arg, state);
		return 0;
	case CMD_STORE_REAL:
		store_real(to, o, arg, state);
		return 0;
	case CMD_STORE_CALL:
		return o->to.call(o, to, arg, state);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* --- options of other tools that are those of hist --- */

/* Whether there is an option of exactly this name, or letter, which is not hidden. */
static bool has_option(const struct table_use *node, struct span name, int letter)
{
	bool has = any_of(i, node->n,
			  !(node->argp.options[i].flags & OPTION_HIDDEN) &&
				  (letter ? node->argp.options[i].key == letter
					  : node->argp.options[i].name &&
						    span_eq(name, node->argp.options[i].name)));

	return has || any_of(i, node->n_shared, has_option(&node->shared[i], name, letter));
}

/* What the word of an option is here, "--format=csv" for "--csv"; NULL: it stays. */
static const char *option_here(const struct table_use *root, struct span word)
{
	static const struct {
		const char *theirs, *here; /* of "define=min=", the value follows */
	} options[] = {
		{ "--csv", "format=csv" },
		{ "--tsv", "format=tsv" },
		{ "--json", "format=json" },
		{ "--ndjson", "format=ndjson" },
		{ "--html", "format=html" },
		{ "--svg", "format=svg" },
		{ "--markdown", "format=markdown" },
		{ "--head", "top" },
		{ "--limit", "top" },
		{ "--max-events", "top" },
		{ "--count", "top" },
		{ "-n", "top" },
		{ "--order-by", "sort" },
		{ "--sort-by", "sort" },
		{ "--group-by", "by" },
		{ "--group", "by" },
		{ "--where", "filter" },
		{ "--since", "from" },
		{ "--start", "from" },
		{ "--until", "to" },
		{ "--end", "to" },
		{ "--task", "comm" },
		{ "--thread", "comm" },
		{ "--tid", "pid" },
		{ "-p", "pid" },
		{ "-C", "cpu" },
		{ "--package", "process" },
		{ "--app", "process" },
		{ "--percentiles", "stats" },
		{ "--p50", "stats" },
		{ "--p90", "stats" },
		{ "--p95", "stats" },
		{ "--p99", "stats" },
		{ "--median", "stats" },
		{ "--avg", "stats" },
		{ "--mean", "stats" },
		{ "--quantiles", "stats" },
		{ "--columns", "fields" },
		{ "--stdio", "format=text" },
		{ "--worst", "exemplars" },
		{ "--slowest", "exemplars" },
		{ "--longest", "exemplars" },
		{ "--syscall", "define=call=" },
		{ "--call", "define=call=" },
		{ "--min", "define=min=" },
		{ "--threshold", "define=min=" },
		{ "--min-duration", "define=min=" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct span here = span_of(options[i].here), name = span_sep(&here, "=");
		const struct span theirs = span_of(options[i].theirs);
		const bool is_long = theirs.s[1] == '-';

		if (span_same(word, theirs) && has_option(root, name, 0) &&
		    !has_option(root, span_skip(word, 2), is_long ? 0 : theirs.s[1]) &&
		    (is_long || !has_option(root, span_of("duration"), 0)))
			return options[i].here;
	}
	return NULL;
}

/* Whether an argument may be a field to add up, and not a recording, a question or a number. */
static bool names_field(const char *arg)
{
	scoped(free_scoped) char *recipe = is_alpha(*arg) ? cmd_find_recipe(arg) : NULL;

	return is_alpha(*arg) && !strpbrk(arg, "./ ") && access(arg, F_OK) && !recipe;
}

/* Replace them in @argv, up to "--" or, of a verb that runs a command, that. */
static int replace_options(const struct table_use *root, int *argc, char **argv,
			   struct arena *arena)
{
	int n = 1;

	for (int i = 1; i < *argc; i++) {
		struct span value = span_of(argv[i]), word = span_sep(&value, "=");
		const char *here;
		bool joins, sets;

		if (!strcmp(argv[i], "--") || (root->options->command && argv[i][0] != '-')) {
			while (i < *argc)
				argv[n++] = argv[i++];
			break;
		}
		here = option_here(root, word);
		/* "--avg FIELD" */
		if (here && !strcmp(here, "stats") &&
		    (value.s || (i + 1 < *argc && names_field(argv[i + 1])))) {
			argv[n++] = arena_printf(arena, "--sum=%s", value.s ?: argv[++i]);
			argv[n++] = arena_printf(arena, "--stats");
			if (!argv[n - 2] || !argv[n - 1])
				return HIST_NOMEM;
			continue;
		}
		sets = here && strchr(here, '=');
		joins = sets && here[strlen(here) - 1] == '=';
		if (joins && !value.s && i + 1 < *argc)
			value = span_of(argv[++i]);
		argv[n] = !here ? argv[i]
			  : value.s && (joins || !sets)
				  ? arena_printf(arena, "--%s%s%s", here, joins ? "" : "=", value.s)
				  : arena_printf(arena, "--%s", here);
		if (!argv[n++])
			return HIST_NOMEM;
	}
	*argc = n;
	argv[n] = NULL;
	return 0;
}

/* --- misspelled options, for which getopt has no suggestion --- */

/* The long option that begins with @name, or the short one @letter; the others are offered. */
static const struct argp_option *find_option(const struct table_use *node, struct span name,
					     int letter, struct near *near)
{
	const struct argp_option *found = NULL;

	array_each_of_while(const struct argp_option, o, node->argp.options, node->n, !found) {
		if (letter ? o->key == letter
			   : o->name && name.n && !strncmp(o->name, name.s, name.n))
			found = o;
		else if (near && o->name && !(o->flags & OPTION_HIDDEN))
			near_offer(near, o->name, o->name);
	}
	for (size_t i = 0; i < node->n_shared && !found; i++)
		found = find_option(&node->shared[i], name, letter, near);
	return found;
}

static bool takes_next(const struct argp_option *o)
{
	return o && o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
}

/*
 * The first letter of a group of short options, such as -qi, that is none; 0: all are options.
 * @takes: whether the argument after the group belongs to the last of them
 */
static char check_group(const struct table_use *root, const char *letters, bool *takes)
{
	*takes = false;
	for (; *letters; letters++) {
		const struct argp_option *o =
			find_option(root, (struct span){ NULL, 0 }, *letters, NULL);

		if (!o && !strchr("?V", *letters))
			return *letters;
		if (o && o->arg) {
			*takes = !letters[1] && takes_next(o);
			break;
		}
	}
	return 0;
}

/* Append the options whose names begin with @letter. */
static void add_beginning(const struct table_use *node, char letter, struct strbuf *names)
{
	array_each_of(const struct argp_option, o, node->argp.options, node->n)
		if (o->name && *o->name == letter && !(o->flags & OPTION_HIDDEN))
			strbuf_addf(names, "%s--%s", names->len ? ", " : "", o->name);
	for (size_t i = 0; i < node->n_shared; i++)
		add_beginning(&node->shared[i], letter, names);
}

/* @wanted has its dashes; @names are what may have been meant. */
static void no_option(struct argp_state *state, const char *wanted, const struct strbuf *names)
{
	state->name = state->argv[0]; /* argp sets it later */
	argp_error(state, "there is no option %s%s%s%s", wanted,
		   names->len ? "; did you mean " : "", names->len ? names->s : "",
		   names->len ? "?" : "");
}

/* Whether getopt would find an option of argp. */
static bool is_of_argp(struct span name)
{
	static const char *const names[] = { "help", "usage", "version" };

	return any_of(i, ARRAY_SIZE(names),
		      name.n <= strlen(names[i]) && !strncmp(name.s, names[i], name.n));
}

/* The first argument that is no option is reported. */
static void report_misspelled(const struct table_use *root, struct argp_state *state)
{
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	bool takes = false;

	for (int i = 1; i < state->argc && strcmp(state->argv[i], "--") != 0; i += 1 + takes) {
		const char *arg = state->argv[i];
		struct span value = span_of(arg), name = span_sep(&value, "=");
		char wanted[32];
		struct near near = NEAR_INIT(wanted + 2);

		takes = false;
		snprintf(wanted, sizeof(wanted), "%.*s", (int)name.n, name.s);
		if (arg[0] != '-' && root->options->command)
			return;
		if (arg[0] == '-' && arg[1] == '-') {
			const struct argp_option *o =
				find_option(root, span_skip(name, 2), 0, &near);

			takes = !value.s && takes_next(o);
			if (o || is_of_argp(span_skip(name, 2)))
				continue;
			near_offer(&near, "help", "help");
			near_offer(&near, "version", "version");
			for (size_t j = 0; j < near.n; j++)
				strbuf_addf(&names, "%s--%s", j ? ", " : "", near.best[j].shown);
			return no_option(state, wanted, &names);
		}
		if (arg[0] == '-') {
			const char letter = check_group(root, arg + 1, &takes);

			if (!letter)
				continue;
			snprintf(wanted, sizeof(wanted), "-%c", letter);
			add_beginning(root, letter, &names);
			return no_option(state, wanted, &names);
		}
	}
}

/* NOLINTNEXTLINE(readability-non-const-parameter): argp requires this type */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct table_use *node = state->input;
	const struct cmd_options *table = node->options;

	if (key == ARGP_KEY_INIT) {
		for (size_t i = 0; i < node->n_shared; i++)
			state->child_inputs[i] = &node->shared[i];
		if (node->errors)
			state->err_stream = node->errors;
		if (node->root)
			report_misspelled(node, state);
		return 0;
	}
	for (size_t i = 0; i < node->n; i++)
		if (node->argp.options[i].key == key && table->options[i].to.how)
			return store(&table->options[i], node->input, arg, state);
	if (key == ARGP_KEY_ARG && table->arguments) {
		text_array *to = (void *)((char *)node->input + table->arguments);

		return array_push(to, arg) ? ENOMEM : 0;
	}
	state->input = node->input;
	return table->parse ? table->parse(key, arg, state) : ARGP_ERR_UNKNOWN;
}

/* --- options of every verb --- */

static const struct cmd_option common_options[] = {
	{ "color", 0, "WHEN", 0, "Colour in messages: auto (on a terminal), always, never", -2,
	  CMD_WORD(struct cmd_context, colour, "auto|always|never") }, /* ORDER cmd_colour */
	{ "quiet", 'q', NULL, 0, "Show errors only, no warnings and notes", -2,
	  CMD_TRUE(struct cmd_context, quiet) },
	{ 0 },
};

static const struct cmd_options common = { .options = common_options };

/* --- from tables to argp --- */

/* Fill in @node; @more is the input of another child, the options of every verb; NULL: none. */
static int make_node(struct table_use *node, const struct cmd_options *table, void *input,
		     void *more, struct arena *arena)
{
	struct argp_option *options;
	struct argp_child *children;
	int err = 0;

	*node = (struct table_use){ .options = table, .input = input };
	/* { 0 } ends them */
	for (const struct cmd_option *o = table->options; o && (o->name || o->key || o->doc); o++)
		node->n++;
	while (table->shared && table->shared[node->n_shared])
		node->n_shared++;
	options = arena_alloc(arena, (node->n + 1) * sizeof(*options));
	children = arena_alloc(arena, (node->n_shared + 2) * sizeof(*children));
	node->shared = arena_alloc(arena, (node->n_shared + 1) * sizeof(*node->shared));
	if (!options || !children || !node->shared)
		return HIST_NOMEM;
	for (size_t i = 0; i < node->n; i++) {
		const struct cmd_option *o = &table->options[i];
		int key = o->key || !o->name ? o->key : FIRST_KEY + (int)i;

		options[i] =
			(struct argp_option){ o->name, key, o->arg, o->flags, o->doc, o->group };
	}
	for (size_t i = 0; i < node->n_shared && !err; i++)
		err = make_node(&node->shared[i], table->shared[i], input, NULL, arena);
	if (more && !err)
		err = make_node(&node->shared[node->n_shared++], &common, more, NULL, arena);
	for (size_t i = 0; i < node->n_shared; i++)
		children[i].argp = &node->shared[i].argp;
	/* glibc: the help of a list without options leaks */
	node->argp = (struct argp){ .options = node->n ? options : NULL,
				    .parser = parse,
				    .args_doc = table->args_doc,
				    .doc = table->doc,
				    .children = children,
				    .help_filter = table->help_filter };
	return err;
}

/* "hist report: TEXT\nTry `hist report --help' ..." of argp, as a diagnosis. */
static int report_usage(struct diags *diags, struct span text)
{
	struct span line = span_sep(&text, "\n"), rest = line;

	span_sep(&rest, ":");
	rest = span_trim(rest.s ? rest : line);
	return diags_error(diags, -HIST_EINVAL, "%.*s", (int)rest.n, rest.s);
}

int cmd_parse(const struct cmd_options *options, struct cmd_context *cx, int argc, char **argv,
	      void *input)
{
	const unsigned int quiet = cx->session ? ARGP_NO_EXIT | ARGP_NO_HELP : 0;
	scoped(arena_release) struct arena arena = ARENA_INIT;
	struct table_use root;
	scoped(free_scoped) char *errors = NULL;
	size_t n_errors = 0;
	int err = make_node(&root, options, input, cx, &arena);

	root.root = true;
	if (!err && cx->words)
		err = replace_options(&root, &argc, argv, cx->words);
	root.errors = cx->session ? open_memstream(&errors, &n_errors) : NULL;
	if (cx->session && !root.errors)
		err = HIST_NOMEM;
	if (!err && argp_parse(&root.argp, argc, argv, ARGP_IN_ORDER | quiet, NULL, &root))
		err = HIST_NOMEM;
	if (root.errors && !fclose(root.errors) && n_errors)
		err = report_usage(cx->diags, (struct span){ errors, n_errors });
	return err;
}

error_t cmd_store_exemplars(const struct cmd_option *o, void *to, const char *arg,
			    struct argp_state *state)
{
	struct span name = span_of(arg), number = span_sep(&name, ":");
	u64 n;

	if (!span_u64(number, &n) || !n || n > HIST_EXEMPLARS_MAX || (name.s && !name.n))
		argp_error(state,
			   "--%s takes N or N:NAME, where N is at most %d and NAME is a "
			   "value, variable or key, not '%s'",
			   o->name, HIST_EXEMPLARS_MAX, arg);
	*(struct cmd_exemplars *)to = (struct cmd_exemplars){ (unsigned int)n, name.s };
	return 0;
}

error_t cmd_store_top(const struct cmd_option *o, void *to, const char *arg,
		      struct argp_state *state)
{
	u64 n;

	if (!span_u64(span_of(arg), &n))
		argp_error(state, "--%s takes a number of rows, or 0 for all, not '%s'", o->name,
			   arg);
	*(size_t *)to = n ? (size_t)min_t(u64, n, SIZE_MAX) : SIZE_MAX;
	return 0;
}
