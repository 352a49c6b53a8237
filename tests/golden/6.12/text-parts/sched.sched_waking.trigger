hist:keys=pid:vals=hitcount:c1=comm,c2=comm,c3=comm,c4=comm,c5=comm,c6=comm:sort=hitcount:size=2048 [paused]
hist:keys=pid:vals=hitcount:x=common_timestamp:sort=hitcount:size=2048:clock=global:onmax($x).lat($x) [paused]
hist:keys=pid:vals=hitcount:y=prio:sort=hitcount:size=2048:onmax($y).few($y) [paused]
