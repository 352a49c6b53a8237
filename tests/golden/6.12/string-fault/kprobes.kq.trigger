hist:keys=fd:vals=hitcount:d=common_timestamp.usecs-$ts,x=a,y=b:sort=hitcount:size=2048:clock=global:onmatch(kprobes.kp).c0($x,$y,str) [paused]
