disable_hist:syscalls:sys_enter_pwrite64:unlimited if target_cpu & -128
