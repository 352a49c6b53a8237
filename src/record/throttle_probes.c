// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Probes from which derived events know when the CPU quota of a cgroup was used up: of the kernel's
 * functions that hold a cgroup back on a CPU and let it go, and since 6.18 of that which holds a
 * task back. No event of the kernel states it.
 *
 * Their arguments are read at offsets that the kernel's own types have (BTF), because names of
 * members in probes need a kernel of 6.12.
 */

#include <tracefs.h>

#include "event/event.h"
#include "record/session.h"
#include "record/tracedir.h"

static bool add_probes(const struct event_btf *btf, struct record_probe *probes,
		       struct strbuf *text)
{
	static const char *const of[] = { "task_group", "cgroup",     "kernfs_node",
					  "rq",         "task_group", "task_group" };
	static const char *const paths[] = { "css.cgroup",
					     "kn",
					     "id",
					     "cpu",
					     "cfs_bandwidth.throttled_time",
					     "cfs_bandwidth.nr_throttled" };
	static const char *const names[] = { "p:hist/throttle_down tg_throttle_down",
					     "p:hist/throttle_up tg_unthrottle_up" };
	long at[ARRAY_SIZE(of)];

	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		if ((at[i] = event_btf_offset(btf, of[i], paths[i])) < 0)
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		strbuf_reset(&text[i]);
		strbuf_addf(&text[i],
			    "%s cgroup=+%ld(+%ld(+%ld($arg1))):u64 on_cpu=+%ld($arg2):u32 "
			    "ns=+%ld($arg1):u64 periods=+%ld($arg1):u32",
			    names[i], at[2], at[1], at[0], at[3], at[4], at[5]);
		probes[i] = (struct record_probe){ "kprobe_events", text[i].s };
		if (text[i].failed)
			return false;
	}
	return true;
}

void throttle_probes_create(struct undo *undo, struct diags *diags)
{
	static const struct record_probe by_task = { "kprobe_events",
						     "p:hist/throttle_task throttle_cfs_rq_work" };
	struct strbuf text[2] = { STRBUF_INIT, STRBUF_INIT };
	struct record_probe probes[2];
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	const bool can = tracefs_file_exists(NULL, "kprobe_events");
	size_t n = 0;
	scoped(free_scoped) char *types = can ? file_read("/sys/kernel/btf/vmlinux", &n) : NULL;
	struct event_btf *btf = types ? event_btf_new((struct span){ types, n }) : NULL;
	const bool known = btf && add_probes(btf, probes, text) &&
			   !probes_create(probes, 2, undo, &ignored);

	/* kernel: before 6.18, a task is held back with its cgroup */
	if (known)
		probes_create(&by_task, 1, undo, &ignored);
	if (!known)
		diags_add(
			diags, DIAG_NOTE,
			"CPU quotas of cgroups are not recorded, because %s: tasks that they hold "
			"back look like preempted ones",
			can ? "this kernel refuses the probes" : "this kernel has no probes");
	strbuf_release(&text[0]);
	strbuf_release(&text[1]);
	event_btf_free(btf);
}
