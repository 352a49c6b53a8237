/* SPDX-License-Identifier: LGPL-2.1-only */
/* Included first by every unit test: cmocka with its prerequisites, and base. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

#define TEST(fn) cmocka_unit_test(fn)

#endif
