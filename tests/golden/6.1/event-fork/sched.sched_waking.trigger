hist:keys=pid,common_pid:vals=hitcount:sort=hitcount:size=2048 [paused]
