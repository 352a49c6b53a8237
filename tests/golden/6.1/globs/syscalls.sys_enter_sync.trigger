disable_hist:task:task_rename:unlimited
disable_hist:kprobes:kq:unlimited
disable_hist:kprobes:kp:unlimited
