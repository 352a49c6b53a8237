enable_hist:raw_syscalls:sys_enter:unlimited if buf ~ "START*"
enable_hist:task:task_rename:unlimited if buf ~ "START*"
enable_hist:sched:sched_switch:unlimited if buf ~ "START*"
