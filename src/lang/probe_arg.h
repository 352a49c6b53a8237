/* SPDX-License-Identifier: LGPL-2.1-only */
/* Arguments of definitions of probes: private to lang. */
#pragma once
#include "lang/probe_text.h"

/* Set the complaint, unless there is one; returns false. */
bool complain_probe(struct probe_text *out, enum probe_err err, struct span text);

/* The same for what the kernel refuses without a message; @hint tells the user why. */
bool complain_probe_silently(struct probe_text *out, struct span text, const char *hint);

/* Whether a machine may have a symbol of that name, in a module or not. */
bool is_symbol(struct span name);

/**
 * probe_arg_check() - the expression and type of an argument
 * @arg: ->body is set; type, format and size are set on success
 * @room: bytes that are left in a record; reduced by the size of the argument
 *
 * Return: false with a complaint in @out
 * Source: trace_probe.c traceprobe_parse_probe_arg_body() @ v6.12
 */
bool probe_arg_check(struct probe_arg *arg, const struct probe_rules *rules, u32 *room,
		     struct probe_text *out);
