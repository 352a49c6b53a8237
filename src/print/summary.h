/* SPDX-License-Identifier: LGPL-2.1-only */
/* The statistics that all formats show: private to print. */
#ifndef HIST_PRINT_SUMMARY_H
#define HIST_PRINT_SUMMARY_H

#include "print/print.h"

/* Ends of ranges; they are equal if samples are numbers. */
struct stat_summary {
	u64 n;
	bool is_signed, is_range;
	bool rounded; /* the quantiles are */
	struct sketch_range min, max, quantiles[STAT_QUANTILES];
	double mean, mean_max; /* NAN without samples */
	double stddev;         /* NAN with fewer than two samples, and for ranges */
};

/* @all_max: see struct result_stat; NULL for a row. 0, -HIST_ENOMEM */
int stat_summarise(const struct sketch *all, const struct sketch *all_max, struct stat_summary *s);

#endif
