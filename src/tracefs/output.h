/* SPDX-License-Identifier: LGPL-2.1-only */
/* Output of histograms: selects the format, and adds the metadata of the run to every result. */
#pragma once
#include "picture/picture.h"
#include "plugin/plugin.h"
#include "replay/replay.h"

/* A result that is not printed: as it was counted, and with the names of its numbers. */
struct taken_result {
	struct stored_result *frozen;
	struct result *named;
};

void taken_result_free(struct taken_result *t);

struct output {
	struct arena arena;
	const struct format *format; /* NULL: the kernel's text */
	struct format of_rows;       /* ->format, if it is one of rows */
	const struct format *taken;  /* prints results instead; NULL: none */
	/* gets results instead of a format, and owns them; NULL: it is not used */
	int (*take)(void *arg, const struct taken_result *t);
	void *take_arg;
	const struct script *shows; /* the script whose files are shown */
	struct format_options options;
	void *state; /* for a format that combines all histograms */
	struct result_info info;
	ARRAY(const char *) script;          /* the accepted writes */
	size_t script_bytes, printed_script; /* its length; how much of it is already in a result */
	format_array formats;                /* formats of plugins */
	struct modifiers modifiers;          /* modifiers of plugins */
	ARRAY(struct event_plugin) event_plugins;
	unsigned int n_tables;        /* printed so far */
	u64 interval;                 /* slices of this length; 0: the whole */
	bool over_time;               /* a page shows values over time, too */
	u64 table;                    /* --show N; 0: all */
	bool all_tables;              /* --show 0: text has all tables of a question, too */
	u64 n_candidates;             /* histograms that were or would be printed */
	const struct trigger *chosen; /* that of --show N, once it is known */
	bool warned_log2;             /* of negative numbers in ranges of .log2 */
	bool counted;                 /* a histogram that was printed has hits or drops */
	bool kernel_text;             /* answers, too, are printed as the file hist */
	size_t n_shown;               /* histograms that the script shows */
	size_t n_answers;             /* printed as text so far */
	ARRAY(const char *) sources;  /* of the script that made each histogram, see ->before */
	u32 before;                   /* histograms before the first of them */
	const char *source;           /* that of the last one that was printed */
	bool several;                 /* questions, with titles of their own */
	bool titled;                  /* what that script asks was printed */
	bool card;                    /* it wants all of its tables */
	bool named;                   /* of the last one only its name was printed */
	bool sorted;                  /* a histogram that was printed has the order of --sort */
	struct strbuf names;          /* columns of a histogram without that of --sort */
	bool noted_left_out;          /* rows that the format does not count */
	struct diags *diags;
	bool shown;                      /* --show EVENT: a cat command asked for it already */
	struct slicer *slicer;           /* while a replay shows slices; NULL: none */
	const struct trace_array *timed; /* the instance to which ->times belong; NULL: none yet */
	struct recordings_times times;
};

/*
 * Set up output as requested for hist_run(); an unknown format is -HIST_EINVAL with the known
 * names. @db: NULL if no records will be printed.
 */
int output_init(struct output *output, const struct hist_run_options *options, struct event_db *db,
		struct diags *diags);

/* Show names for the numbers of a key: "KEY NUMBER=NAME SYSTEM:EVENT.FIELD ...". 0, -HIST_ENOMEM */
int output_add_names(struct output *output, struct event_db *db, const char *text);

/* After the last histogram, even after an error (@keep is false then). */
void output_finish(struct output *output, bool keep, struct printer *p);
void output_release(struct output *output);

/* One result: with the names of its numbers, the rows that were chosen, in @format; NULL: text. */
int output_result(struct output *o, const struct format *format, const struct result *r,
		  struct printer *p);

/* Before a result is printed: of several questions, each has its own title. 0, -HIST_ENOMEM */
int output_ask(struct output *o, const struct trigger *trigger);

/* After the last histogram: an error if none has a column with the name of --sort. */
int output_check_sort(const struct output *output, struct diags *diags);

/* A command, quoted for a shell. */
void output_command(const struct script_cmd *cmd, struct strbuf *out);

/* Record a line of the script that was executed. */
int output_note_write(struct output *output, const struct script_cmd *cmd);

/* Note that a format has one table of several, with their @names. */
void output_note_others(const struct format *format, const char *names, struct diags *diags);

bool output_shows_number(const struct hist_run_options *options, u64 *number);

/* Whether files are printed by output_hists(), and not as the kernel's text. */
bool output_is_changed(const struct output *output);

/* Whether --show N permits a histogram of output_hists(). */
bool output_wants(const struct output *output, const struct trigger *trigger);

/* After the last histogram: an error if N of --show is larger than their number. */
int output_check_table(const struct output *output, struct diags *diags);

/* Print all histograms of these events, after a replay if needed. */
int output_hists(struct hist *h, struct event_file *const *files, size_t n, struct printer *p,
		 struct diags *diags);

/* Before the first histogram is printed: count those that the script shows. */
void output_count(struct hist *h, const struct script *script);

/* Whether all histograms of an event are answers, which have titles of their own. */
bool output_has_answers(const struct output *output, const struct event_file *file);

/* The file hist of an event as text. */
void output_event_text(struct hist *h, const struct event_file *file, struct printer *p);

int output_slice(struct hist *h, const struct trigger *trigger, struct printer *p);

/* Fill in the metadata of the run. 0, -HIST_ENOMEM */
int output_describe(struct hist *h);

/* Whether a trigger has a histogram that is printed, and not only a helper of others. */
bool output_prints(const struct trigger *trigger);
size_t output_n_printed(const struct event_file *file);

/* Whether the event has a histogram that is more than a helper of a question; a table of one. */
bool output_has_shown(const struct event_file *file);
bool output_has_table(const struct event_file *file);

/* One histogram as it is now. */
int output_print(struct hist *h, const struct trigger *trigger, struct printer *p);

/* The event whose file hist is at @path; NULL: it is another file. */
struct event_file *output_hist_file(struct hist *h, const char *path, struct diags *diags);

/*
 * --- refresh.c: while records still come (struct replay_feed) ---
 *
 * Print, or let ->take have, the histograms that the script shows, as they are now. Return: 0,
 * -HIST_ENOMEM also if one needed more memory than it may have. Context: the thread of the replay,
 * when it waits for records
 */
int output_refresh(struct hist *h, struct printer *p);

/*
 * Print a file of the tracing directory in a format other than text: a hist file is printed in that
 * format, any other file is left out with a note.
 */
int output_file(struct hist *h, const char *path, struct printer *p, struct diags *diags);

/*
 * --- slice.c ---
 *
 * Slices of time: one replay that prints its histograms repeatedly, each time with the hits since
 * the last time.
 *
 * A slice extends from its start to just before the start of the next one. Slices are contiguous
 * from the first event on; those in which no hit was counted or dropped are not shown. Variables
 * keep their values: a start in one slice and its end in the next one give a latency in the next
 * one.
 */

struct slicer {
	struct hist *h;
	struct replay_timer timer;       /* ->end: first time after the slice */
	struct event_file *const *files; /* events whose histograms are printed */
	size_t n;
	struct printer *p;
	u64 length;
	u64 from; /* first time of the slice */
	u64 done; /* first time that was not printed; later than ->from if the replay starts again
		   */
	u64 missed, missed_before;
	bool missed_unknown;
	u64 drops;
	int err;
};

/* "SEC" in units of the clock; -HIST_EINVAL with a diagnosis. */
int slice_parse(const char *text, bool clock_counts, u64 *length, struct diags *diags);

/* Replay, and print slices of these events' histograms. */
int slices_print(struct hist *h, struct event_file *const *files, size_t n, struct printer *p,
		 struct diags *diags);

/*
 * After these histograms were printed as a whole: replay again, in slices of which a page shows the
 * values over time. What the replay reports was reported before.
 */
int slices_over_time(struct hist *h, struct event_file *const *files, size_t n, struct printer *p);
