hist:keys=pid:vals=hitcount:l=$c6+1,l2=$c6+0:sort=hitcount:size=2048 [paused]
