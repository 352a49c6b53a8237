/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * engine: pieces of text to a program, and the program on records.
 *
 * tracing.h     the directory: instances, events, error_log
 * trigger.h     trigger files and what they hold
 * hist_data.h   a bound hist trigger
 * filter.h      filters, bound
 * synth.h       synthetic events
 * probe.h       definitions of probes
 * run.h         what happens when a record comes
 * array_buffer.h what an instance records into, snapshots
 * set_event.h   which events are on
 * event_pid.h   whose events count
 * trace_options.h options
 * traced.h      synthetic events that a program traces
 * batch.h       the same for many records at once, where their order does not matter
 * shard.h       records by key, for threads that have a part of the keys each
 * stats.h       samples, beyond what the kernel keeps
 * table.h       a histogram, sorted and frozen, for printers
 * version.h     what differs between kernels
 */
#ifndef HIST_ENGINE_ENGINE_H
#define HIST_ENGINE_ENGINE_H

#include "engine/version.h"
#include "engine/tracing.h"
#include "engine/hist_data.h"
#include "engine/trigger.h"
#include "engine/filter.h"
#include "engine/synth.h"
#include "engine/probe.h"
#include "engine/run.h"
#include "engine/array_buffer.h"
#include "engine/set_event.h"
#include "engine/event_pid.h"
#include "engine/trace_options.h"
#include "engine/traced.h"
#include "engine/batch.h"
#include "engine/shard.h"
#include "engine/stats.h"
#include "engine/table.h"

#endif
