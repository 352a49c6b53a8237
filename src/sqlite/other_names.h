/* SPDX-License-Identifier: LGPL-2.1-only */
/* What names of other databases are here. */
#pragma once

#include "base/base.h"
#include "sqlite/api.h"

/**
 * other_name_note() - note what a name of another database is here
 *
 * Return:  whether it is one
 */
bool other_name_note(const char *name, struct diags *diags);

/**
 * other_names_replace() - replace the name on account of which SQLite refused a statement
 * @text:      contains @statement
 *
 * Return:  @text with our name in its place, for sqlite3_free(); NULL: something else is wrong
 */
char *other_names_replace(sqlite3 *db, const char *text, const char *statement,
			  struct diags *diags);
