hist:keys=fl:vals=hitcount:sort=fl:size=2048 [active]
hist:keys=fl.hex,o:vals=hitcount:sort=o:size=2048 [active]
