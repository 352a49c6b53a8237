/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Records which parts of a recording's metadata were used, for writing a smaller recording that
 * gives the same results.
 *
 * Part of event.h; do not include it alone.
 */
#ifndef HIST_EVENT_USED_H
#define HIST_EVENT_USED_H

struct event_used {
	ARRAY(u64) addresses; /* addresses whose symbols were looked up */
	u8 *formats;          /* by index of event_db_texts(): used for the name of a system call */
	bool syscalls_decide; /* the formats were used for the name of a system call */
	bool failed;          /* out of memory */
};

/* Record lookups from now on; NULL: stop. @used must stay valid until then. */
int event_db_note_used(struct event_db *db, struct event_used *used);
void event_used_release(struct event_used *used);

/**
 * event_symbols_needed() - the lines of kallsyms needed for the symbols of some addresses
 * @out: set to them in file order: every symbol at the nearest address, the next higher one, which
 *    ends the symbol, and those that mark the ends of the kernel
 *
 * Return: 0, -HIST_ENOMEM
 */
int event_symbols_needed(struct event_db *db, const u64 *addrs, size_t n, struct strbuf *out);

/*
 * Number of kernel addresses that were looked up, if none of them had a symbol although there
 * are symbols; else 0.
 */
u64 event_db_elsewhere(const struct event_db *db);

#endif
