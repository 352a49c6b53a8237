hist:keys=common_flags,common_type.usecs:vals=common_preempt_count.usecs,count:sort=common_flags.descending:size=128:nohitcount [paused]
hist:keys=fd,pos:vals=hitcount:sort=fd:size=2048 [paused]
hist:keys=fd:vals=hitcount,fd.graph:sort=fd.graph.descending:size=2048 [paused]
hist:keys=common_pid.log2:vals=hitcount:sort=common_pid.log2,hitcount:size=2048 [paused]
