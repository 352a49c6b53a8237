hist:keys=fd:vals=hitcount:ts=common_timestamp.usecs,q=a:sort=hitcount:size=2048:clock=global [paused]
