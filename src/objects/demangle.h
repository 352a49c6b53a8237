/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of C++ and Rust as their authors wrote them. */
#pragma once
#include "base/base.h"

/*
 * Append the demangled form of @name; false: it is not mangled, or too long. Context: bounded time
 * and memory, whatever the name
 */
bool demangle(const char *name, struct strbuf *out);
