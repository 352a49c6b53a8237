/* SPDX-License-Identifier: LGPL-2.1-only */
/* Libraries that are loaded when they are needed first, and stay loaded, as if they were linked. */
#pragma once
#include "base/types.h"

struct library {
	bool tried;   /* to load it */
	void *handle; /* of dlopen(); NULL: not installed */
};

struct library_function {
	const char *name;
	size_t member; /* offset of the pointer */
};

/*
 * Load the library @file unless that was tried, and set the pointers to its functions, which are
 * members of @to. Return: whether it is there, with all of these functions.
 */
bool library_load(struct library *library, const char *file, void *to,
		  const struct library_function *list, size_t n);
void library_unload(struct library *library);
