enable_hist:syscalls:sys_enter_lseek:unlimited if buf ~ "START*"
enable_hist:task:task_rename:unlimited if buf ~ "START*"
