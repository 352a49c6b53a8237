/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * base: code for all stages that is independent of tracing.
 *
 * Other modules include only this header, which includes the others, and the headers of the C
 * library that most of them need.
 */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/types.h"
#include "base/bits.h"
#include "base/ctype.h"
#include "base/digits.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/indexed.h"
#include "base/memory.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "base/bytes.h"
#include "base/text_copy.h"
#include "base/span.h"
#include "base/texts.h"
#include "base/utf8.h"
#include "base/caveat.h"
#include "base/limits.h"
#include "base/clock.h"
#include "base/coverage.h"
#include "base/diag.h"
#include "base/event_word.h"
#include "base/key_list.h"
#include "base/library.h"
#include "base/input_files.h"
#include "base/near.h"
#include "base/out_dest.h"
#include "base/new_file.h"
#include "base/number_names.h"
#include "base/own.h"
#include "base/rank.h"
#include "base/samples.h"
#include "base/sketch.h"
#include "base/threads.h"
#include "base/wide.h"
