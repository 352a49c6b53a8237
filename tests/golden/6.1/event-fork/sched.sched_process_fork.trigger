hist:keys=parent_pid,child_pid:vals=hitcount:sort=hitcount:size=2048 [paused]
