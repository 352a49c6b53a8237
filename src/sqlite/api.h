/* SPDX-License-Identifier: LGPL-2.1-only */
/* SQLite: the library that is linked, or, in an extension, the program that loads it. */
#ifndef HIST_SQLITE_API_H
#define HIST_SQLITE_API_H

#ifdef HIST_SQLITE_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

#endif
