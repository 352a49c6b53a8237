hist:keys=aa:vals=hitcount:sort=aa:size=2048 [paused]
hist:keys=cc.hex,aa.log2:vals=hitcount,ee.percent:sort=cc.hex:size=2048 [paused]
hist:keys=dd.buckets=10:vals=hitcount:sort=dd.buckets=10.descending:size=2048 [paused]
hist:keys=ff,gg:vals=hitcount:sort=ff:size=2048 if aa < 0 || ee == 5 [paused]
