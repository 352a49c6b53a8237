stacktrace:count=0 if buf ~ "go*"
hist:keys=stacktrace:vals=hitcount:sort=hitcount:size=2048 if buf ~ "go 1" [active]
hist:keys=stacktrace,common_pid:vals=hitcount:sort=hitcount:size=2048 if buf ~ "go*" [active]
hist:keys=common_pid:vals=hitcount:sort=hitcount:size=2048 if buf ~ "*2" [active]
