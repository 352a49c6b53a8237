hist:keys=count.log2,fd:vals=hitcount,pos:v3=pos:sort=fd:size=2048:onchange($v3).save(fd,common_pid.execname) [paused]
