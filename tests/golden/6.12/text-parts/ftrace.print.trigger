enable_hist:sched:sched_wakeup:unlimited if buf ~ "START*"
enable_hist:sched:sched_switch:unlimited if buf ~ "START*"
enable_hist:sched:sched_waking:unlimited if buf ~ "START*"
