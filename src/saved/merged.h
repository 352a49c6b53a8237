/* SPDX-License-Identifier: LGPL-2.1-only */
/* One histogram, of which many are added up: private to saved. */
#ifndef HIST_SAVED_MERGED_H
#define HIST_SAVED_MERGED_H

#include "saved/saved.h"

typedef ARRAY(const char *) text_array;

struct merged {
	struct stored_result *s;
	const char *first;  /* the name of what was added first */
	unsigned int added; /* how many texts there were when it was added to last */

	struct hash_table by_keys; /* of rows */

	/* what onmax and onchange track are the first columns that are saved */
	size_t n_tracks;
	size_t save_track; /* the one that decides what save() keeps; n_tracks: none does */

	/* of all recordings */
	text_array files, unames, kernels, limits;
};

/* An empty one for results like @like, or NULL. */
struct merged *merged_new(const struct result *like, const char *name);
void merged_free(struct merged *g);

/* Whether they ask the same of the same event. */
bool merged_is_like(const struct merged *g, const struct result *r);

/* Why they cannot be added up all the same; NULL: they can. */
const char *merged_differs(const struct merged *g, const struct result *r, struct strbuf *why);

/* 0, -HIST_ENOMEM, -HIST_ELIMIT */
int merged_add(struct merged *g, const struct result *r);
int merged_end(struct merged *g);

/* What is said of the recordings. */
int merged_add_info(struct merged *g, const struct result *r);
int merged_end_info(struct merged *g);

/* @inner with further keys that are the same in each row; it is borrowed. */
int labelled_new(const struct result *inner, const struct merge_label *labels, size_t n,
		 struct result **out);
void labelled_free(struct result *result);

#endif
