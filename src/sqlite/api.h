/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * SQLite: the library that sql_session.c loads, or, in an extension, the program that loads it.
 */
#pragma once
#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3

enum { NEEDS_VERSION = 3038000 };
