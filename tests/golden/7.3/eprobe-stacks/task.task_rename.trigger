stacktrace:unlimited if COMM ~ "work*"
hist:keys=common_stacktrace:vals=hitcount:sort=hitcount:size=2048 [paused]
