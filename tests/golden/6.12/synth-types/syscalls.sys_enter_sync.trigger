disable_hist:kprobes:kq:unlimited
disable_hist:kprobes:kp:unlimited
