stacktrace:count=0
enable_hist:syscalls:sys_enter_pwrite64:count=0 if cpu & CPUS{0}
