disable_hist:kprobes:kf:unlimited
