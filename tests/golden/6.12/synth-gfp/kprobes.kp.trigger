hist:keys=v:vals=hitcount:a=v,b=w,c=common_timestamp:sort=hitcount:size=2048:clock=global:onmatch(kprobes.kp).trace(al,$a,$b,$c) [paused]
