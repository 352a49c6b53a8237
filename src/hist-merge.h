/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: adding up results that hist_run() wrote as json or ndjson.
 *
 *	struct hist_merge *m = hist_merge_new();
 *
 *	hist_merge_add(m, "a.json", text, len, diags);
 *	hist_merge_add(m, "b.json", text2, len2, diags);
 *	hist_merge_print(m, &(struct hist_run_options){ .format = "json" }, sink, NULL, diags);
 *	hist_merge_free(m);
 *
 * The sum is exact and does not depend on the order, nor on earlier partial sums.
 */
#ifndef HIST_MERGE_H
#define HIST_MERGE_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct hist_merge;

struct hist_merge *hist_merge_new(void);
void hist_merge_free(struct hist_merge *m);

/*
 * Add a key to the results added from now on; "NAME=VALUE", or "NAME" to stop. Return: 0,
 * -HIST_EINVAL, -HIST_ENOMEM
 */
int hist_merge_label(struct hist_merge *m, const char *label, struct diags *diags);

/**
 * hist_merge_add() - add all histograms of one saved result (json or ndjson)
 * @name: its name in messages; copied
 *
 * Return: 0; -HIST_EFORMAT: not a complete, valid result; -HIST_EUNSUPPORTED: another schema;
 *         -HIST_EINVAL: triggers, columns or clocks differ from the results added before. After an
 *         error nothing more can be added or printed.
 */
int hist_merge_add(struct hist_merge *m, const char *name, const char *text, size_t len,
		   struct diags *diags);

/* Print the sums, once; uses format, json_u64_as_string, plugins and modifiers of @options. */
int hist_merge_print(struct hist_merge *m, const struct hist_run_options *options,
		     hist_sink_fn sink, void *arg, struct diags *diags);

/*
 * After hist_merge_print(): whether the sum is uncertain, so that --strict refuses it. Events were
 * lost or dropped, fields guessed, or another caveat is known; each was a warning.
 */
bool hist_merge_doubtful(const struct hist_merge *m);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
