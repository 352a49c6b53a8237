enable_hist:kprobes:kp:unlimited if buf ~ "START*"
