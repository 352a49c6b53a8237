enable_hist:kprobes:kq:unlimited if buf ~ "START*"
enable_hist:kprobes:kp:unlimited if buf ~ "START*"
