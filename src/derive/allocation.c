// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Objects that the kernel allocated: how long they lived, and which were not freed.
 *
 * kernel: kfree() also frees what kmem_cache_alloc() returned. Some ways to free many objects at
 * once have no event: then the address is given out again, which tells that it was free.
 */
#include "derive/deriver.h"
#include "derive/slots.h"

#define FIELDS(call_site)                                                              \
	"unsigned long ptr; " call_site " call_site; u64 bytes_req; u64 bytes_alloc; " \
	"u64 ns; pid_t pid; char[16] comm; unsigned int cpu; " DERIVED_OPEN

static const struct derived_event events[] = {
	DERIVED_EVENT(DERIVE_ALLOCATION, "allocation", FIELDS("unsigned long"),
		      .named = "allocation " FIELDS("char[]"), .asks = "comm", .cuts = true),
};

enum input { KMALLOC, SLAB_ALLOC, KFREE, SLAB_FREE };

#define ALLOCATES                                              \
	{                                                      \
		"ptr", "call_site", "bytes_req", "bytes_alloc" \
	}

static const struct deriver_input inputs[] = {
	[KMALLOC] = { DERIVER_INPUT("kmem", "kmalloc"), ALLOCATES, true, .symbol = "call_site" },
	[SLAB_ALLOC] = { DERIVER_INPUT("kmem", "kmem_cache_alloc"), ALLOCATES,
			 .symbol = "call_site" },
	[KFREE] = { DERIVER_INPUT("kmem", "kfree"), { "ptr" }, true },
	[SLAB_FREE] = { DERIVER_INPUT("kmem", "kmem_cache_free"), { "ptr" } },
};

/* Indices of their fields. */
enum { PTR, CALL_SITE, BYTES_REQ, BYTES_ALLOC };

struct allocation {
	bool live;
	s32 pid;
	struct derive_moment since; /* when it was allocated, and where */
	u64 ptr, call_site, bytes_req, bytes_alloc;
	u32 next; /* as slot_take() uses it */
};

struct allocations {
	struct derive *d;
	ARRAY(struct allocation) v;
	struct hash_table by_ptr;
	u32 unused;
	bool named; /* ->call_site is a text */
	struct texts names;
};

static int allocation_open(void *state, const char *const *print_fmts UNUSED)
{
	struct allocations *o = state;

	o->named = derive_names_symbols(derive_machine(o->d)->db, &derive_allocation);
	return 0;
}

/* As derive_trace() takes it. */
static u64 call_site_of(struct allocations *o, const struct derive_record *r)
{
	char number[24];
	u32 i;

	if (!o->named)
		return r->n[CALL_SITE];
	snprintf(number, sizeof(number), "0x%llx", r->n[CALL_SITE]);
	if (!texts_number(
		    &o->names,
		    derive_is_text(r, CALL_SITE) ? derive_text(r, CALL_SITE) : span_of(number), &i))
		return (uintptr_t)o->names.v.v[i];
	derive_fail(o->d);
	return (uintptr_t) "";
}

static u32 find_object(const struct allocations *o, u64 ptr)
{
	hash_each(i, &o->by_ptr, hash_number(ptr))
		if (o->v.v[i].ptr == ptr)
			return (u32)i;
	return NO_SLOT;
}

static void add_object(struct allocations *o, const struct derive_record *r)
{
	const struct allocation new = { .live = true,
					.pid = r->pid,
					.since = derive_moment(r),
					.ptr = r->n[PTR],
					.call_site = call_site_of(o, r),
					.bytes_req = r->n[BYTES_REQ],
					.bytes_alloc = r->n[BYTES_ALLOC] };
	const u32 i = slot_take(&o->v, &o->unused, new);

	if (i == NO_SLOT || hash_add(&o->by_ptr, hash_number(new.ptr), i))
		derive_fail(o->d);
}

static void remove_object(struct allocations *o, u32 i)
{
	struct allocation *object = &o->v.v[i];

	hash_remove(&o->by_ptr, hash_number(object->ptr), i);
	object->live = false;
	slot_return(&o->v, &o->unused, i);
}

static void trace(struct allocations *o, const struct allocation *object,
		  const struct derive_record *r, bool lives)
{
	struct derive_comm comm;

	derive_comm_at(o->d, &events[0], object->since, object->pid, &comm);
	derive_trace(
		o->d, &events[0],
		(u64[]){ object->ptr, object->call_site, object->bytes_req, object->bytes_alloc,
			 r->ts > object->since.ts ? r->ts - object->since.ts : 0, (u64)object->pid,
			 (uintptr_t)comm.s, object->since.cpu, derive_open_word(false, lives) },
		r, object->pid);
}

static void allocation_hit(void *state, const struct derive_record *r)
{
	struct allocations *o = state;
	const bool allocates = r->input == KMALLOC || r->input == SLAB_ALLOC;
	u32 i = find_object(o, r->n[PTR]);

	if (!r->n[PTR])
		return;
	if ((i == NO_SLOT) != allocates)
		derive_inconsistent(o->d);
	if (i != NO_SLOT && !allocates)
		trace(o, &o->v.v[i], r, false);
	if (i != NO_SLOT)
		remove_object(o, i);
	if (allocates)
		add_object(o, r);
}

/*
 * Only what is there at the end of the recording was not freed, and that is what one asks: it is
 * traced whether other intervals that are open are or not. In a hole any CPU can free an object.
 */
static void allocation_end(void *state, const struct derive_record *last)
{
	struct allocations *o = state;
	const bool known = last->at == UINT64_MAX && derive_has(o->d, 0);

	struct derive_record r = *last;

	for (u32 i = 0; i < o->v.n; i++) {
		if (!o->v.v[i].live)
			continue;
		r.cpu = o->v.v[i].since.cpu;
		if (known)
			trace(o, &o->v.v[i], &r, true);
		else
			derive_left_out(o->d, o->v.v[i].since.ts, last->ts);
		remove_object(o, i);
	}
}

static void allocation_close(void *state)
{
	struct allocations *o = state;

	array_release(&o->v);
	hash_release(&o->by_ptr);
	texts_release(&o->names);
}

const struct deriver derive_allocation = {
	DERIVER_OF(struct allocations, events, inputs),
	.lasting = true,
	.open = allocation_open,
	.hit = allocation_hit,
	.end = allocation_end,
	.close = allocation_close,
};
