enable_hist:kprobes:kf:unlimited if buf ~ "START*"
