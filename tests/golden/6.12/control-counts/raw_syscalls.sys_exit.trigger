disable_hist:syscalls:sys_enter_pwrite64:count=0 if common_type< 65535
