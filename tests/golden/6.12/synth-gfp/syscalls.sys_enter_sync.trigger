disable_hist:kprobes:kp:unlimited
