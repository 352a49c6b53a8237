/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * How kept events are stored. A block has the number of the event of each row, a byte each; then
 * columns: times, CPUs, tasks, and the fields of each event. A column is its width in bytes, its
 * smallest number, and the differences from it, in whole words.
 */
#pragma once
#include "derive/derive_state.h"

enum { KEPT_ROWS = 1024 };

/* A field of an event. */
struct kept_field {
	bool is_text, is_stack;
	u32 size; /* of a text: that can be read of it */
	/* each once, a multiple of words, after their number; see number_text() */
	INDEXED(u64 *) texts;
	u32 last;
};

struct kept_event {
	const struct derived_event *of;
	ARRAY(struct kept_field) fields;
	u64 *rows; /* of the block that is filled; texts are numbers */
	u32 n_rows;
};

struct kept_block {
	u32 n;
	const u64 *data;
};

struct kept_events {
	struct kept_derived *all;
	struct strbuf key;
	ARRAY(struct kept_event) events;
	ARRAY(struct kept_block) blocks;
	u64 size; /* taken of the memory */
	u64 used; /* when it was, by the count of questions */
	u32 refs;
	bool failed;        /* out of memory: of no use */
	struct arena arena; /* of texts */
	struct derive_account account;
	void *data;
	/* the block that is filled */
	u32 n;
	u8 *event;
	u64 *ts, *cpu, *task, *column, *packed;
	u8 *text;
	size_t text_size;
};

/* Add an event, which has this number. */
void kept_events_trace(struct kept_events *k, u32 event, const u64 *values,
		       const struct derive_record *r, s32 task);
