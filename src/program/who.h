/* SPDX-License-Identifier: LGPL-2.1-only */
/* Questions about a task at the time of a record, and their answers, which are numbers. */
#pragma once
#include "lang/lang.h"

struct event_db;

/*
 * An answer of other kinds than WHO_TGID is the index of its text, in the order of texts. The
 * others have more than 32 bits, with a pid in the lower ones.
 */
#define WHO_SAVED   (1ull << 32) /* a task whose name is only known from the end */
#define WHO_UNKNOWN (2ull << 32) /* the process of a task is unknown */

struct who_texts {
	struct event_db *db; /* of the saved names */
	const char *const *v;
	u32 n;
	bool unsorted; /* while events are recorded, numbers are not in the order of texts */
};

/* The question for a name, as an address; only in a struct who_cache. */
#define WHO_NAME N_WHO

/* The last answers of a thread, and for which times they are valid: those between both. */
enum { WHO_SLOTS = 1024 };

struct who_cache {
	struct who_slot {
		s64 key; /* see name_key() */
		u64 what;
		u64 after, before;
		u64 answer;
	} slots[WHO_SLOTS];
};

/* Which slot is used for a question, and last for this one or another. */
static inline u32 who_slot_index(u64 what, s64 key)
{
	return (u32)(hash_number((u64)key) + what) % WHO_SLOTS;
}

/* All idle tasks have pid 0: the CPU distinguishes them. Those of unknown tasks (-1) are not
 * negative. */
static inline s64 name_key(s32 pid, u32 cpu)
{
	return pid ? (s64)(u32)pid : -1 - (s64)cpu;
}

/* The slot that has the answer at @ts; NULL: it must be found. Context: hot path */
static inline const struct who_slot *who_answered(const struct who_cache *cache, u64 what, s64 key,
						  u64 ts)
{
	const struct who_slot *slot = &cache->slots[who_slot_index(what, key)];

	return likely(slot->key == key && slot->what == what && ts > slot->after &&
		      ts < slot->before)
		       ? slot
		       : NULL;
}

enum { WHO_TEXT_MAX = 64 };

/* Tasks of some processes, or in some cgroups. */
struct who_choice {
	bool negated;
	size_t n;
	const char **globs; /* of names or paths; of processes also ids */
	bool unknown;       /* set if this is not known of a task, which is not among them */
};

/*
 * The text of an answer, which is not WHO_TGID, maybe in @buf; @texts NULL: no record was replayed.
 */
const char *who_text(const struct who_texts *texts, enum who_what what, u64 answer,
		     char buf[static WHO_TEXT_MAX]);
