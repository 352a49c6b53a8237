/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which part of a recording's texts was used, for whoever makes a smaller recording in which
 * the same questions have the same answers.
 *
 * Part of event.h; do not include it alone.
 */
#ifndef HIST_EVENT_USED_H
#define HIST_EVENT_USED_H

struct event_used {
	ARRAY(u64) addresses; /* whose symbol was asked for */
	u8 *formats;          /* by index of event_db_texts(): it made a system call known */
	bool syscalls_decide; /* the formats were asked for the name of a system call */
	bool failed;          /* for want of memory */
};

/* Note from now on what is asked; NULL: no longer. @used must outlast that. */
int event_db_note_used(struct event_db *db, struct event_used *used);
void event_used_release(struct event_used *used);

/**
 * event_symbols_needed() - the lines of kallsyms that the symbols of some addresses need
 * @out: gets them in the order of the file: every symbol at the nearest address, the next
 *       higher one, for it ends the symbol, and those that bound the kernel
 *
 * Return: 0, -HIST_ENOMEM
 */
int event_symbols_needed(struct event_db *db, const u64 *addrs, size_t n, struct strbuf *out);

#endif
