hist:keys=common_cpu:vals=hitcount:sort=hitcount:size=2048 if s ~ "Start*" [paused]
hist:keys=common_pid:vals=hitcount:sort=hitcount:size=2048 if s == "End context switch" [paused]
hist:keys=common_pid:vals=hitcount:sort=common_pid:size=2048 if s != "Start context switch" && !(s ~ "*tick") [paused]
