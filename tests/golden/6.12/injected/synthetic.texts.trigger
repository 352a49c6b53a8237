hist:keys=s1,t1:vals=hitcount:sort=t1.descending:size=2048 [paused]
hist:keys=t1:vals=hitcount:sort=hitcount:size=2048 if t1 ~ "*c" || s1 == "" [paused]
hist:keys=p1:vals=hitcount:z1=s1,z2=t1:sort=p1:size=2048 [paused]
