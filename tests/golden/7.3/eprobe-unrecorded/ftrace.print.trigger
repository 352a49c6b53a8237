enable_hist:eprobes:e2:unlimited if buf ~ "START*"
enable_hist:eprobes:e1:unlimited if buf ~ "START*"
