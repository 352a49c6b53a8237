/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A verb of hist is one file here that ends in one `const struct cmd cmd_VERB`.
 *
 * To add a verb: write cmd/cmd_VERB.c, name it below and in the table of main.c, add
 * man/hist-VERB.1 and tests/cli/VERB.t. Its options live with it: one argp parser, with
 * cmd_common_argp and whatever else of the parsers below fits among its children.
 */
#ifndef HIST_CMD_CMD_H
#define HIST_CMD_CMD_H

#include <argp.h>
#include <stdio.h>

#include "base/base.h"
#include "hist-import.h"
#include "hist-list.h"
#include "cmd/script_args.h"
#include "hist-plugins.h"

/* What CLI.md's "greater than 1 always means trouble" starts at. */
enum { CMD_OK = 0, CMD_REJECTED = 1, CMD_TROUBLE = 2 };

enum cmd_colour { CMD_COLOUR_AUTO, CMD_COLOUR_ALWAYS, CMD_COLOUR_NEVER };

/* What main.c needs to print the diagnoses of a verb; set by cmd_common_argp. */
struct cmd_context {
	struct diags *diags;
	enum cmd_colour colour;
	bool quiet; /* errors only */
};

struct cmd {
	const char *name;
	const char *summary; /* one line, lower case, no full stop */
	int trouble;         /* exit status of usage errors and of trouble; 0: CMD_TROUBLE */
	/*
	 * argv[0] is "hist VERB", for argp's messages. Prints data on stdout, nothing on stderr.
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

/*
 * argp's parse, so that options and arguments are seen in command-line order. Usage errors,
 * --help and --version leave the program.
 *
 * A .doc must not end in a line of just 79 columns: glibc's argp would look behind its end.
 */
int cmd_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Options that every verb has: --color, -q. Its input is the struct cmd_context. */
extern const struct argp cmd_common_argp;

/* --- recordings: -i, -B, --cpu, --from, --to, --kernel, -j --- */

struct cmd_descriptor {
	const char *path, *name; /* /proc/self/fd/N, and what the user calls it */
};

struct cmd_input {
	struct hist_options options; /* but for the files, which cmd_input_open() fills in */
	ARRAY(const char *) paths;   /* as given; "-" is standard input */
	ARRAY(int) spooled;          /* descriptors of what could not be mapped where it was */
	ARRAY(struct cmd_descriptor) descriptors; /* what is opened by its descriptor */
	struct arena arena;
	bool stdin_taken;
};

#define CMD_INPUT_INIT                                                                 \
	{                                                                              \
		.paths = ARRAY_INIT, .spooled = ARRAY_INIT, .descriptors = ARRAY_INIT, \
		.arena = ARENA_INIT                                                    \
	}

/* Their input is the struct cmd_input. */
extern const struct argp cmd_input_argp;  /* -i, --kallsyms, --formats */
extern const struct argp cmd_buffer_argp; /* -B */
extern const struct argp cmd_target_argp; /* -B, --kernel */
extern const struct argp cmd_part_argp;   /* --cpu, --from, --to */
extern const struct argp cmd_select_argp; /* --cpu, --from, --to, -j */

/* How many bytes of an input tell whether it is a recording or can be imported. */
enum { CMD_HEAD_SIZE = 4096 };

/*
 * Add a recording that is read from @fd, of which @head was read before. What cannot be
 * mapped goes into an unlinked temporary file. @fd stays the caller's.
 */
int cmd_input_add_fd(struct cmd_input *in, const char *name, int fd, struct span head,
		     struct diags *diags);

/* Fill in the files and names of ->options: what is a pipe is read. */
int cmd_input_resolve(struct cmd_input *in, struct diags *diags);

/* Open all of them, or trace.dat if there is none. */
int cmd_input_open(struct cmd_input *in, struct hist **h, struct diags *diags);
void cmd_input_release(struct cmd_input *in);

/* --- hist report --compare-live, in compare_live.c --- */

/* Hold a replay against what the kernel printed. 0 equal, CMD_REJECTED different; or trouble. */
int cmd_compare_live(struct hist *h, hist_sink_fn sink, void *arg, struct diags *diags);

/* --- plugins: --plugin, --modifier --- */

struct cmd_plugins {
	struct hist_plugins *loaded;
	ARRAY(const char *) files, modifiers;
};

#define CMD_PLUGINS_INIT                                     \
	{                                                    \
		.files = ARRAY_INIT, .modifiers = ARRAY_INIT \
	}

extern const struct argp cmd_plugin_argp; /* its input is the struct cmd_plugins */

/* Load what is named, and what else @run needs, and note it there. */
int cmd_plugins_load(struct cmd_plugins *p, struct hist_run_options *run, struct diags *diags);
void cmd_plugins_release(struct cmd_plugins *p); /* after hist_close() */

/* --- output: stdout, or -o FILE, and in which format --- */

struct cmd_output_args {
	const char *path; /* NULL: stdout */
	const char *format;
	bool json_u64_as_string;
};

/* Their input is the struct cmd_output_args. */
extern const struct argp cmd_output_argp; /* -o */
extern const struct argp cmd_result_argp; /* -o, --format of results, --json-u64 */

struct cmd_output {
	FILE *f;
	const char *name; /* for messages */
	char *path;       /* what the finished file becomes; NULL: written directly */
	int err;          /* errno of the first write that failed */
};

int cmd_output_open(struct cmd_output *out, const char *path, struct diags *diags);

/* A hist_sink_fn; @arg is the struct cmd_output. */
int cmd_output_write(void *arg, const void *data, size_t len);

/* With @keep, finish what was written; else leave no trace of it. */
int cmd_output_close(struct cmd_output *out, bool keep, struct diags *diags);

#endif
