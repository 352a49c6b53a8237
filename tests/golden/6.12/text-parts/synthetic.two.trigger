hist:keys=c,d:vals=hitcount:sort=hitcount:size=2048 [active]
