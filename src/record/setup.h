/* SPDX-License-Identifier: LGPL-2.1-only */
/* How an instance is set up, as texts that are stored with its events. */
#pragma once
#include "base/base.h"

/**
 * setup_read() - describe an instance
 * @top:      the tracing directory
 * @instance: the directory of the instance; @top for the top level
 * @script:   its hist triggers and their synthetic events, each trigger after those that it needs;
 *            other triggers and the tracer as comments. Empty: there are none
 * @limits:   its filters and pids, see record.h
 *
 * What cannot be read is left out. Return: 0, -HIST_ENOMEM
 */
int setup_read(const char *top, const char *instance, struct strbuf *script, struct strbuf *limits);
