hist:keys=a:vals=hitcount,b:sort=hitcount:size=2048 [paused]
hist:keys=c.hex,b:vals=hitcount:sort=hitcount:size=2048 [paused]
