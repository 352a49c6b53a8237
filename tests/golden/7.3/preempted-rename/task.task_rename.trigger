hist:keys=common_pid.execname,newcomm:vals=hitcount:sort=hitcount:size=2048 [paused]
