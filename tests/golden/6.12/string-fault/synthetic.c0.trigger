hist:keys=s:vals=hitcount,x,y:sort=hitcount:size=2048 [active]
