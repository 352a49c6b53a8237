hist:keys=common_pid.execname,prev_comm:vals=hitcount:sort=hitcount:size=2048 [paused]
hist:keys=common_pid.execname:vals=hitcount:sort=hitcount:size=2048 [paused]
hist:keys=common_comm:vals=hitcount:sort=hitcount:size=2048 [paused]
hist:keys=prev_comm,next_comm:vals=hitcount:sort=hitcount:size=2048 if COMM ~ "ren-1" [paused]
