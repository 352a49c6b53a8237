/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A verb of hist is one file here that ends in one `const struct cmd cmd_VERB`: its options, which
 * are a table (options.h) and names of the tables below that verbs share, and its steps. cmd_main()
 * runs all verbs. ARCHITECTURE lists what else a new verb needs.
 */
#pragma once
#include "hist-list.h"
#include "cmd/input.h"
#include "cmd/terminal_text.h"
#include "hist-plugins.h"

/* Exit status; the last one is the first that means trouble. */
enum { CMD_OK = 0, CMD_REJECTED = 1, CMD_TROUBLE = 2 };

enum cmd_colour { CMD_COLOUR_AUTO, CMD_COLOUR_ALWAYS, CMD_COLOUR_NEVER };

/*
 * A verb that is run for a program that asks (hist mcp): it prints here, its usage errors are
 * diagnoses, and it reads only recordings that were named, and recipes.
 */
struct cmd_session {
	struct strbuf out;
	size_t max; /* bytes of ->out; what needs more ends with -HIST_ELIMIT */
	bool full;
	const char *symfs;         /* where files of programs may be read */
	struct hist_session *kept; /* from the questions before */
};

/* How main.c prints the diagnoses of a verb; set by options of every verb. */
struct cmd_context {
	struct diags *diags;
	enum cmd_colour colour;
	bool quiet;                  /* errors only */
	const char *command;         /* the command line, in a shell's words; NULL: out of memory */
	struct cmd_session *session; /* NULL: of a person */
	struct arena *words;         /* has options that replace others; NULL: none are replaced */
};

/* --- output: stdout, or -o FILE --- */

struct cmd_output {
	FILE *f;              /* NULL: could not be opened */
	const char *name;     /* for messages; NULL: not open */
	struct new_file file; /* its descriptor is -1: written directly */
	bool on_terminal;
	struct cmd_session *session; /* gets it instead; NULL: none */
	struct terminal_text text;
	int err; /* errno of the first write that failed */
};

/*
 * Create the directories of a path that do not exist, in one that only the user can write to.
 * Otherwise, the error is that of creating the file.
 */
void cmd_make_directories(const char *path);

/* Refuse an output that cannot contain a recording; make its directories. 0, -HIST_EINVAL */
int cmd_output_check_file(const char *path, struct diags *diags);

/* A hist_sink_fn; @arg is the struct cmd_output. */
int cmd_output_write(void *arg, const void *data, size_t len);

/* With @keep, complete the output; otherwise remove it. Return: @result, unless this fails */
int cmd_output_close(struct cmd_output *out, bool keep, int result, struct diags *diags);

/* --- verbs --- */

/* What verbs share: the first member of the struct of each. */
struct cmd_args {
	struct cmd_context *cx;
	struct diags *diags;
	struct cmd_input input;
	struct cmd_script script;
	struct {
		const char *path; /* NULL: stdout */
		const char *format;
		bool json_u64_as_string;
		bool csv_safe;
	} to;
	struct cmd_exemplars exemplars;
	struct hist_plugins *plugins;
	text_array plugin_files, modifiers;
	struct hist_run_options run; /* with CMD_RESULTS: from ->to and the plugins */
	struct hist *h;              /* with CMD_RECORDING: the inputs, opened */
	struct hist_script *lines;   /* with CMD_RECORDING: empty */
	struct cmd_output out;       /* closed by cmd_main() */
	bool uncertain;              /* --strict, and the result is: CMD_TROUBLE */
	bool hosts;                  /* --hosts: ->h is of the first recording, a machine's */
	text_array others;           /* those of other machines, see hosts.h */
};

enum cmd_uses {
	CMD_RECORDING = 1, /* it works on one open recording */
	CMD_RESULTS = 2,   /* it prints results, in any format */
};

struct cmd {
	const char *name;
	const char *summary; /* one line, lower case, no full stop */
	int trouble;         /* exit status of usage errors and of trouble; 0: CMD_TROUBLE */
	unsigned int uses;   /* enum cmd_uses */
	size_t size;         /* of its struct */
	const char *alone;   /* the event of its -f and --by without an -e; NULL: they need one */
	struct cmd_options line;
	/* Before the recording is opened; NULL: nothing to do. Return: 0, or an error */
	int (*prepare)(void *args);
	/*
	 * Prints data to the output, nothing to stderr.
	 *
	 * Return: the exit status, or a negative code: -HIST_EREJECTED becomes CMD_REJECTED,
	 *         any other one ->trouble
	 */
	int (*main)(void *args);
	void (*release)(void *args); /* what only it has; NULL: nothing */
};

/* hist help --json: the verbs with their options, recipes and derived events. An exit status */
int cmd_help_json(const struct cmd *const *verbs, size_t n, struct diags *diags);

/* All steps of a verb. argv[0] is "hist VERB", for argp's messages. Return: as ->main() */
int cmd_main(const struct cmd *cmd, struct cmd_context *cx, int argc, char **argv);

/* Open the output of -o, unless it is one of the inputs. */
int cmd_open_output(struct cmd_args *a);

/*
 * @format, or if that is NULL, the one with which the name of -o FILE.csv ends, with a note; @page
 * is that of FILE.html. NULL: neither
 */
const char *cmd_format_of_name(const struct cmd_args *a, const char *format, const char *page);

/* Print the messages so far; main.c does so at the end. */
void cmd_print_diagnoses(const struct cmd_context *cx);

/* The key of --mark, which several verbs have. */
enum { CMD_MARK = 0x600 };

extern const struct cmd cmd_record;
extern const struct cmd cmd_report;
extern const struct cmd cmd_check;
extern const struct cmd cmd_list;
extern const struct cmd cmd_dump;
extern const struct cmd cmd_merge;
extern const struct cmd cmd_diff, cmd_trend, cmd_slim, cmd_import;
extern const struct cmd cmd_recipe, cmd_why, cmd_events, cmd_sql, cmd_top, cmd_summary, cmd_mcp;

/* Options that verbs share, of struct cmd_args. */
extern const struct cmd_options cmd_input_options;  /* -i, --kallsyms, --formats */
extern const struct cmd_options cmd_buffer_options; /* -B */
extern const struct cmd_options cmd_symbol_options; /* --symfs, --buildid-dir, --no-inline */
extern const struct cmd_options cmd_kernel_options; /* --kernel */
extern const struct cmd_options cmd_part_options;   /* --cpu, --from, --to */
extern const struct cmd_options cmd_select_options; /* --pid, --comm, --tree, -j, --explain ... */
extern const struct cmd_options cmd_script_options; /* SCRIPT, -x, -e ... */
extern const struct cmd_options cmd_line_options;   /* the same without SCRIPT arguments */
extern const struct cmd_options cmd_output_options; /* -o */
extern const struct cmd_options cmd_result_options; /* --format of results, --json-u64 */
extern const struct cmd_options cmd_plugin_options; /* --plugin, --modifier */
extern const struct cmd_options cmd_other_options;  /* hidden: words of other tools, with hints */
extern const struct cmd_options cmd_other_events;   /* the same for hist events */

/* The format for spreadsheets instead of csv or tsv; any other is an error. */
const char *cmd_csv_safe(const char *format, struct argp_state *state);

/*
 * Where Parquet goes: -o NAME.parquet is a file, any other name a @directory, which -o does not
 * open then. Return: 0, -HIST_EINVAL
 */
int cmd_parquet_place(struct cmd_args *a, const char **directory);

/* Whether it is a format of rows: not text (NULL) or a document in json. */
bool cmd_prints_rows(const char *format);

/* An error if a @format (NULL: text) would write bytes to a terminal. */
int cmd_check_binary(const struct cmd_args *a, const char *format);

/* For help: the formats in which any table is printed. */
#define CMD_ROW_FORMATS                                                                           \
	"csv, tsv, json (an array of objects), ndjson (an object in each line), markdown, html, " \
	"sql (statements that make a table), or parquet"

/* Load the named plugins, and others that ->run needs; note their files as inputs. */
int cmd_load_plugins(struct cmd_args *a);

/*
 * The name of the recipe that @name is, also in other tools; to be freed. NULL: there is none, or
 * out of memory
 */
char *cmd_find_recipe(const char *name);

/* --compare-live: a replay with the kernel's output. 0, CMD_REJECTED if different; or trouble. */
int cmd_compare_live(struct hist *h, hist_sink_fn sink, void *arg, struct diags *diags);
