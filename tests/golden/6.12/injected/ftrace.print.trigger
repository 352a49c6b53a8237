enable_hist:rcu:rcu_utilization:unlimited if buf ~ "START*"
enable_hist:synthetic:texts:unlimited if buf ~ "START*"
enable_hist:synthetic:nums:unlimited if buf ~ "START*"
