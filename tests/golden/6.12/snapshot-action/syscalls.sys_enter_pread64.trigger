hist:keys=fd:vals=hitcount:v1=pos,v2=count:sort=hitcount:size=2048:onmax($v1).save(pos,count):onmax($v2).snapshot() [paused]
