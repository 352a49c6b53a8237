/* SPDX-License-Identifier: LGPL-2.1-only */
/* Copies of exemplars that outlive their result. */
#ifndef HIST_RESULT_EXEMPLAR_COPY_H
#define HIST_RESULT_EXEMPLAR_COPY_H

#include "result/result.h"

/* Everything but ->all is copied to the arena. 0, -HIST_ENOMEM */
int exemplars_describe(struct arena *arena, const struct result_exemplars *from,
		       struct result_exemplars *to);

/* Copies rows of one result. */
struct exemplar_copier {
	struct arena *arena;
	const char *file; /* for exemplars that do not name theirs, or NULL */
	const char *last; /* the copied name of the exemplar before */
};

/* A copier whose exemplars name the only file of @info, if there is only one. 0, -HIST_ENOMEM */
int exemplar_copier_init(struct exemplar_copier *c, struct arena *arena,
			 const struct result_info *info);

/* Replace the content of @to by as many of @from as it has room for. 0, -HIST_ENOMEM */
int exemplar_copy(struct exemplar_copier *c, const struct exemplar_row *from,
		  struct exemplar_row *to);

#endif
