/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Histograms in a format for programs: which format, and what every result says about the
 * run.
 */
#ifndef HIST_TRACEFS_OUTPUT_H
#define HIST_TRACEFS_OUTPUT_H

#include "hist.h"
#include "lang/lang.h"
#include "print/print.h"
#include "picture/picture.h"
#include "plugin/plugins.h"
#include "recording/recording.h"

struct output {
	struct arena arena;
	const struct format *format; /* NULL: text, as the kernel has it */
	const struct format
		*taken; /* by what works on results itself, instead; NULL: nothing does */
	struct format_options options;
	void *state; /* of a format that shows all histograms as one */
	struct result_info info;
	ARRAY(const char *) script; /* the writes that were accepted */
	format_array formats;       /* those of plugins */
	struct modifiers modifiers; /* of plugins */
	ARRAY(struct event_plugin) event_plugins;
	unsigned int n_tables;           /* printed so far */
	u64 interval;                    /* slices of this length; 0: the whole */
	bool shown;                      /* --show: a cat command asked for it already */
	struct slicer *slicer;           /* while a replay shows slices; NULL: none */
	const struct trace_array *timed; /* the instance that ->times are of; NULL: none yet */
	struct recordings_times times;
};

/*
 * Take what hist_run() was asked for; an unknown format is -HIST_EINVAL with the names. @db: NULL
 * if no records will be printed.
 */
int output_init(struct output *output, const struct hist_run_options *options, struct event_db *db,
		struct diags *diags);

/* After the last histogram, whether or not all went well (@keep). */
void output_finish(struct output *output, bool keep, struct printer *p);
void output_release(struct output *output);

/* A command as a shell would take it. */
void output_command(const struct script_cmd *cmd, struct strbuf *out);

/* A line of the script was carried out. */
int output_note_write(struct output *output, const struct script_cmd *cmd);

/* All histograms of these events, after a replay if need be. */
int output_hists(struct hist *h, struct event_file *const *files, size_t n, struct printer *p,
		 struct diags *diags);

/* The file hist of an event, as text. */
void output_event_text(struct hist *h, const struct event_file *file, struct printer *p);

/* One histogram of the current slice. */
int output_slice(struct hist *h, const struct trigger *trigger, struct printer *p);

/*
 * A file of the tracing directory under a format that is not text: a hist file is shown in
 * that format, all else is left out, which is said.
 */
int output_file(struct hist *h, const char *path, struct printer *p, struct diags *diags);

#endif
