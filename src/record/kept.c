// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Slots of the last part of a recording. A reader takes a slot at most every KEPT_SLOT_SUBBUFS
 * sub-buffers, so that one lock for all is enough; it is held for a moment only, never while the
 * disk is asked for space, and its holder inherits the priority of a reader that waits.
 */
#include <sys/eventfd.h>

#include "record/disk_space.h"
#include "record/kept.h"

u64 kept_min(size_t n_cpus, u32 subbuf)
{
	return (u64)n_cpus * 2 * KEPT_SLOT_SUBBUFS * subbuf;
}

int kept_init(struct kept *k, size_t n_cpus, u32 subbuf, u64 max)
{
	pthread_mutexattr_t attr;

	*k = (struct kept){ .cpus = calloc(n_cpus + 1, sizeof(*k->cpus)),
			    .n = n_cpus,
			    .subbuf = subbuf,
			    .slot_size = (u64)subbuf * KEPT_SLOT_SUBBUFS,
			    .max = max_t(u64, max, kept_min(n_cpus, subbuf)),
			    .wake = -1 };
	if (!k->cpus || pthread_mutexattr_init(&attr))
		return HIST_NOMEM;
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&k->mutex, &attr);
	pthread_mutexattr_destroy(&attr);
	return 0;
}

void kept_release(struct kept *k)
{
	for (size_t i = 0; k->cpus && i < k->n; i++) {
		array_release(&k->cpus[i].slots);
		array_release(&k->cpus[i].unused);
	}
	if (k->cpus)
		pthread_mutex_destroy(&k->mutex);
	fd_close(k->cpus ? k->wake : -1);
	free(k->cpus);
	*k = (struct kept){ .cpus = NULL };
}

/* --- slots; the lock is held --- */

static struct kept_slot *oldest_of(const struct kept_cpu *c)
{
	struct kept_slot *slot = &c->slots.v[c->head];

	return c->head < c->slots.n && slot->filled != UINT64_MAX ? slot : NULL;
}

/* Of all CPUs. */
static struct kept_cpu *find_oldest(const struct kept *k)
{
	struct kept_cpu *found = NULL;

	array_each_of(struct kept_cpu, c, k->cpus, k->n)
		if (oldest_of(c) && (!found || oldest_of(c)->filled < oldest_of(found)->filled))
			found = c;
	return found;
}

/* Take the oldest slot away from a CPU. Return: its offset */
static u64 drop_oldest(struct kept_cpu *c)
{
	u64 at = c->slots.v[c->head++].at;

	c->first++;
	if (c->head >= 64 && c->head > c->slots.n / 2) {
		memmove(c->slots.v, c->slots.v + c->head,
			(c->slots.n - c->head) * sizeof(*c->slots.v));
		c->slots.n -= c->head;
		c->head = 0;
	}
	return at;
}

static int punch(int fd, u64 at, u64 n)
{
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)n);
}

/*
 * A slot for a reader: an old one of its own, or more space in its file, for which another CPU may
 * lose an old slot. The disk is asked without the lock: if it is slow, only this reader waits.
 */
struct claim {
	u64 at;
	bool grows;
	struct kept_cpu *from; /* NULL: no other CPU */
	u64 from_at;
	bool stays; /* the file system cannot release that */
};

/* Take more space for a CPU. */
static void claim_space(struct kept *k, struct kept_cpu *c, struct claim *claim)
{
	claim->grows = true;
	if (c->unused.n) {
		claim->at = c->unused.v[--c->unused.n];
	} else {
		claim->at = c->end;
		c->end += k->slot_size;
		if (k->line && c->end >= KEPT_WRAP)
			c->end = 0;
	}
	k->bytes += k->slot_size;
}

/* Take an old slot that was filled before @before, of its own without @room. Return: whether there
 * is */
static bool claim_old(struct kept *k, struct kept_cpu *c, u64 before, bool room,
		      struct claim *claim)
{
	const struct kept_slot *own = oldest_of(c);
	struct kept_cpu *from = room && !k->fixed ? find_oldest(k) : NULL;
	u64 age;

	if (own && own->filled >= before)
		own = NULL;
	/* moving space between files takes time: one of its own, unless it is much younger */
	age = own ? monotonic_ns() - own->filled : 0;
	if (from && from != c && oldest_of(from)->filled < before &&
	    (!own || own->filled - oldest_of(from)->filled > age / 4)) {
		claim->from = from;
		claim->from_at = drop_oldest(from);
		k->bytes -= k->slot_size;
		claim_space(k, c, claim);
		return true;
	}
	if (own)
		claim->at = drop_oldest(c);
	return own;
}

/* See kept_next_slot(). @room: the disk may have some */
static bool make_claim(struct kept *k, struct kept_cpu *c, bool room, struct claim *claim)
{
	*claim = (struct claim){ .at = 0 };
	if (claim_old(k, c, min_t(u64, k->expired, k->needed), room, claim))
		return true;
	if (room && k->bytes + k->slot_size <= k->max) {
		claim_space(k, c, claim);
		return true;
	}
	if (claim_old(k, c, k->needed, room, claim)) {
		k->early++;
		return true;
	}
	/* a file is being written, or waits for what follows its event */
	if (room && k->bytes / 2 < k->max)
		claim_space(k, c, claim);
	return claim->grows;
}

/* Without the lock. -1 with errno */
static int ask_disk(struct kept *k, const struct kept_cpu *c, struct claim *claim)
{
	int ret;

	if (claim->from && punch(claim->from->fd, claim->from_at, k->slot_size))
		claim->stays = errno == EOPNOTSUPP || errno == ENOSYS;
	if (!claim->grows)
		return 0;
	ret = k->reserve ? reserve_allocate(k->reserve, c->fd, claim->at, k->slot_size)
			 : fallocate(c->fd, 0, (off_t)claim->at, (off_t)k->slot_size);
	return ret && errno != EOPNOTSUPP && errno != ENOSYS ? -1 : 0;
}

/* The disk gave what was claimed, or refused it. */
static void settle_claim(struct kept *k, struct kept_cpu *c, const struct claim *claim, bool given)
{
	k->fixed |= claim->stays;
	/* if memory runs out, an offset is not used again */
	if (claim->from)
		(void)array_push(&claim->from->unused, claim->from_at);
	if (given) {
		k->most = max_t(u64, k->most, k->bytes);
	} else {
		k->bytes -= k->slot_size;
		if (k->line)
			c->end = claim->at;
		else
			(void)array_push(&c->unused, claim->at);
	}
}

int kept_next_slot(struct kept *k, size_t i, u64 *at)
{
	struct kept_cpu *c = &k->cpus[i];
	struct kept_slot slot = { .filled = UINT64_MAX };
	struct claim claim = { 0 };
	bool room = true;
	int ret = -1, why;

	pthread_mutex_lock(&k->mutex);
	if (c->slots.n > c->head && c->slots.v[c->slots.n - 1].filled == UINT64_MAX)
		c->slots.v[c->slots.n - 1].filled = monotonic_ns();
	/* memory first: a slot that was taken cannot be given back */
	errno = ENOMEM;
	if (!array_push(&c->slots, slot)) {
		c->slots.n--;
		errno = EAGAIN;
		while (ret && (room || errno == EAGAIN) && make_claim(k, c, room, &claim)) {
			pthread_mutex_unlock(&k->mutex);
			ret = ask_disk(k, c, &claim);
			why = errno;
			pthread_mutex_lock(&k->mutex);
			settle_claim(k, c, &claim, !ret);
			room = false;
			errno = ret && disk_is_full(why) ? EAGAIN : why;
		}
	}
	why = errno;
	if (!ret) {
		slot.at = *at = claim.at;
		(void)array_push(&c->slots, slot);
	}
	k->full = ret && why == EAGAIN;
	pthread_mutex_unlock(&k->mutex);
	errno = why;
	return ret;
}

/* --- what is needed --- */

void kept_limit(struct kept *k, u64 expired, u64 needed)
{
	pthread_mutex_lock(&k->mutex);
	k->expired = expired;
	k->needed = needed;
	k->full = false; /* until it waits again */
	pthread_mutex_unlock(&k->mutex);
}

void kept_flush(struct kept *k)
{
	atomic_store_explicit(&k->flush, monotonic_ns(), memory_order_release);
}

bool kept_is_flushed(struct kept *k)
{
	const u64 flush = atomic_load_explicit(&k->flush, memory_order_relaxed);
	bool done = true;

	for (size_t i = 0; i < k->n; i++)
		done &= atomic_load_explicit(&k->cpus[i].drained, memory_order_acquire) >= flush;
	return done;
}

int kept_drop(struct kept *k, size_t i, u64 to)
{
	struct kept_cpu *c = &k->cpus[i];
	bool more, whole;
	int ret;

	do {
		u64 slot = to / KEPT_SLOT_SUBBUFS, n = k->slot_size, at = 0;

		pthread_mutex_lock(&k->mutex);
		more = c->head < c->slots.n && c->first <= slot;
		/* of the one that is being filled, the first part */
		if (more && c->first == slot)
			n = to % KEPT_SLOT_SUBBUFS * k->subbuf;
		if (more)
			at = c->slots.v[c->head].at;
		whole = more && c->first < slot;
		pthread_mutex_unlock(&k->mutex);
		/* nothing else drops what is in a line */
		ret = more && n ? punch(c->fd, at, n) : 0;
		if (!ret && whole) {
			pthread_mutex_lock(&k->mutex);
			drop_oldest(c);
			k->bytes -= k->slot_size;
			pthread_mutex_unlock(&k->mutex);
		}
	} while (!ret && whole);
	return ret;
}

bool kept_is_full(struct kept *k)
{
	bool full;

	pthread_mutex_lock(&k->mutex);
	full = k->full;
	pthread_mutex_unlock(&k->mutex);
	return full;
}

u64 kept_from(struct kept *k)
{
	const struct kept_cpu *c;
	u64 from;

	pthread_mutex_lock(&k->mutex);
	c = find_oldest(k);
	from = k->expired ? k->expired : c ? oldest_of(c)->filled : 0;
	from = min_t(u64, from, k->needed);
	pthread_mutex_unlock(&k->mutex);
	return from;
}

/* --- in the rings --- */

int kept_use_rings(struct kept *k, u64 ns)
{
	k->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (k->wake < 0)
		return -HIST_EIO;
	k->ring_ns = ns;
	return 0;
}

void kept_want(struct kept *k, bool want)
{
	u64 one = 1;
	ssize_t n;

	if (!k->ring_ns || atomic_load(&k->wanted) == want)
		return;
	atomic_store_explicit(&k->wanted, want, memory_order_release);
	do {
		n = want ? write(k->wake, &one, sizeof(one)) : read(k->wake, &one, sizeof(one));
	} while (n < 0 && errno == EINTR);
}

void kept_rest(struct kept *k, size_t i, bool begins, u64 overrun)
{
	struct kept_cpu *c = &k->cpus[i];

	pthread_mutex_lock(&k->mutex);
	if (!begins && c->rests)
		c->overwritten += overrun - c->at_rest;
	c->rests = begins;
	c->at_rest = overrun;
	pthread_mutex_unlock(&k->mutex);
}

void kept_gap(struct kept *k, size_t i, u64 number)
{
	pthread_mutex_lock(&k->mutex);
	k->cpus[i].gap = number + 1;
	pthread_mutex_unlock(&k->mutex);
}

void kept_ring_is_small(struct kept *k, size_t i, u64 lasts)
{
	pthread_mutex_lock(&k->mutex);
	k->cpus[i].lasts = lasts;
	pthread_mutex_unlock(&k->mutex);
}

u64 kept_ring_lasts(struct kept *k, size_t i)
{
	u64 lasts;

	pthread_mutex_lock(&k->mutex);
	lasts = k->cpus[i].lasts;
	pthread_mutex_unlock(&k->mutex);
	return lasts;
}

u64 kept_overwritten(struct kept *k, size_t i, u64 overrun)
{
	const struct kept_cpu *c = &k->cpus[i];
	u64 n;

	if (!k->ring_ns)
		return 0;
	pthread_mutex_lock(&k->mutex);
	n = c->overwritten + (c->rests ? overrun - c->at_rest : 0);
	pthread_mutex_unlock(&k->mutex);
	return n;
}

/* --- reading --- */

struct kept_range kept_range(struct kept *k, size_t i)
{
	const struct kept_cpu *c = &k->cpus[i];
	struct kept_range range;

	pthread_mutex_lock(&k->mutex);
	range.from = c->first * KEPT_SLOT_SUBBUFS;
	pthread_mutex_unlock(&k->mutex);
	range.to = atomic_load_explicit(c->moved, memory_order_acquire) / k->subbuf;
	return range;
}

u64 kept_find(struct kept *k, size_t i, u64 number, u64 n, u64 *at)
{
	const struct kept_cpu *c = &k->cpus[i];
	u64 slot = number / KEPT_SLOT_SUBBUFS, in = number % KEPT_SLOT_SUBBUFS;
	bool found;

	pthread_mutex_lock(&k->mutex);
	found = slot >= c->first && slot - c->first < c->slots.n - c->head;
	if (found)
		*at = c->slots.v[c->head + (slot - c->first)].at + in * k->subbuf;
	pthread_mutex_unlock(&k->mutex);
	return found ? min_t(u64, n, KEPT_SLOT_SUBBUFS - in) : 0;
}

/* Of the first @n bytes. */
static int read_part(struct kept *k, size_t i, u64 number, void *to, size_t n)
{
	u64 at, again;
	ssize_t got;

	if (!kept_find(k, i, number, 1, &at))
		return 1;
	got = fd_pread(k->cpus[i].fd, to, n, at);
	/* it may have been replaced meanwhile */
	if (!kept_find(k, i, number, 1, &again))
		return 1;
	if (got == (ssize_t)n)
		return 0;
	errno = got < 0 ? errno : EIO;
	return -HIST_EIO;
}

int kept_read(struct kept *k, size_t i, u64 number, void *page)
{
	return read_part(k, i, number, page, k->subbuf);
}

/* The first sub-buffer in the range that begins after @ts, or the end. */
static int first_after(struct kept *k, size_t i, struct kept_range in, u64 ts, u64 *number)
{
	while (in.from < in.to) {
		u64 mid = in.from + (in.to - in.from) / 2, stamp;
		int err = read_part(k, i, mid, &stamp, sizeof(stamp));

		if (err < 0)
			return err;
		/* what was replaced meanwhile was older */
		if (err || stamp <= ts)
			in.from = mid + 1;
		else
			in.to = mid;
	}
	*number = in.from;
	return 0;
}

/* NOLINTNEXTLINE(readability-function-size): a span of time, and what there is of it */
int kept_select(struct kept *k, size_t i, u64 from, u64 to, struct kept_range *range, u64 *begin)
{
	struct kept_range all = kept_range(k, i);
	u64 gap, stamp;
	int err;

	pthread_mutex_lock(&k->mutex);
	gap = k->cpus[i].gap;
	pthread_mutex_unlock(&k->mutex);
	if (gap > all.from)
		all.from = gap - 1;
	*begin = from;
	err = first_after(k, i, all, from, &range->from);
	/* its last records may be later */
	if (!err && range->from > all.from)
		range->from--;
	else if (!err && (all.from || gap) && !read_part(k, i, all.from, &stamp, sizeof(stamp)))
		*begin = max_t(u64, from, stamp);
	return err ? err : first_after(k, i, all, to, &range->to);
}
