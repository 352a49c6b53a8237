// SPDX-License-Identifier: LGPL-2.1-only
/*
 * loop FILE count|wakeup: the yardstick, what one would write with libtracecmd.
 *
 * count: hits per common_pid of sched_switch. wakeup: from sched_waking to the sched_switch
 * that brings the task in, the latencies counted per comm and 50 us.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>

enum { PIDS = 65536, BUCKETS = 64 };

static unsigned long long hits[PIDS], woken[PIDS], latencies[PIDS][BUCKETS], records;

struct ids {
	int sched_switch, sched_waking;
	bool wakeup;
};

static void wakeup(const struct ids *ids, int id, struct tep_record *rec)
{
	const unsigned char *data = rec->data;
	unsigned int pid, bucket;

	if (id == ids->sched_waking) {
		memcpy(&pid, data + 24, 4);
		woken[pid % PIDS] = rec->ts;
		return;
	}
	memcpy(&pid, data + 56, 4);
	pid %= PIDS;
	if (!woken[pid])
		return;
	bucket = (unsigned int)((rec->ts - woken[pid]) / 1000 / 50);
	latencies[pid][bucket < BUCKETS ? bucket : BUCKETS - 1]++;
	woken[pid] = 0;
}

static int each(struct tracecmd_input *handle, struct tep_record *rec, int cpu, void *data)
{
	const struct ids *ids = data;
	unsigned short id;
	unsigned int pid;

	(void)handle;
	(void)cpu;
	records++;
	memcpy(&id, rec->data, 2);
	if (ids->wakeup && (id == ids->sched_switch || id == ids->sched_waking)) {
		wakeup(ids, id, rec);
	} else if (id == ids->sched_switch) {
		memcpy(&pid, (const char *)rec->data + 4, 4);
		hits[pid % PIDS]++;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct tracecmd_input *handle;
	struct tep_event *event;
	struct ids ids = { .sched_switch = -1,
			   .sched_waking = -1,
			   .wakeup = argc > 2 && !strcmp(argv[2], "wakeup") };
	unsigned long long sum = 0;

	if (argc < 2)
		return 2;
	handle = tracecmd_open(argv[1], TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!handle) {
		fprintf(stderr, "loop: cannot open %s\n", argv[1]);
		return 2;
	}
	event = tep_find_event_by_name(tracecmd_get_tep(handle), "sched", "sched_switch");
	ids.sched_switch = event ? event->id : -1;
	event = tep_find_event_by_name(tracecmd_get_tep(handle), "sched", "sched_waking");
	ids.sched_waking = event ? event->id : -1;
	tracecmd_iterate_events(handle, NULL, 0, each, &ids);
	for (int i = 0; i < PIDS; i++) {
		sum += hits[i];
		for (int b = 0; b < BUCKETS && ids.wakeup; b++)
			sum += latencies[i][b];
	}
	printf("%llu records, %llu counted\n", records, sum);
	tracecmd_close(handle);
	return 0;
}
