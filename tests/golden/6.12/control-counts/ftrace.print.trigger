enable_hist:syscalls:sys_enter_pread64:unlimited if buf ~ "START*"
