/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Scanning: the fast path for events whose histograms do not depend on the order of
 * records. Threads take ranges of sub-buffers, whatever their time, and count into maps of
 * their own, which are added up at the end.
 */
#ifndef HIST_REPLAY_SCAN_H
#define HIST_REPLAY_SCAN_H

#include "replay/replay.h"
#include "replay/stream.h"

/**
 * scan_run() - count all order-free events of the streams
 * @streams: their tables say which events are scanned (dispatch.scanned)
 * @jobs:    threads; 0: as many as there are CPUs
 *
 * Return: 0; 1 if a map was too small, so that the order decides what is dropped: then
 *         nothing was counted and the ordered replay has to do it all; < 0 an error
 */
int scan_run(struct stream *streams, size_t n, const struct replay_span *span, unsigned int jobs);

/* How many threads @jobs asks for: at least 1. */
unsigned int scan_jobs(unsigned int jobs);

#endif
