hist:keys=a,b:vals=hitcount:sort=hitcount:size=2048 [paused]
hist:keys=d:vals=hitcount:sort=hitcount:size=2048 [paused]
