# SPDX-License-Identifier: GPL-2.0-only
# Prints a saved result with 100,000 rows. -v like=RESULT: its head is taken from there;
# -v more=,"NAME":N: further values of each row.
BEGIN {
	getline head < like
	sub(/"totals":.*/, "", head)
	printf "%s\"totals\":{\"hits\":100000,\"entries\":100000,\"dropped\":0},\"data\":[", head
	for (i = 0; i < 100000; i++)
		printf "%s{\"key\":{\"next_comm\":\"task-%d\"},\"val\":{\"hitcount\":1%s}}", i ? "," : "", i, more
	print "]}"
}
