/* SPDX-License-Identifier: LGPL-2.1-only */
/* trace_dat: files of trace-cmd. */
#pragma once
#include "trace_dat/cpus.h"  /* sub-buffers from records */
#include "trace_dat/guard.h" /* mapped files that may shrink */
#include "trace_dat/kept_chunks.h"
#include "trace_dat/kernel_text.h"
#include "trace_dat/later.h" /* sub-buffers that are made when they are needed */
#include "trace_dat/open.h"  /* sections, options, sub-buffers */
#include "trace_dat/stream_out.h"
#include "trace_dat/task_fact.h"
