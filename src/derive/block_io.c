// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Requests to block devices: how long they were queued, and how long the device took.
 *
 * The kernel traces a request by device and sector, which several requests can have in common:
 * those of the same kind end in the order in which they were issued. A request changes its sector
 * when data is added in front of it while it is queued, and when the first part of it is complete.
 * Flushes have no sector: it is 0 or -1.
 *
 * A queued request that is merged into another one disappears. A request that the driver gave back
 * is queued again. Completions without an issue are not derived: data that is written together with
 * a flush is completed twice, the second time without sectors.
 */
#include "derive/deriver.h"
#include "derive/slots.h"

enum event { BLOCK_IO };

static const struct derived_event events[] = {
	[BLOCK_IO] = DERIVED_EVENT(
		DERIVE_BLOCK_IO, "block_io",
		"char[24] dev; char[16] op; char[40] flags; u64 sector; unsigned int bytes; "
		"u64 ns; u64 queued_ns; u64 device_ns; int error; pid_t pid; char[16] comm; "
		"char[16] rwbs; " DERIVED_OPEN),
};

enum input { INSERT, ISSUE, REQUEUE, MERGE, COMPLETE };

/* Indices of their fields. */
enum { DEV, SECTOR, NR_SECTOR, RWBS, BYTES, COMM, ERROR = BYTES, ERRORS = COMM };

static const struct deriver_input inputs[] = {
	[INSERT] = { DERIVER_INPUT("block", "block_rq_insert"),
		     { "dev", "sector", "nr_sector", "rwbs", "bytes", "comm" },
		     false,
		     .texts = 1 << RWBS | 1 << COMM },
	[ISSUE] = { DERIVER_INPUT("block", "block_rq_issue"),
		    { "dev", "sector", "nr_sector", "rwbs", "bytes", "comm" },
		    true,
		    .texts = 1 << RWBS | 1 << COMM },
	[REQUEUE] = { DERIVER_INPUT("block", "block_rq_requeue"),
		      { "dev", "sector", "nr_sector", "rwbs" },
		      false,
		      .texts = 1 << RWBS },
	[MERGE] = { DERIVER_INPUT("block", "block_rq_merge"),
		    { "dev", "sector", "nr_sector", "rwbs" },
		    false,
		    .texts = 1 << RWBS },
	[COMPLETE] = { DERIVER_INPUT("block", "block_rq_complete"),
		       { "dev", "sector", "nr_sector", "rwbs", "error", "errors" },
		       true,
		       .texts = 1 << RWBS,
		       .perhaps = 1 << 4 | 1 << 5 },
};

enum { RWBS_SIZE = 16, SECTOR_SIZE = 512, MINOR_BITS = 20 };

enum { QUEUED_MAX = 512, SAME_MAX = 1024 };

struct request {
	bool open, issued;
	bool was_issued;
	bool outlived;   /* another issue of it was complete since */
	bool given_back; /* by the driver; it may be inserted again */
	u32 dev, next;   /* ->next: of the list of free ones, or of queued ones, the newer one */
	u32 older;       /* queued one */
	u64 sector;      /* of the part that is not complete */
	u64 left;        /* sectors of it */
	_Alignas(8) char rwbs[RWBS_SIZE];
	u64 order;                /* in which they began to be in their state */
	u64 since;                /* it is in its state */
	u64 queued_ns, device_ns; /* in former states */
	u64 first_sector;         /* when it was issued first */
	u32 bytes, cpu;
	s32 pid;
	struct derive_comm comm;
};

struct block_io {
	struct derive *d;
	ARRAY(struct request) requests;
	u32 free, newest; /* ->newest: of the queued ones */
	bool requeues;    /* there was a record of a request that the driver gave back */
	struct hash_table by_sector;
	u64 order;
};

/* --- requests --- */

static u32 hash_of(u32 dev, u64 sector)
{
	return hash_number(sector ^ (u64)dev << 32);
}

static u64 sector_of(const struct derive_record *r)
{
	return r->n[SECTOR] == UINT64_MAX ? 0 : r->n[SECTOR];
}

static bool is_kind(const struct request *rq, struct span rwbs)
{
	return rwbs.n < RWBS_SIZE && !rq->rwbs[rwbs.n] &&
	       (!rwbs.n || !memcmp(rq->rwbs, rwbs.s, rwbs.n));
}

/* Whether it has the device, sector and kind of a record. */
static bool is_same(const struct request *rq, const struct derive_record *r)
{
	/* the end of a flush that belongs to data that is being written */
	bool is_empty = r->input == COMPLETE && !r->n[NR_SECTOR] && rq->left;

	return rq->dev == (u32)r->n[DEV] && rq->sector == sector_of(r) && !is_empty &&
	       is_kind(rq, derive_text(r, RWBS));
}

static bool is_before(const struct request *a, const struct request *b)
{
	return a->outlived != b->outlived ? b->outlived : a->order < b->order;
}

/* The first one of these that is in a state; NO_SLOT: none. */
static u32 find_request(const struct block_io *b, const struct derive_record *r, bool issued)
{
	u32 found = NO_SLOT;

	hash_each(i, &b->by_sector, hash_of((u32)r->n[DEV], sector_of(r))) {
		const struct request *rq = &b->requests.v[i];

		if (is_same(rq, r) && rq->issued == issued &&
		    (found == NO_SLOT || is_before(rq, &b->requests.v[found])))
			found = (u32)i;
	}
	return found;
}

/*
 * A queued one that has got data in front of it since it was inserted: it is a part of @r. Limit:
 * only the newest are compared, more than devices have in their queues.
 */
static u32 find_grown(const struct block_io *b, const struct derive_record *r)
{
	u64 from = sector_of(r), to = from + r->n[NR_SECTOR];
	u32 found = NO_SLOT, at = b->newest;

	for (size_t i = 0; i < QUEUED_MAX && at != NO_SLOT; i++) {
		const struct request *rq = &b->requests.v[at];

		if (rq->dev == (u32)r->n[DEV] && rq->sector > from && rq->sector + rq->left <= to &&
		    is_kind(rq, derive_text(r, RWBS)))
			found = at;
		at = rq->older;
	}
	return found;
}

/* It enters the list of queued ones, or leaves it. */
static void set_queued(struct block_io *b, u32 i, bool queued)
{
	struct request *rq = &b->requests.v[i];
	u32 *newer = queued || rq->next == NO_SLOT ? &b->newest : &b->requests.v[rq->next].older;

	if (queued) {
		rq->next = NO_SLOT;
		rq->older = b->newest;
	}
	if (rq->older != NO_SLOT)
		b->requests.v[rq->older].next = queued ? i : rq->next;
	*newer = queued ? i : rq->older;
}

static void move_to(struct block_io *b, u32 i, u64 sector)
{
	struct request *rq = &b->requests.v[i];

	hash_remove(&b->by_sector, hash_of(rq->dev, rq->sector), i);
	rq->sector = sector;
	if (hash_add(&b->by_sector, hash_of(rq->dev, sector), i))
		derive_fail(b->d);
}

static void set_issued(struct block_io *b, struct request *rq, bool issued, u64 ts)
{
	u64 ns = ts > rq->since ? ts - rq->since : 0;

	if (rq->issued)
		rq->device_ns += ns;
	else
		rq->queued_ns += ns;
	if (rq->issued != issued)
		set_queued(b, (u32)(rq - b->requests.v), !issued);
	rq->issued = issued;
	rq->since = ts;
	rq->order = b->order++;
}

static void remove_request(struct block_io *b, u32 i)
{
	struct request *rq = &b->requests.v[i];

	hash_remove(&b->by_sector, hash_of(rq->dev, rq->sector), i);
	if (!rq->issued)
		set_queued(b, i, false);
	rq->open = false;
	slot_return(&b->requests, &b->free, i);
}

/* Limit: of more requests of one sector than devices have, the oldest is left out. */
static void limit_same(struct block_io *b, u32 hash)
{
	struct hash_walk walk = hash_walk(hash);
	u32 oldest = NO_SLOT;
	size_t i, n;

	for (n = 0; hash_next(&b->by_sector, &walk, &i); n++)
		if (oldest == NO_SLOT || b->requests.v[i].order < b->requests.v[oldest].order)
			oldest = (u32)i;
	if (n < SAME_MAX)
		return;
	derive_inconsistent(b->d);
	remove_request(b, oldest);
}

/* NO_SLOT: out of memory */
static u32 new_request(struct block_io *b, const struct derive_record *r, bool issued)
{
	const struct span rwbs = derive_text(r, RWBS);
	const u32 dev = (u32)r->n[DEV];
	const struct request new = { .open = true,
				     .issued = issued,
				     .dev = dev,
				     .sector = sector_of(r),
				     .left = r->n[NR_SECTOR],
				     .order = b->order++,
				     .since = r->ts };
	struct request *rq;
	u32 i;

	limit_same(b, hash_of(dev, new.sector));
	i = slot_take(&b->requests, &b->free, new);
	if (i == NO_SLOT) {
		derive_fail(b->d);
		return i;
	}
	rq = &b->requests.v[i];
	if (rwbs.n)
		memcpy(rq->rwbs, rwbs.s, min_t(size_t, rwbs.n, RWBS_SIZE - 1));
	if (!issued)
		set_queued(b, i, true);
	if (hash_add(&b->by_sector, hash_of(dev, rq->sector), i))
		derive_fail(b->d);
	return i;
}

/* --- texts --- */

struct block_text {
	_Alignas(8) char dev[24];
	_Alignas(8) char op[16];
	_Alignas(8) char flags[40];
};

static void add_flag(struct block_text *t, const char *flag)
{
	size_t n = strlen(t->flags);

	snprintf(t->flags + n, sizeof(t->flags) - n, "%s%s", n ? "," : "", flag);
}

/* The letters of a request: F for a flush before it, the operation, flags. */
static void read_rwbs(struct block_text *t, const char *s)
{
	static const struct {
		const char *letters, *op;
	} ops[] = {
		{ "DE", "secure_erase" }, { "D", "discard" },
		{ "ZA", "zone_append" },  { "ZRA", "zone_reset_all" },
		{ "ZR", "zone_reset" },   { "ZO", "zone_open" },
		{ "ZC", "zone_close" },   { "ZF", "zone_finish" },
		{ "WZ", "write_zeroes" }, { "W", "write" },
		{ "R", "read" },          { "F", "flush" },
		{ "N", "other" },
	};
	static const struct {
		char letter;
		const char *flag;
	} flags[] = {
		{ 'F', "fua" },  { 'A', "ahead" },  { 'S', "sync" },
		{ 'M', "meta" }, { 'U', "atomic" },
	};
	const char *op = "other";

	/* the kernel marks its own flushes as such with two */
	if (s[0] == 'F' && s[1] == 'F')
		s++;
	else if (s[0] == 'F' && s[1] && strchr("WRDNZ", s[1])) {
		add_flag(t, "preflush");
		s++;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (!strncmp(s, ops[i].letters, strlen(ops[i].letters))) {
			op = ops[i].op;
			s += strlen(ops[i].letters);
			break;
		}
	snprintf(t->op, sizeof(t->op), "%s", op);
	for (; *s; s++)
		for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
			if (*s == flags[i].letter)
				add_flag(t, flags[i].flag);
}

/* --- records --- */

/* What a record of an insertion or an issue states about a request. */
static void describe(struct request *rq, const struct derive_record *r)
{
	rq->pid = r->pid;
	rq->cpu = r->cpu;
	rq->comm = (struct derive_comm){ .s = "" };
	derive_set_comm(&rq->comm, r->n[COMM]);
	/* the rest of a request that was complete in part is issued again */
	if (rq->was_issued)
		return;
	rq->bytes = (u32)(r->n[BYTES] ? r->n[BYTES] : r->n[NR_SECTOR] * SECTOR_SIZE);
	rq->first_sector = sector_of(r);
}

static void on_insert(struct block_io *b, const struct derive_record *r)
{
	u32 i = find_request(b, r, false);

	if (i != NO_SLOT && b->requests.v[i].given_back) {
		b->requests.v[i].given_back = false;
		return;
	}
	i = new_request(b, r, false);
	if (i != NO_SLOT)
		describe(&b->requests.v[i], r);
}

/*
 * Without records of requests that the driver gives back, they are issued several times. The first
 * issue ends when they are complete; the others are forgotten when it is clear that they are such.
 */
static void mark_outlived(struct block_io *b, const struct derive_record *r)
{
	struct hash_walk walk = hash_walk(hash_of((u32)r->n[DEV], sector_of(r)));
	size_t i;

	while (!b->requeues && hash_next(&b->by_sector, &walk, &i))
		if (b->requests.v[i].issued && is_same(&b->requests.v[i], r))
			b->requests.v[i].outlived = true;
}

static void forget_outlived(struct block_io *b, const struct derive_record *r)
{
	struct hash_walk walk = hash_walk(hash_of((u32)r->n[DEV], sector_of(r)));
	size_t i;

	while (!b->requeues && hash_next(&b->by_sector, &walk, &i))
		if (b->requests.v[i].outlived && is_same(&b->requests.v[i], r)) {
			remove_request(b, (u32)i);
			walk = hash_walk(walk.hash);
		}
}

static void on_issue(struct block_io *b, const struct derive_record *r)
{
	u32 i = find_request(b, r, false);
	struct request *rq;

	forget_outlived(b, r);
	i = i != NO_SLOT ? i : find_grown(b, r);
	if (i == NO_SLOT)
		i = new_request(b, r, true);
	else
		set_issued(b, &b->requests.v[i], true, r->ts);
	if (i == NO_SLOT)
		return;
	rq = &b->requests.v[i];
	if (rq->sector != sector_of(r))
		move_to(b, i, sector_of(r));
	rq->left = r->n[NR_SECTOR];
	describe(rq, r);
	rq->was_issued = true;
}

static void on_requeue(struct block_io *b, const struct derive_record *r)
{
	u32 i = find_request(b, r, true);

	b->requeues = true;
	if (i == NO_SLOT)
		return;
	set_issued(b, &b->requests.v[i], false, r->ts);
	b->requests.v[i].given_back = true;
}

static void on_merge(struct block_io *b, const struct derive_record *r)
{
	u32 i = find_request(b, r, false);

	/* it may have grown at its front before */
	i = i != NO_SLOT ? i : find_grown(b, r);
	if (i != NO_SLOT)
		remove_request(b, i);
}

static void trace_request(struct block_io *b, struct request *rq, s32 error,
			  const struct derive_record *r, u64 open)
{
	struct block_text text = { .flags = "" };

	set_issued(b, rq, rq->issued, r->ts);
	read_rwbs(&text, rq->rwbs);
	snprintf(text.dev, sizeof(text.dev), "%u:%u", rq->dev >> MINOR_BITS,
		 rq->dev & ((1U << MINOR_BITS) - 1));
	derive_trace(b->d, &events[BLOCK_IO],
		     (u64[]){ (uintptr_t)text.dev, (uintptr_t)text.op, (uintptr_t)text.flags,
			      rq->first_sector, rq->bytes, rq->queued_ns + rq->device_ns,
			      rq->queued_ns, rq->device_ns, (u64)error, (u64)rq->pid,
			      (uintptr_t)rq->comm.s, (uintptr_t)rq->rwbs, open },
		     r, rq->pid);
}

/* Its issue was not recorded; without sectors it is no request of its own. */
static void on_unknown_end(struct block_io *b, const struct derive_record *r, s32 error)
{
	u32 i;

	if (!r->n[NR_SECTOR])
		return;
	if (!derive_opens(b->d)) {
		derive_inconsistent(b->d);
		return;
	}
	i = new_request(b, r, true);
	if (i == NO_SLOT)
		return;
	b->requests.v[i].since = derive_begin(b->d);
	b->requests.v[i].first_sector = sector_of(r);
	b->requests.v[i].bytes = (u32)(r->n[NR_SECTOR] * SECTOR_SIZE);
	trace_request(b, &b->requests.v[i], error, r, derive_open_word(true, false));
	remove_request(b, i);
}

static void on_complete(struct block_io *b, const struct derive_record *r)
{
	s32 error = (s32)(r->known & 1U << ERROR ? r->n[ERROR] : r->n[ERRORS]);
	u32 i = find_request(b, r, true);
	u64 n = r->n[NR_SECTOR];
	struct request *rq;

	if (i == NO_SLOT) {
		on_unknown_end(b, r, error);
		return;
	}
	rq = &b->requests.v[i];
	if (n < rq->left) {
		rq->left -= n;
		move_to(b, i, rq->sector + n);
	} else {
		trace_request(b, rq, error, r, derive_open_word(false, false));
		remove_request(b, i);
	}
	mark_outlived(b, r);
}

static void block_hit(void *state, const struct derive_record *r)
{
	struct block_io *b = state;

	if (r->input == INSERT)
		on_insert(b, r);
	else if (r->input == ISSUE)
		on_issue(b, r);
	else if (r->input == REQUEUE)
		on_requeue(b, r);
	else if (r->input == MERGE)
		on_merge(b, r);
	else
		on_complete(b, r);
}

static void block_end(void *state, const struct derive_record *last)
{
	struct block_io *b = state;
	struct derive_record r = *last;

	for (u32 i = 0; i < b->requests.n; i++) {
		struct request *rq = &b->requests.v[i];

		if (!rq->open)
			continue;
		if (rq->outlived && !b->requeues) {
			remove_request(b, i);
			continue;
		}
		r.cpu = rq->cpu;
		r.pid = rq->pid;
		if (derive_opens(b->d))
			trace_request(b, rq, 0, &r, derive_open_word(false, true));
		else
			derive_left_out(b->d,
					rq->since - min_t(u64, rq->since,
							  rq->queued_ns + rq->device_ns),
					r.ts);
		remove_request(b, i);
	}
}

static int block_open(void *state, const char *const *print_fmts UNUSED)
{
	struct block_io *b = state;

	b->newest = NO_SLOT;
	return 0;
}

static void block_close(void *state)
{
	struct block_io *b = state;

	array_release(&b->requests);
	hash_release(&b->by_sector);
}

const struct deriver derive_block_io = {
	DERIVER_OF(struct block_io, events, inputs),
	.open = block_open,
	.hit = block_hit,
	.end = block_end,
	.close = block_close,
};
