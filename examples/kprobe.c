// SPDX-License-Identifier: LGPL-2.1-only
/*
 * kprobe FUNCTION: a script that measures how long calls of a kernel function take, for
 *
 *	./kprobe vfs_read >latency.sh
 *	hist record -S latency.sh sleep 10
 *	hist report
 *
 * The probes are built piece by piece, as a kernel module would do it.
 *
 *	cc -o kprobe kprobe.c $(pkg-config --cflags --libs hist)
 */
#include <hist-dynevent.h>
#include <stdio.h>

static char buf[MAX_DYNEVENT_CMD_LEN];

/* Check the definition, and print it as a line for the script. */
static int put(struct dynevent_cmd *cmd, int err)
{
	if (!err)
		err = kprobe_event_gen_cmd_end(cmd);
	if (!err)
		printf("echo '%s' >> kprobe_events\n", buf);
	return err;
}

int main(int argc, char **argv)
{
	const char *function = argc > 1 ? argv[1] : "vfs_read";
	struct dynevent_cmd cmd;
	int err;

	/* NULL: without a recording there is nothing to compare with */
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf), NULL);
	err = kprobe_event_gen_cmd_start(&cmd, "call", function);
	err = put(&cmd, err);

	kprobe_event_cmd_init(&cmd, buf, sizeof(buf), NULL);
	if (!err)
		err = kretprobe_event_gen_cmd_start(&cmd, "back", function);
	if (!err)
		err = kretprobe_event_add_fields(&cmd, "ret=$retval:s64");
	err = put(&cmd, err);
	if (err) {
		fprintf(stderr, "kprobe: %s: error %d\n", function, err);
		return 2;
	}
	puts("echo 'lasted u64 us' >> synthetic_events\n"
	     "echo 'hist:keys=common_pid:ts0=common_timestamp.usecs' >> events/kprobes/call/trigger\n"
	     "echo 'hist:keys=common_pid:us=common_timestamp.usecs-$ts0"
	     ":onmatch(kprobes.call).trace(lasted,$us)' >> events/kprobes/back/trigger\n"
	     "echo 'hist:keys=us.log2:sort=us' >> events/synthetic/lasted/trigger\n"
	     "cat events/synthetic/lasted/hist");
	return 0;
}
