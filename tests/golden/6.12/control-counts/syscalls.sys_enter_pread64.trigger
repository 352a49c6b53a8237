enable_hist:syscalls:sys_enter_pwrite64:unlimited if common_pid!= 8
hist:keys=count.log2:vals=hitcount,buf.graph:sort=hitcount:size=2048 [paused]
hist:keys=pos:vals=hitcount,buf.graph:sort=hitcount:size=2048 [paused]
