hist:keys=c:vals=hitcount:sort=hitcount:size=2048 [active]
