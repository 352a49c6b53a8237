disable_hist:eprobes:e2:unlimited
disable_hist:eprobes:e1:unlimited
