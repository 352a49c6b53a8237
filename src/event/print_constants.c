// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Values of the kernel's enumerators that occur in print fmts, from the BTF of the recorded kernel,
 * otherwise from that of 7.3.4. The formats already contain numbers for those that a kernel exports
 * (TRACE_DEFINE_ENUM).
 */
#include "event/btf.h"
#include "event/print_fmt.h"

static const struct {
	const char *name;
	u64 value;
} constants[] = {
	{ "RCU_SOFTIRQ", 9 },
	{ "HRTIMER_MODE_ABS", 0 },
	{ "HRTIMER_MODE_REL", 1 },
	{ "HRTIMER_MODE_PINNED", 2 },
	{ "HRTIMER_MODE_SOFT", 4 },
	{ "HRTIMER_MODE_HARD", 8 },
	{ "HRTIMER_MODE_ABS_PINNED", 2 },
	{ "HRTIMER_MODE_REL_PINNED", 3 },
	{ "HRTIMER_MODE_ABS_SOFT", 4 },
	{ "HRTIMER_MODE_REL_SOFT", 5 },
	{ "HRTIMER_MODE_ABS_PINNED_SOFT", 6 },
	{ "HRTIMER_MODE_REL_PINNED_SOFT", 7 },
	{ "HRTIMER_MODE_ABS_HARD", 8 },
	{ "HRTIMER_MODE_REL_HARD", 9 },
	{ "HRTIMER_MODE_ABS_PINNED_HARD", 10 },
	{ "HRTIMER_MODE_REL_PINNED_HARD", 11 },
	{ "TCP_ESTABLISHED", 1 },
	{ "TCP_SYN_SENT", 2 },
	{ "TCP_SYN_RECV", 3 },
	{ "TCP_FIN_WAIT1", 4 },
	{ "TCP_FIN_WAIT2", 5 },
	{ "TCP_TIME_WAIT", 6 },
	{ "TCP_CLOSE", 7 },
	{ "TCP_CLOSE_WAIT", 8 },
	{ "TCP_LAST_ACK", 9 },
	{ "TCP_LISTEN", 10 },
	{ "TCP_CLOSING", 11 },
	{ "TCP_NEW_SYN_RECV", 12 },
	{ "PM_QOS_ADD_REQ", 0 },
	{ "PM_QOS_UPDATE_REQ", 1 },
	{ "PM_QOS_REMOVE_REQ", 2 },
	{ "I_NEW", 0x1 },
	{ "I_SYNC", 0x2 },
	{ "I_LRU_ISOLATING", 0x4 },
	{ "I_DIRTY_SYNC", 0x10 },
	{ "I_DIRTY_DATASYNC", 0x20 },
	{ "I_DIRTY_PAGES", 0x40 },
	{ "I_WILL_FREE", 0x80 },
	{ "I_FREEING", 0x100 },
	{ "I_CLEAR", 0x200 },
	{ "I_REFERENCED", 0x400 },
	{ "I_LINKABLE", 0x800 },
	{ "I_DIRTY_TIME", 0x1000 },
	{ "I_WB_SWITCH", 0x2000 },
	{ "I_OVL_INUSE", 0x4000 },
	{ "I_CREATING", 0x8000 },
	{ "I_DONTCACHE", 0x10000 },
	{ "I_SYNC_QUEUED", 0x20000 },
	{ "I_PINNING_NETFS_WB", 0x40000 },
	{ "FAULT_FLAG_WRITE", 0x1 },
	{ "FAULT_FLAG_MKWRITE", 0x2 },
	{ "FAULT_FLAG_ALLOW_RETRY", 0x4 },
	{ "FAULT_FLAG_RETRY_NOWAIT", 0x8 },
	{ "FAULT_FLAG_KILLABLE", 0x10 },
	{ "FAULT_FLAG_TRIED", 0x20 },
	{ "FAULT_FLAG_USER", 0x40 },
	{ "FAULT_FLAG_REMOTE", 0x80 },
	{ "FAULT_FLAG_INSTRUCTION", 0x100 },
	{ "FAULT_FLAG_INTERRUPTIBLE", 0x200 },
	{ "FAULT_FLAG_VMA_LOCK", 0x1000 },
	{ "VM_FAULT_OOM", 0x1 },
	{ "VM_FAULT_SIGBUS", 0x2 },
	{ "VM_FAULT_MAJOR", 0x4 },
	{ "VM_FAULT_HWPOISON", 0x10 },
	{ "VM_FAULT_HWPOISON_LARGE", 0x20 },
	{ "VM_FAULT_SIGSEGV", 0x40 },
	{ "VM_FAULT_NOPAGE", 0x100 },
	{ "VM_FAULT_LOCKED", 0x200 },
	{ "VM_FAULT_RETRY", 0x400 },
	{ "VM_FAULT_FALLBACK", 0x800 },
	{ "VM_FAULT_DONE_COW", 0x1000 },
	{ "VM_FAULT_NEEDDSYNC", 0x2000 },
	{ "VM_FAULT_COMPLETED", 0x4000 },
	{ "VMA_SHARED_BIT", 3 },
	{ "VMSCAN_THROTTLE_WRITEBACK", 0 },
	{ "VMSCAN_THROTTLE_ISOLATED", 1 },
	{ "VMSCAN_THROTTLE_NOPROGRESS", 2 },
	{ "VMSCAN_THROTTLE_CONGESTED", 3 },
	{ "IOPRIO_CLASS_NONE", 0 },
	{ "IOPRIO_CLASS_RT", 1 },
	{ "IOPRIO_CLASS_BE", 2 },
	{ "IOPRIO_CLASS_IDLE", 3 },
	{ "IOPRIO_CLASS_INVALID", 7 },
	{ "DEV_PM_QOS_RESUME_LATENCY", 1 },
	{ "DEV_PM_QOS_FLAGS", 5 },
	{ "CACHE_TAG_IOTLB", 0 },
	{ "CACHE_TAG_DEVTLB", 1 },
	{ "CACHE_TAG_NESTING_IOTLB", 2 },
	{ "CACHE_TAG_NESTING_DEVTLB", 3 },
	{ "CXL_EVENT_TYPE_INFO", 0 },
	{ "CXL_EVENT_TYPE_WARN", 1 },
	{ "CXL_EVENT_TYPE_FAIL", 2 },
	{ "CXL_EVENT_TYPE_FATAL", 3 },
	{ "CXL_POISON_TRACE_LIST", 0 },
	{ "CXL_POISON_TRACE_INJECT", 1 },
	{ "CXL_POISON_TRACE_CLEAR", 2 },
	{ "XEN_MC_FL_NONE", 0 },
	{ "XEN_MC_FL_BATCH", 1 },
	{ "XEN_MC_FL_ARGS", 2 },
	{ "XEN_MC_FL_CALLBACK", 3 },
	{ "XEN_MC_XE_OK", 0 },
	{ "XEN_MC_XE_BAD_OP", 1 },
	{ "XEN_MC_XE_NO_SPACE", 2 },
};

bool print_constant(struct event_db *db, struct span name, u64 *value)
{
	if (event_btf_enumerator(db, name, value))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++) {
		if (!span_eq(name, constants[i].name))
			continue;
		*value = constants[i].value;
		return true;
	}
	return false;
}
