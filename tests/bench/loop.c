// SPDX-License-Identifier: LGPL-2.1-only
/*
 * loop FILE count|wakeup|table|rows: the reference, a program as one would write it with
 * libtracecmd. Prints what it counted, one row a line.
 *
 * count: hits per common_pid of sched_switch. wakeup: latencies from sched_waking to the
 * sched_switch to the task, counted per task and 50 us, in arrays. table: the same with the work of
 * the histogram, in a hash table by comm and power of two. rows: the events as csv, for a database.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>

enum { PIDS = 65536, BUCKETS = 64, SLOTS = 65536, COMM_LEN = 16 };

static unsigned long long hits[PIDS], woken[PIDS], latencies[PIDS][BUCKETS];

/* A row of the histogram. */
struct slot {
	char comm[COMM_LEN];
	unsigned int log2;
	unsigned long long hits;
};

static struct slot table[SLOTS];

struct ids {
	int sched_switch, sched_waking;
	bool wakeup, table, rows;
};

static void count_in_table(const char *comm, unsigned long long usecs)
{
	unsigned int log2 = usecs > 1 ? 64 - (unsigned int)__builtin_clzll(usecs - 1) : 0, i;
	unsigned long long words[2], hash;

	memcpy(words, comm, COMM_LEN);
	hash = (words[0] ^ words[1] * 31 ^ log2) * 0x9e3779b97f4a7c15ull;
	for (i = hash >> 48; table[i % SLOTS].hits; i++)
		if (table[i % SLOTS].log2 == log2 && !memcmp(table[i % SLOTS].comm, comm, COMM_LEN))
			break;
	table[i % SLOTS].log2 = log2;
	memcpy(table[i % SLOTS].comm, comm, COMM_LEN);
	table[i % SLOTS].hits++;
}

static void print_row(const struct ids *ids, int id, const struct tep_record *rec)
{
	const char *data = rec->data;
	bool is_switch = id == ids->sched_switch;
	int pid, other;

	memcpy(&pid, data + 4, 4);
	memcpy(&other, data + (is_switch ? 56 : 24), 4);
	printf("%llu,%s,%d,%d,%.16s\n", rec->ts, is_switch ? "s" : "w", pid, other,
	       data + (is_switch ? 40 : 8));
}

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
	if (ids->table) {
		/* the kernel rounds times, not their differences */
		count_in_table((const char *)data + 40,
			       (rec->ts + 500) / 1000 - (woken[pid] + 500) / 1000);
		woken[pid] = 0;
		return;
	}
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
	memcpy(&id, rec->data, 2);
	if (ids->rows && (id == ids->sched_switch || id == ids->sched_waking)) {
		print_row(ids, id, rec);
	} else if (ids->wakeup && (id == ids->sched_switch || id == ids->sched_waking)) {
		wakeup(ids, id, rec);
	} else if (id == ids->sched_switch) {
		memcpy(&pid, (const char *)rec->data + 4, 4);
		hits[pid % PIDS]++;
	}
	return 0;
}

static void print_counts(void)
{
	for (int i = 0; i < PIDS; i++) {
		if (hits[i])
			printf("%d\t%llu\n", i, hits[i]);
		for (int b = 0; b < BUCKETS; b++)
			if (latencies[i][b])
				printf("%d\t%d\t%llu\n", i, 50 * b, latencies[i][b]);
	}
	for (int i = 0; i < SLOTS; i++)
		if (table[i].hits)
			printf("%.16s\t%llu\t%llu\n", table[i].comm, 1ull << table[i].log2,
			       table[i].hits);
}

int main(int argc, char **argv)
{
	struct tracecmd_input *handle;
	struct tep_event *event;
	struct ids ids = { .sched_switch = -1,
			   .sched_waking = -1,
			   .table = argc > 2 && !strcmp(argv[2], "table"),
			   .rows = argc > 2 && !strcmp(argv[2], "rows") };

	if (argc < 2)
		return 2;
	ids.wakeup = ids.table || (argc > 2 && !strcmp(argv[2], "wakeup"));
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
	if (!ids.rows)
		print_counts();
	tracecmd_close(handle);
	return 0;
}
