/* SPDX-License-Identifier: LGPL-2.1-only */
/* What derivers ask about coverage, and how they mark what is open. Part of deriver.h; do not
 * include it directly. */
#pragma once

enum { DERIVE_ALL_CPUS = UINT32_MAX };

/* Whether ->end() is about a CPU. */
static inline bool derive_ends(const struct derive_record *last, u32 cpu)
{
	return last->cpu == cpu || last->cpu == DERIVE_ALL_CPUS;
}

/*
 * Coverage: no records are missing since then, of any CPU; the time of the recording's first record
 * or of the end of a hole. UINT64_MAX: some are missing now.
 */
u64 derive_begin(const struct derive *d);

/* The number of such spans of time so far. */
u32 derive_epoch(const struct derive *d);

/* See ->rehearse(). */
bool derive_rehearses(const struct derive *d);

/* Of that CPU. */
u64 derive_begin_of(const struct derive *d, u32 cpu);

/* Whether what began then and was not seen to end went on until now. */
static inline bool derive_went_on(const struct derive *d, u64 since)
{
	return since >= derive_begin(d);
}

/* Whether the events of this task were recorded; of task 0, only if those of all were. */
bool derive_has(const struct derive *d, s32 task);

/* A CPU switches tasks. Context: of derivers that ask derive_stayed() */
void derive_switched(struct derive *d, u32 cpu, u64 ts);

/*
 * Whether a task that ran on that CPU then is still there, and all of its records since then are,
 * too. That of an idle task are those of its CPU.
 */
bool derive_stayed(const struct derive *d, s32 task, u32 cpu, u64 since);

/* Whether it is in the span of time of which events are traced. */
bool derive_in_span(const struct derive *d, u64 ts);

/*
 * In a window: an event at @ts is not certain, because it may depend on what was before the window;
 * or there may be one.
 */
void derive_unsure(struct derive *d, u64 ts);

/* In a window, a CPU switches tasks for the first time. */
void derive_know_cpu(struct derive *d, u32 cpu);

/* Whether what a CPU does is not known of some; not only a window is read, or all do. */
bool derive_awaits(const struct derive *d);

/* Count intervals that are not traced: @n that are cut; one from @since to @ts. */
void derive_spanned(struct derive *d, u64 n);
void derive_left_out(struct derive *d, u64 since, u64 ts);
void derive_inconsistent(struct derive *d);

/* Whether intervals are traced that are not complete. */
bool derive_opens(const struct derive *d);

extern const struct derive_open_word {
	_Alignas(8) char s[8];
} derive_open_words[4];

/* The value of DERIVED_OPEN: "no"; whether the @start, the @end is missing. */
static inline u64 derive_open_word(bool start, bool end)
{
	return (uintptr_t)derive_open_words[start + 2 * end].s;
}

/* What of the records before a window of time its derivers have to know; see tails.h. */
struct derive_past_record {
	u64 place;  /* in the order of all */
	u32 seen;   /* a bit for each input that was seen before it */
	s32 missed; /* the task that its CPU ran until then, if it switches from another one; 0 */
	struct derive_record r;
	struct derive_comm names[2]; /* its texts */
};

struct derive_past {
	ARRAY(struct derive_past_record) records; /* of its tasks, in order */
	ARRAY(struct derive_past_cpu) cpus;
	u32 seen;
};
