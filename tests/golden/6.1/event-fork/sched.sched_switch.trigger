hist:keys=prev_pid,next_pid:vals=hitcount:sort=hitcount:size=2048 [paused]
