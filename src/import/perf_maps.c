// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Files that processes mapped, from MMAP and MMAP2 records: those that can be executed are for the
 * symbols of addresses. The build id of a file is in the record, or in a list after the samples.
 * The kernel, its modules and programs of BPF are mappings of pid 0.
 */
#include "import/perf_order.h"

enum {
	KERNEL = 1,
	USER = 2,
	MODE = 7,
	MAPS_DATA = 1 << 13,
	HAS_BUILD_ID = 1 << 14,
	HAS_SIZE = 1 << 15
};
enum { ID_SIZE = sizeof(((struct perf_map *)NULL)->id), PROT_EXEC = 4 };

/* A function of the kernel that was made at run time, such as a program of BPF: it has its name. */
static bool read_ksymbol(const struct perf_file *f, const struct perf_event *ev,
			 struct perf_map *map)
{
	enum { REMOVED = 1 };
	struct bytes b = bytes_of(ev->body, ev->len, f->big);
	bool removed;

	*map = (struct perf_map){ .code = true, .addr = bytes_u64(&b) };
	map->size = bytes_u32(&b);
	bytes_u16(&b); /* the kind */
	removed = bytes_u16(&b) & REMOVED;
	map->path = bytes_str(&b);
	return !b.bad && !removed && map->size && map->addr + map->size >= map->addr;
}

bool perf_map_read(const struct perf_file *f, const struct perf_event *ev, struct perf_map *map)
{
	struct bytes b = bytes_of(ev->body, ev->len, f->big);
	const u8 *file;
	u32 prot = PROT_EXEC;

	if (ev->type == PERF_KSYMBOL)
		return read_ksymbol(f, ev, map);
	if ((ev->misc & MODE) != USER && (ev->misc & MODE) != KERNEL)
		return false;
	*map = (struct perf_map){ .tgid = (s32)bytes_u32(&b) };
	bytes_u32(&b); /* the thread */
	if ((ev->misc & MODE) == KERNEL)
		map->tgid = 0;
	else if (map->tgid <= 0)
		return false;
	map->addr = bytes_u64(&b);
	map->size = bytes_u64(&b);
	map->offset = bytes_u64(&b);
	if (ev->type == PERF_MMAP2) {
		/* device and inode, or since perf 5.12 a size, and the build id */
		file = bytes_take(&b, 24);
		if (file && ev->misc & HAS_BUILD_ID) {
			map->id_len = min_t(u32, file[0], ID_SIZE);
			memcpy(map->id, file + 4, ID_SIZE);
		}
		prot = bytes_u32(&b); /* kernel: 4.2 has 0 for [vdso] */
		bytes_u32(&b);        /* flags */
	}
	map->path = bytes_str(&b);
	map->code = !(ev->misc & MAPS_DATA) && (prot & PROT_EXEC || !prot);
	return !b.bad && map->size && map->addr + map->size >= map->addr;
}

/* s32 pid, 24 bytes for the id (the 21st may be its size), name */
int perf_file_ids_add(struct perf_file_ids *ids, const struct perf_event *ev)
{
	enum { ID_AT = 4, NAME_AT = 28 };
	struct perf_file_id id = { .id_len = ID_SIZE };
	const u8 *end = ev->body + ev->len;

	if ((ev->misc & MODE) != USER || ev->len <= NAME_AT ||
	    !memchr(ev->body + NAME_AT, 0, (size_t)(end - ev->body) - NAME_AT))
		return 0;
	id.path = (const char *)ev->body + NAME_AT;
	memcpy(id.id, ev->body + ID_AT, ID_SIZE);
	if (ev->misc & HAS_SIZE && ev->body[ID_AT + ID_SIZE] < ID_SIZE)
		id.id_len = ev->body[ID_AT + ID_SIZE];
	return indexed_add(&ids->list, hash_text(id.path), id) ? 0 : HIST_NOMEM;
}

int perf_file_ids_read(struct perf_file_ids *ids, const struct perf_file *f)
{
	struct span list = f->feat[PERF_FEAT_BUILD_ID];
	struct bytes b = bytes_of(list.s, list.n, f->big);
	struct perf_event ev;
	int err = 0;

	while (list.s && !err && !perf_event_next(&b, &ev))
		err = perf_file_ids_add(ids, &ev);
	return err;
}

void perf_file_ids_release(struct perf_file_ids *ids)
{
	indexed_release(&ids->list);
}

/* The build id of a file; NULL: unknown. */
static const struct perf_file_id *find_id(const struct perf_file_ids *ids, const char *path)
{
	return indexed_find(&ids->list, hash_text(path), e, !strcmp(e->path, path));
}

const u8 *perf_map_id(const struct perf_map *map, const struct perf_file_ids *ids, u32 *len)
{
	const struct perf_file_id *listed = map->id_len ? NULL : find_id(ids, map->path);

	*len = listed ? listed->id_len : map->id_len;
	return listed ? listed->id : *len ? map->id : NULL;
}

void perf_map_print(const struct perf_map *map, const struct perf_file_ids *ids, s32 pid, u64 ts,
		    struct strbuf *out)
{
	u32 len;
	const u8 *id = perf_map_id(map, ids, &len);
	struct task_fact fact = { .kind = TASK_MAP,
				  .ts = ts,
				  .pid = pid,
				  .n = { map->addr, map->size, map->offset },
				  .text[1] = span_of(map->path) };
	char hex[2 * ID_SIZE + 1] = "";

	if (pid < 0)
		return;
	hex_print(id, len, hex);
	fact.text[0] = span_of(hex);
	task_fact_print(&fact, out);
}
