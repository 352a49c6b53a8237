/* SPDX-License-Identifier: LGPL-2.1-only */
/* The names of softirqs. */
#pragma once
#include "derive/irq_stack.h"

enum { SOFTIRQS_MAX = 32 };

struct softirq_names {
	struct irq_name of[SOFTIRQS_MAX];
};

/* { 0, "HI" }, { 1, "TIMER" }, ... in the print fmt of softirq_entry or softirq_raise; or NULL. */
void softirq_names_read(struct softirq_names *names, const char *print_fmt);

/* The name, or the number if it is unknown. */
struct irq_name softirq_name(const struct softirq_names *names, u32 number);

void irq_name_set(struct irq_name *to, struct span name);
