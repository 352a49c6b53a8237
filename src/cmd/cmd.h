/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A verb of hist is one file here that ends in one `const struct cmd cmd_VERB`.
 *
 * To add a verb: write cmd/cmd_VERB.c, declare it below, add it to the table of main.c, and add
 * man/hist-VERB.1 and tests/cli/VERB.t. The file contains the verb's options, a table (options.h),
 * and names the tables below that it shares with other verbs.
 */
#ifndef HIST_CMD_CMD_H
#define HIST_CMD_CMD_H

#include <stdio.h>

#include "base/base.h"
#include "hist-import.h"
#include "hist-list.h"
#include "cmd/options.h"
#include "cmd/script_args.h"
#include "cmd/terminal_text.h"
#include "hist-plugins.h"

/* The first exit status that means trouble. */
enum { CMD_OK = 0, CMD_REJECTED = 1, CMD_TROUBLE = 2 };

enum cmd_colour { CMD_COLOUR_AUTO, CMD_COLOUR_ALWAYS, CMD_COLOUR_NEVER };

/* How main.c prints the diagnoses of a verb; set by options of every verb. */
struct cmd_context {
	struct diags *diags;
	enum cmd_colour colour;
	bool quiet;          /* errors only */
	const char *command; /* the command line, in a shell's words; NULL: out of memory */
};

struct cmd {
	const char *name;
	const char *summary; /* one line, lower case, no full stop */
	int trouble;         /* exit status of usage errors and of trouble; 0: CMD_TROUBLE */
	/*
	 * Run the verb. argv[0] is "hist VERB", for argp's messages. Prints data to stdout, nothing
	 * to stderr.
	 *
	 * Return: the exit status, or a negative code: -HIST_EREJECTED becomes CMD_REJECTED,
	 *         any other one ->trouble
	 */
	int (*run)(struct cmd_context *cx, int argc, char **argv);
};

extern const struct cmd cmd_record;
extern const struct cmd cmd_report;
extern const struct cmd cmd_check;
extern const struct cmd cmd_list;
extern const struct cmd cmd_dump;
extern const struct cmd cmd_merge;
extern const struct cmd cmd_diff;
extern const struct cmd cmd_trend;
extern const struct cmd cmd_slim;
extern const struct cmd cmd_import;
extern const struct cmd cmd_recipe;

extern const struct cmd_options cmd_other_options; /* hidden: words of other tools, with hints */

/* --- recordings: -i, -B, --cpu, --from, --to, --kernel, -j --- */

struct cmd_descriptor {
	const char *path, *name; /* /proc/self/fd/N, and the user's name for it */
};

struct cmd_input {
	struct hist_options options; /* without the files, which cmd_input_open() fills in */
	text_array paths;            /* as given; "-" is standard input */
	ARRAY(int) spooled;          /* descriptors of copies of inputs that could not be mapped */
	ARRAY(struct cmd_descriptor) descriptors; /* inputs that are opened by descriptor */
	struct input_files files;                 /* all that was read, scripts, too */
	struct arena arena;
	bool stdin_taken;
};

#define CMD_INPUT_INIT                                                                 \
	{                                                                              \
		.paths = ARRAY_INIT, .spooled = ARRAY_INIT, .descriptors = ARRAY_INIT, \
		.files = INPUT_FILES_INIT, .arena = ARENA_INIT                         \
	}

/* Their input is the struct cmd_input. */
extern const struct cmd_options cmd_input_options;  /* -i, --kallsyms, --formats */
extern const struct cmd_options cmd_buffer_options; /* -B */
extern const struct cmd_options cmd_target_options; /* -B, --kernel */
extern const struct cmd_options cmd_part_options;   /* --cpu, --from, --to */
extern const struct cmd_options cmd_select_options; /* --cpu, --from, --to, -j */

/* Number of bytes that are enough to recognise a recording or an importable input. */
enum { CMD_HEAD_SIZE = 4096 };

/*
 * Add a recording that is read from @fd, from which @head was read already. An input that cannot be
 * mapped is copied to an unlinked temporary file. The caller keeps @fd.
 */
int cmd_input_add_fd(struct cmd_input *in, const char *name, int fd, struct span head,
		     struct diags *diags);

/* Fill in the files and names of ->options; reads pipes. */
int cmd_input_resolve(struct cmd_input *in, struct diags *diags);

/* Refuse a recording that is named twice, because its events would count twice. */
int cmd_input_distinct(const struct cmd_input *in, struct diags *diags);

/* Open all recordings, or trace.dat if none is named. */
int cmd_input_open(struct cmd_input *in, struct hist **h, struct diags *diags);
void cmd_input_release(struct cmd_input *in);

/*
 * The exit status of a verb that used @h (may be NULL): CMD_TROUBLE if parts of a recording could
 * not be read, which has priority over rejected lines and differences.
 */
int cmd_input_result(const struct hist *h, int result);

/* --- hist report --compare-live, in compare_live.c --- */

/* Compare a replay with the kernel's output. 0 equal, CMD_REJECTED different; or trouble. */
int cmd_compare_live(struct hist *h, hist_sink_fn sink, void *arg, struct diags *diags);

/* --- plugins: --plugin, --modifier --- */

struct cmd_plugins {
	struct hist_plugins *loaded;
	text_array files, modifiers;
};

#define CMD_PLUGINS_INIT                                     \
	{                                                    \
		.files = ARRAY_INIT, .modifiers = ARRAY_INIT \
	}

extern const struct cmd_options cmd_plugin_options; /* its input is the struct cmd_plugins */

/* Load the named plugins, and others that @run needs, and store them in @run. */
int cmd_plugins_load(struct cmd_plugins *p, struct hist_run_options *run, struct diags *diags);

/* Add the files of the named plugins. 0, -HIST_ENOMEM */
int cmd_plugins_files(const struct cmd_plugins *p, struct input_files *files);
void cmd_plugins_release(struct cmd_plugins *p); /* after hist_close() */

/* --- output: stdout, or -o FILE, and its format --- */

struct cmd_output_args {
	const char *path; /* NULL: stdout */
	const char *format;
	bool json_u64_as_string;
	bool csv_safe;
};

/* The format for spreadsheets instead of csv or tsv; any other is an error. */
const char *cmd_csv_safe(const char *format, struct argp_state *state);

/* Their input is the struct cmd_output_args. */
extern const struct cmd_options cmd_output_options; /* -o */
extern const struct cmd_options cmd_result_options; /* -o, --format of results, --json-u64 */

struct cmd_output {
	FILE *f;
	const char *name;     /* for messages */
	struct new_file file; /* its descriptor is -1: written directly */
	bool on_terminal;
	struct terminal_text text;
	int err; /* errno of the first write that failed */
};

/*
 * Refuse an output that cannot contain a recording, before anything is read.
 * Return: 0, -HIST_EINVAL
 */
int cmd_output_check_file(const char *path, struct diags *diags);

/* Open @path, unless it is one of @inputs; NULL, "-": standard output. */
int cmd_output_open(struct cmd_output *out, const char *path, const struct input_files *inputs,
		    struct diags *diags);

/* A hist_sink_fn; @arg is the struct cmd_output. */
int cmd_output_write(void *arg, const void *data, size_t len);

/* With @keep, complete the output; otherwise remove it. Return: @result, unless this fails */
int cmd_output_close(struct cmd_output *out, bool keep, int result, struct diags *diags);

/* --- the terminal --- */

/*
 * Whether the file @fd (-1: of another kind) supports colours and characters beyond ASCII: on a
 * terminal unless NO_COLOR or TERM=dumb is set, or with --color=always.
 */
bool cmd_is_colourful(const struct cmd_context *cx, int fd);

/* Columns for @output, from COLUMNS or from the terminal; 0: unknown. */
unsigned int cmd_columns(const char *output);

#endif
