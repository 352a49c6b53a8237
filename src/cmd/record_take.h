/* SPDX-License-Identifier: GPL-2.0-only */
/* hist record --dump and --take: what an instance of tracefs holds. */
#pragma once
#include "record/record.h"

/* --dump: to the new directory @dir. 0, < 0 with a diagnosis */
int record_dump_to(const char *dir, const char *instance, struct diags *diags);

/* --take. @name: "top" is the top level. To ->output of @plan, with its codec. 0, < 0 with a
 * diagnosis */
int record_take(const char *name, const struct record_plan *plan, struct diags *diags);
