hist:keys=n:vals=hitcount:sort=hitcount:size=2048 if s == "(fault)" [paused]
hist:keys=n:vals=hitcount:sort=hitcount:size=2048 if s ~ "*" [paused]
hist:keys=n:vals=hitcount:sort=hitcount:size=2048 if s ~ "*o*" [paused]
