/* SPDX-License-Identifier: GPL-2.0-only */
/* What `hist record` has from its command line, --keep and --until (live/live.h), and --rotate. */
#pragma once
#include "cmd/record_script.h"
#include "live/live.h"

struct record_flight {
	struct live_options options;
	u64 max_bytes; /* of --keep SIZE; 0: a time */
	u64 memory;    /* 0: on the disk */
	ARRAY(struct live_condition) conditions;
	int way; /* enum live_way */
	bool times_given;
	bool drawn; /* a line of progress is on the terminal */
	struct live *live;
	struct record_keep keep;
	struct record_rotate rotate;
};

struct record_args {
	struct cmd_args a;
	struct record_plan plan;
	struct record_script script;
	struct record_flight flight;
	ARRAY(s32) pids;
	ARRAY(struct record_write) settings; /* of the tracer */
	int codec;                           /* enum codec, plus 1; 0: not given */
	bool exclude, recover, progress;
	bool derived;     /* the last -e is a derived event */
	const char *dump; /* --dump: the target directory */
	const char *take; /* --take: the instance */
};

/* --keep, --until and what belongs to them, of a struct record_args. */
extern const struct cmd_options cmd_flight_options;

/* A cmd_store_fn of a u64: a time that is not 0, in ns. */
error_t record_store_time(const struct cmd_option *o, void *to, const char *arg,
			  struct argp_state *state);

/* The same of kilobytes: "10M" or a number of them. */
error_t record_store_kb(const struct cmd_option *o, void *to, const char *arg,
			struct argp_state *state);

/* Check for conflicting options. */
void record_flight_check(const struct record_args *rec, struct argp_state *state);

/* Add the events of --until to those that are recorded. 0, -HIST_ENOMEM */
int record_flight_add_events(struct record_args *rec);

/* If the output is "-". 0, or an error with a diagnosis */
int record_stream_plan(struct record_args *rec);

/* Let the recording keep its last part; after the script was planned. 0, -HIST_ENOMEM */
int record_flight_plan(struct record_args *rec);

/* After the recording: report what was found, unless it failed. Return: @err, or an error */
int record_flight_end(struct record_args *rec, int err);
