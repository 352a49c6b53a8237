/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Derived events that a session keeps: all that the derivers of one question traced of a whole
 * recording, in their order, so that the next question about them reads no records.
 */
#pragma once
#include "derive/derive.h"

struct derive_record;
struct kept_derived; /* of a session */
struct kept_events;  /* of one question */

/* @left: bytes of memory that it may take, which others may share. NULL: out of memory */
struct kept_derived *kept_derived_new(u64 *left);
void kept_derived_free(struct kept_derived *all);

/*
 * The events that were kept with this key, which tells all that they depend on, until
 * kept_events_put(); NULL: none. Context: any thread
 */
struct kept_events *kept_events_find(struct kept_derived *all, struct span key);
void kept_events_put(struct kept_events *k);

/* New ones, to be filled; NULL: out of memory. */
struct kept_events *kept_events_new(struct kept_derived *all);

/* What the events of @d depend on besides the recordings and the rules of who tasks were. */
void derive_print_key(const struct derive *d, struct strbuf *key);

/* From here on, what is traced is added; before the first record. At the end, what was left out. */
void derive_keep(struct derive *d, struct kept_events *k);
void derive_kept(const struct derive *d, struct kept_events *k);

/* What derivers found out about the whole recording. */
const struct derive_account *kept_events_account(const struct kept_events *k);

/*
 * Keep them until their memory is needed, with @size bytes of the caller's data. If there was not
 * memory for all of them, they are dropped.
 */
void kept_events_add(struct kept_events *k, struct span key, const void *data, size_t size);
void kept_events_drop(struct kept_events *k); /* instead; NULL: nothing */

const void *kept_events_data(const struct kept_events *k);

/*
 * Trace the events again, of the part to which @d is limited; derive_account() has what was left
 * out of them. @threads: that may count at the same time
 */
void derive_from_kept(struct derive *d, const struct kept_events *k, u32 threads);

/* The same in steps, of some events each; false: there are no more. NULL: out of memory */
struct kept_reader;
struct kept_reader *kept_reader_open(struct derive *d, const struct kept_events *k);
bool kept_reader_next(struct kept_reader *r);
void kept_reader_close(struct kept_reader *r);

/* --- for derive_records.c --- */

/* Add an event, which has this number. */
void kept_events_trace(struct kept_events *k, u32 event, const u64 *values,
		       const struct derive_record *r, s32 task);
