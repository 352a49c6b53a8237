/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recordings that a verb works on, and the selected part of them: -i, -B, --cpu, --from, --to,
 * --kernel, -j.
 */
#pragma once
#include "cmd/script_args.h"
#include "hist-import.h"
#include "hist-script.h"

struct cmd_descriptor {
	const char *path, *name; /* /proc/self/fd/N, and the user's name for it */
};

/* What struct hist_options does not have. */
struct cmd_selection {
	const char *process, *cgroup; /* see hist_select(); NULL: all */
	unsigned int cgroup_depth;    /* 0: all components */
	const char *hierarchy;        /* see hist_cgroup_hierarchy(); NULL: it is found */
	uint64_t memory;              /* bytes; 0: the default, see hist_limit_memory() */
	bool open_intervals, clip;    /* see hist_open_intervals(), hist_clip_intervals() */
	struct hist_symbol_files files;
};

/* Released by cmd_input_release(); zeros are none. */
struct cmd_input {
	struct hist_options options; /* without the files, which cmd_input_open() fills in */
	struct cmd_selection selection;
	struct hist_session *session; /* borrowed; NULL: none */
	text_array paths;             /* as given; "-" is standard input */
	ARRAY(int) spooled;           /* descriptors of copies of inputs that could not be mapped */
	ARRAY(struct cmd_descriptor) descriptors; /* inputs that are opened by descriptor */
	struct input_files files;                 /* all that was read, scripts, too */
	struct arena arena;
	bool stdin_taken;
};

/* Number of bytes that are enough to recognise a recording or an importable input. */
enum { CMD_HEAD_SIZE = 4096 };

/* Standard input can be read only once. Return: 0, -HIST_EINVAL */
int cmd_input_take_stdin(struct cmd_input *in, struct diags *diags);

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

/* "500M": a number that is not 0, maybe with one of the @units, in order: K is 1024. */
bool cmd_parse_size(const char *arg, const char *units, u64 *bytes);

/* Open all recordings, or trace.dat if none is named. */
int cmd_input_open(struct cmd_input *in, struct hist **h, struct diags *diags);
/* Open them again, after cmd_input_open(), which reported what is missing: only errors are added.
 */
int cmd_input_reopen(const struct cmd_input *in, struct hist **h, struct diags *diags);
void cmd_input_release(struct cmd_input *in);

/*
 * The exit status of a verb that used @h (may be NULL): CMD_TROUBLE if parts of a recording could
 * not be read, which has priority over rejected lines and differences.
 */
int cmd_input_result(const struct hist *h, int result);
