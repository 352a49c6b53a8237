// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Probes from which derived events know when the CPU quota of a cgroup was used up: of the kernel's
 * functions that hold a cgroup back on a CPU and let it go, and since 6.18 of that which holds a
 * task back. No event of the kernel states it.
 *
 * Their arguments are read at offsets that the kernel's own types have (BTF), because names of
 * members in probes need a kernel of 6.12. Specification: Documentation/bpf/btf.rst of the kernel.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tracefs.h>

#include "record/session.h"
#include "record/tracedir.h"

enum {
	MAGIC = 0xeb9f,
	MIN_HEADER = 24,
	STRUCT = 4,
	UNION = 5,
	TYPEDEF = 8,
	CONST = 10,
	KINDS = 20
};

/* Bytes after the three words of a type: fixed, and for each member. By kind */
static const struct {
	u8 fixed, member;
} sizes[KINDS] = {
	[1] = { 4, 0 },  [3] = { 12, 0 },  [STRUCT] = { 0, 12 }, [UNION] = { 0, 12 },
	[6] = { 0, 8 },  [13] = { 0, 8 },  [14] = { 4, 0 },      [15] = { 0, 12 },
	[17] = { 4, 0 }, [19] = { 0, 12 },
};

struct types {
	char *file;
	struct span types, texts;
	ARRAY(u32) places; /* in ->types; of the id - 1 */
};

static u32 word(const struct types *t, u32 place, u32 i)
{
	return load_u32(t->types.s + place + i * 4, false);
}

static u32 kind_of(const struct types *t, u32 place)
{
	return word(t, place, 1) >> 24 & 0x1f;
}

static const char *text(const struct types *t, u32 at)
{
	return at < t->texts.n ? t->texts.s + at : "";
}

/* Its length; 0: this kernel has none. */
static size_t types_read(struct types *t)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	struct stat st = { .st_size = 0 };
	ssize_t n = -1;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0 && (t->file = malloc((size_t)st.st_size)))
		n = fd_read(fd, t->file, (size_t)st.st_size);
	fd_close(fd);
	return n < 0 ? 0 : (size_t)n;
}

/* false: there are none, or in another form */
static bool types_open(struct types *t)
{
	const size_t n = types_read(t);
	u64 types, texts;
	u32 header;

	if (n < MIN_HEADER || load_u16(t->file, false) != MAGIC)
		return false;
	header = load_u32(t->file + 4, false);
	types = (u64)header + load_u32(t->file + 8, false);
	texts = (u64)header + load_u32(t->file + 16, false);

	t->types = (struct span){ t->file + types, load_u32(t->file + 12, false) };
	t->texts = (struct span){ t->file + texts, load_u32(t->file + 20, false) };
	if (types + t->types.n > n || texts + t->texts.n > n || !t->texts.n ||
	    t->texts.s[t->texts.n - 1])
		return false;
	for (u64 at = 0; at + 12 <= t->types.n;) {
		const u32 kind = kind_of(t, (u32)at), members = word(t, (u32)at, 1) & 0xffff;

		if (kind >= KINDS || array_push(&t->places, (u32)at))
			return false;
		at += 12 + sizes[kind].fixed + (u64)sizes[kind].member * members;
		if (at > t->types.n)
			return false;
	}
	return true;
}

static void types_close(struct types *t)
{
	free(t->file);
	array_release(&t->places);
}

/* The structure or union that the type is, by a name or qualifier; false: it is none. */
static bool structure(const struct types *t, u32 id, u32 *place)
{
	for (int i = 0; i < 32 && id && id <= t->places.n; i++) {
		*place = t->places.v[id - 1];
		if (kind_of(t, *place) == STRUCT || kind_of(t, *place) == UNION)
			return true;
		if (kind_of(t, *place) < TYPEDEF || kind_of(t, *place) > CONST + 1)
			return false;
		id = word(t, *place, 2);
	}
	return false;
}

/* Add the offset of a member, maybe of a part without a name, and its type. */
static bool member(const struct types *t, u32 place, struct span name, u32 *offset, u32 *type)
{
	const u32 n = word(t, place, 1) & 0xffff, bitfields = word(t, place, 1) >> 31;

	for (u32 i = 0; i < n; i++) {
		const u32 at = place + 12 + i * 12;
		const char *is = text(t, word(t, at, 0));
		const u32 bits = word(t, at, 2) & (bitfields ? 0xffffff : UINT32_MAX);
		u32 part, inner = 0;

		*type = word(t, at, 1);
		if (span_eq(name, is)) {
			*offset += bits / 8;
			return true;
		}
		if (!*is && structure(t, *type, &part) && member(t, part, name, &inner, type)) {
			*offset += bits / 8 + inner;
			return true;
		}
	}
	return false;
}

/* "cfs_bandwidth.throttled_time" of "task_group"; -1: there is none */
static long offset_of(const struct types *t, const char *of, const char *path)
{
	for (size_t i = 0; i < t->places.n; i++) {
		struct span rest = span_of(path);
		u32 place = t->places.v[i], offset = 0, type = 0;
		bool found = kind_of(t, place) == STRUCT && !strcmp(text(t, word(t, place, 0)), of);

		for (bool first = true; found && rest.s; first = false) {
			const struct span name = span_sep(&rest, ".");

			found = (first || structure(t, type, &place)) &&
				member(t, place, name, &offset, &type);
		}
		if (found)
			return offset;
	}
	return -1;
}

static bool add_probes(const struct types *t, struct record_probe *probes, struct strbuf *text)
{
	static const char *const of[] = { "task_group", "cgroup",     "kernfs_node",
					  "rq",         "task_group", "task_group" };
	static const char *const paths[] = { "css.cgroup",
					     "kn",
					     "id",
					     "cpu",
					     "cfs_bandwidth.throttled_time",
					     "cfs_bandwidth.nr_throttled" };
	static const char *const names[] = { "p:hist/throttle_down tg_throttle_down",
					     "p:hist/throttle_up tg_unthrottle_up" };
	long at[ARRAY_SIZE(of)];

	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		if ((at[i] = offset_of(t, of[i], paths[i])) < 0)
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		strbuf_reset(&text[i]);
		strbuf_addf(&text[i],
			    "%s cgroup=+%ld(+%ld(+%ld($arg1))):u64 on_cpu=+%ld($arg2):u32 "
			    "ns=+%ld($arg1):u64 periods=+%ld($arg1):u32",
			    names[i], at[2], at[1], at[0], at[3], at[4], at[5]);
		probes[i] = (struct record_probe){ "kprobe_events", text[i].s };
		if (text[i].failed)
			return false;
	}
	return true;
}

void throttle_probes_create(struct undo *undo, struct diags *diags)
{
	static const struct record_probe by_task = { "kprobe_events",
						     "p:hist/throttle_task throttle_cfs_rq_work" };
	struct strbuf text[2] = { STRBUF_INIT, STRBUF_INIT };
	struct record_probe probes[2];
	struct diags ignored = DIAGS_INIT;
	struct types t = { .file = NULL };
	const bool can = tracefs_file_exists(NULL, "kprobe_events");
	bool known = can && types_open(&t) && add_probes(&t, probes, text);

	known = known && !probes_create(probes, 2, undo, &ignored);
	/* kernel: before 6.18, a task is held back with its cgroup */
	if (known)
		probes_create(&by_task, 1, undo, &ignored);
	if (!known)
		diags_add(
			diags, DIAG_NOTE,
			"CPU quotas of cgroups are not recorded, because %s: tasks that they hold "
			"back look like preempted ones",
			can ? "this kernel refuses the probes" : "this kernel has no probes");
	diags_release(&ignored);
	strbuf_release(&text[0]);
	strbuf_release(&text[1]);
	types_close(&t);
}
