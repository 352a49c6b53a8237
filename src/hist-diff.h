/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: comparing histograms, of recordings or of saved results.
 *
 *	const struct hist_diff_options options = { .n_before = 1, .n_after = 1 };
 *	enum hist_diff_verdict verdict;
 *	struct hist_diff *d;
 *
 *	if (!hist_diff_new(&options, &d, diags)) {
 *		hist_diff_start_run(d, 0, "before", diags);
 *		hist_diff_add_recording(d, before, script, diags);
 *		hist_diff_start_run(d, 1, "after", diags);
 *		hist_diff_add_recording(d, after, script, diags);
 *		hist_diff_print(d, sink, NULL, &verdict, diags);
 *		hist_diff_free(d);
 *	}
 */
#ifndef HIST_DIFF_H
#define HIST_DIFF_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum hist_diff_verdict { HIST_DIFF_SAME, HIST_DIFF_DIFFERENT, HIST_DIFF_INCONCLUSIVE };

enum hist_diff_mode {
	HIST_DIFF_DEFAULT,  /* rates; absolute if the clock does not measure time */
	HIST_DIFF_RATE,     /* per second of the time covered */
	HIST_DIFF_SHARE,    /* in per cent of all rows */
	HIST_DIFF_ABSOLUTE, /* raw counts */
};

/* All strings are borrowed until hist_diff_free(). */
struct hist_diff_options {
	size_t n_before, n_after; /* number of runs on each side */
	enum hist_diff_mode mode;
	const char *const *fail_on; /* expressions; see hist-diff(1) */
	size_t n_fail_on;
	const char *const *drop_keys;
	size_t n_drop_keys;
	const char *const *units; /* "lat=us" */
	size_t n_units;
	double noise;       /* values that differ by at most this percentage are the same */
	double alpha;       /* probability of a false alarm; 0: 0.03 */
	double allow_lost;  /* percentage of the events that may be lost */
	uint64_t min_count; /* rows with fewer hits on both sides get no verdict */
	bool ignore_new, ignore_gone;
	const char *show; /* only this event's histograms */
	/* "delta" (NULL), "percent", "before", "after", "key"; another: as hist_diff_metric() */
	const char *sort;
	size_t top; /* show this many rows; 0: all */
	bool all;   /* also show rows that are the same */
	bool stats; /* compare statistics of values and variables */
	const char *
		format; /* "text" (NULL), "json", "csv", "markdown", "html" ...; see hist-diff(1) */
	const size_t *more; /* runs of each further side; compared with the first */
	size_t n_more;
	const char *const *labels; /* names of the sides; NULL: before, after */
	bool more_is_better;       /* summaries: a larger value is better */
	const char *balance;       /* a key: spread of values over it; NULL: over CPUs */
	bool trend;                /* n_before runs in order, for hist_diff_print_trend() */
	unsigned int width;        /* of the terminal, for text; 0: unlimited */
	unsigned int exemplars;    /* number of hits with the largest value per row; 0: none */
	const char *exemplars_of;  /* a value, variable or key; NULL: the first quantity */
	const char *const *only;   /* patterns of keys, as in expressions: only these rows */
	size_t n_only;
	const char *command; /* for pages: what repeats them in a shell; NULL: not shown */
};

struct hist_diff;

/* Return: 0; -HIST_EINVAL if an option is invalid */
int hist_diff_new(const struct hist_diff_options *options, struct hist_diff **d,
		  struct diags *diags);
void hist_diff_free(struct hist_diff *d);

/*
 * Compare only this metric, "hitcount" or "us.p90", named as in expressions; text and markdown are
 * one table. To be called before results are added. @name: borrowed until hist_diff_free()
 */
void hist_diff_metric(struct hist_diff *d, const char *name);

/*
 * Results added from now on belong to run @run; runs before come first. @name is used in messages.
 */
int hist_diff_start_run(struct hist_diff *d, size_t run, const char *name, struct diags *diags);

/**
 * hist_diff_add_recording() - run a script on a recording, and add its histograms
 *
 * @h and @script can be closed afterwards.
 *
 * Return: as hist_run()
 */
int hist_diff_add_recording(struct hist_diff *d, struct hist *h, const struct hist_script *script,
			    struct diags *diags);

/**
 * hist_diff_add_saved() - add the histograms of a saved result
 * @text: json or ndjson, as hist_run() writes it; need not outlive the call
 *
 * Add saved results before recordings: recordings then get statistics if the result has them.
 *
 * Return: 0; -HIST_EFORMAT if it is not a complete, valid result; -HIST_EUNSUPPORTED if its schema
 *         is not known
 */
int hist_diff_add_saved(struct hist_diff *d, const char *text, size_t len, struct diags *diags);

/*
 * The script of the first saved result, as text; NULL: none was added. Histograms of the script
 * that were not saved are then left out.
 */
const char *hist_diff_script(struct hist_diff *d);

/**
 * hist_diff_print() - compare, and print the comparison
 *
 * Each reason to doubt the comparison is a warning.
 *
 * Return: 0 with a verdict, or < 0
 */
int hist_diff_print(struct hist_diff *d, hist_sink_fn sink, void *arg,
		    enum hist_diff_verdict *verdict, struct diags *diags);

/**
 * hist_diff_print_trend() - print each metric over the runs, and where it changed permanently
 *
 * The options must have .trend and only .n_before runs. Formats are text and those of rows.
 *
 * Return: 0 with HIST_DIFF_DIFFERENT if a metric has a change point, or < 0
 */
int hist_diff_print_trend(struct hist_diff *d, hist_sink_fn sink, void *arg,
			  enum hist_diff_verdict *verdict, struct diags *diags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
