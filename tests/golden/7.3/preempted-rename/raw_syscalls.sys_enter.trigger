hist:keys=common_comm:vals=hitcount:sort=hitcount:size=2048 if COMM ~ "sec*" [paused]
