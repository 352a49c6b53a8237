hist:keys=s:vals=hitcount:sort=hitcount:size=2048 [active]
