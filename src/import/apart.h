/* SPDX-License-Identifier: LGPL-2.1-only */
/* Imports in a process of their own. */
#pragma once
#include "import/sink.h"

typedef int import_run_fn(const struct importer *importer, struct import_job *job,
			  const struct import_output *to);

/* Call @run, which writes to @to, in another process; returns what it returns. */
int import_run_apart(const struct importer *importer, struct import_job *job,
		     const struct import_output *to, import_run_fn *run);
