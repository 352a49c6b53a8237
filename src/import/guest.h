/* SPDX-License-Identifier: LGPL-2.1-only */
/* Recordings of guests that belong to the recording of their host. */
#ifndef HIST_IMPORT_GUEST_H
#define HIST_IMPORT_GUEST_H

#include "import/sink.h"

/* A guest among the inputs. */
struct guest {
	const char *host_clock;
	char *name;    /* as events are called: what is not a letter or digit is _ */
	u32 first_cpu; /* its CPU 0 has this number */
	u32 cpu_count;
	u32 n_other_names;      /* pids of a task that has another name in the host */
	const char *other_name; /* the first of them: "PID: NAME, NAME" */
	bool other_symbols;     /* the host has kernel symbols, and they are not the guest's */
};

/**
 * guest_find() - whether input @i is of a guest of which another input has the host
 * @guest: but for ->first_cpu, in @arena
 *
 * Return: 0, 1 if it is not; -HIST_ENOMEM. What cannot be read is not a guest.
 */
int guest_find(const struct import_input *inputs, size_t n, size_t i, struct guest *guest,
	       struct arena *arena);

/* How many CPUs the host's recordings among the inputs have; those of guests come after. */
u32 guest_host_cpus(const struct import_input *inputs, size_t n);

/* --- guest_compare.c --- */

/* Fill in what the two call differently. 0, -HIST_ENOMEM */
int guest_compare(struct trace_dat *host, struct trace_dat *td, struct guest *guest,
		  struct arena *arena);
/* Warn about it. */
void guest_warn(const struct guest *guest, const char *name, struct diags *diags);

extern const struct importer import_guest; /* with job->guest */

#endif
