// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The parts of perf.data other than records: header, attributes with their ids, features. In pipe
 * mode, records contain these (perf_file_describe()).
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt, struct perf_event_attr
 */
#include "import/perf.h"

enum { PIPE_HEADER = 16, OLD_HEADER = 72, FILE_HEADER = 104, MAX_HEADER = 4096 };
enum { ATTR_MIN = 64, MAX_ATTRS = 1 << 20 };

/* Of perf before Linux 3.4, in every byte order; the header of the first ones has no features. */
static const char old_magic[] = "PERFFILE";

bool perf_recognises(struct span head)
{
	return span_starts(head, "PERFILE2") || span_starts(head, "2ELIFREP") ||
	       span_starts(head, old_magic);
}

/* --- attributes --- */

/* Bit @i of the flags; kernel: they are a bit field, whose order depends on the byte order. */
static bool flag(const u8 *flags, unsigned int i, bool big)
{
	return flags[i / 8] >> (big ? 7 - i % 8 : i % 8) & 1;
}

static int read_attr(struct perf_file *f, struct span bytes)
{
	enum { FREQ = 10, SAMPLE_ID_ALL = 18, USE_CLOCKID = 25 };
	enum { BRANCHES_AT = 72, CLOCKID_AT = 92, INTR_REGS_AT = 96 };
	const u8 *p = (const u8 *)bytes.s;
	struct perf_attr a = { .type = 0 };

	if (bytes.n < ATTR_MIN)
		return -HIST_EFORMAT;
	if (f->attrs.n >= MAX_ATTRS)
		return -HIST_ELIMIT;
	a.index = (u32)f->attrs.n;
	a.type = load_u32(p, f->big);
	a.config = load_u64(p + 8, f->big);
	a.period = load_u64(p + 16, f->big);
	a.sample_type = load_u64(p + 24, f->big);
	a.read_format = load_u64(p + 32, f->big);
	a.freq = flag(p + 40, FREQ, f->big);
	a.id_all = flag(p + 40, SAMPLE_ID_ALL, f->big);
	if (bytes.n >= BRANCHES_AT + 16) {
		a.branches = load_u64(p + BRANCHES_AT, f->big);
		a.user_regs = load_u64(p + BRANCHES_AT + 8, f->big);
	}
	if (bytes.n >= INTR_REGS_AT + 8)
		a.intr_regs = load_u64(p + INTR_REGS_AT, f->big);
	if (bytes.n >= CLOCKID_AT + 4) {
		a.has_clock = flag(p + 40, USE_CLOCKID, f->big);
		a.clock = load_u32(p + CLOCKID_AT, f->big);
	}
	perf_attr_layout(&a);
	return array_push(&f->attrs, a);
}

static int read_ids(struct perf_file *f, struct span bytes)
{
	struct bytes b = bytes_of(bytes.s, bytes.n, f->big);

	while (bytes_left(&b) >= 8) {
		const struct perf_id id = { bytes_u64(&b), (u32)(f->attrs.n - 1) };

		if (array_push(&f->ids, id))
			return HIST_NOMEM;
	}
	return 0;
}

DEFINE_ORDER(cmp_id, struct perf_id, cmp_int(x->id, y->id) ?: cmp_int(x->attr, y->attr))

/* A section of the file. If it exceeds the file, it is shortened and ->cut is set. */
static struct span section_at(struct perf_file *f, u64 offset, u64 size)
{
	if (!size)
		return (struct span){ NULL, 0 };
	if (offset > f->map.size) {
		f->cut = true;
		return (struct span){ NULL, 0 };
	}
	if (size > f->map.size - offset) {
		f->cut = true;
		size = f->map.size - offset;
	}
	return (struct span){ (const char *)f->map.p + offset, size };
}

static struct span section(struct perf_file *f, struct bytes *b)
{
	u64 offset = bytes_u64(b), size = bytes_u64(b);

	return section_at(f, offset, size);
}

static int read_attrs(struct perf_file *f, struct span attrs, u64 entry, struct diags *diags)
{
	struct bytes b = bytes_of(attrs.s, attrs.n, f->big);
	int err = 0;

	if (entry < ATTR_MIN + 16 || entry > 4096)
		return diags_error(diags, -HIST_EFORMAT,
				   "%s: damaged: it has event descriptions of %llu bytes", f->name,
				   entry);
	while (bytes_left(&b) >= entry && !err) {
		const u8 *p = bytes_take(&b, entry);
		struct bytes at = bytes_of(p + entry - 16, 16, f->big);
		struct span ids = section(f, &at);

		err = read_attr(f, (struct span){ (const char *)p, entry - 16 });
		err = err ?: read_ids(f, ids);
	}
	return err;
}

/* --- features --- */

/* A string: its size with padding, then its bytes with a NUL. */
static struct span read_string(struct bytes *b)
{
	u32 n = bytes_u32(b);
	const char *s = (const char *)bytes_take(b, n);

	return (struct span){ s, s ? strnlen(s, n) : 0 };
}

struct span perf_file_text(const struct perf_file *f, unsigned int feat)
{
	struct bytes b = bytes_of(f->feat[feat].s, f->feat[feat].n, f->big);

	return f->feat[feat].s ? read_string(&b) : (struct span){ NULL, 0 };
}

/* kernel: perf_header__process_sections(): a table after the data, an entry for each bit */
static bool feature_bit(const u8 *bits, unsigned int i, bool big, unsigned int width)
{
	const u8 *word = bits + (size_t)(i / width) * (width / 8);

	return (width == 64 ? load_u64(word, big) : load_u32(word, big)) >> i % width & 1;
}

static void read_features(struct perf_file *f, u64 at, const u8 *bits)
{
	/* a bitmap of longs: every file has the feature HOSTNAME, which shows their width */
	unsigned int width = feature_bit(bits, PERF_FEAT_HOSTNAME, f->big, 64) ? 64 : 32;
	struct span table = section_at(f, at, f->map.size - min_t(u64, at, f->map.size));
	struct bytes b = bytes_of(table.s, table.n, f->big);

	for (unsigned int i = 0; i < PERF_FEATS; i++) {
		if (!feature_bit(bits, i, f->big, width))
			continue;
		if (bytes_left(&b) < 16) {
			f->cut = true;
			return;
		}
		f->feat[i] = section(f, &b);
	}
}

struct span perf_kernel_name(const struct perf_event *ev, size_t at)
{
	enum { KERNEL = 1, MODE = 7 };
	const char *name = (const char *)ev->body + at;

	if (ev->len <= at || (ev->misc & MODE) != KERNEL)
		return (struct span){ NULL, 0 };
	return (struct span){ name, strnlen(name, ev->len - at) };
}

/* s32 pid, 24 bytes for the id (the 21st may be its size), name */
void perf_file_build_id(struct perf_file *f, const struct perf_event *ev)
{
	enum { ID_AT = 4, NAME_AT = 28, ID_SIZE = 20, HAS_SIZE = 1 << 15 };

	if (f->build_id_len || !span_starts(perf_kernel_name(ev, NAME_AT), "[kernel"))
		return;
	memcpy(f->build_id, ev->body + ID_AT, ID_SIZE);
	f->build_id_len = ID_SIZE;
	if (ev->misc & HAS_SIZE && ev->body[ID_AT + ID_SIZE] && ev->body[ID_AT + ID_SIZE] < ID_SIZE)
		f->build_id_len = ev->body[ID_AT + ID_SIZE];
}

/* EVENT_DESC contains the names of the events, in the order of the attributes. */
static void read_names(struct perf_file *f)
{
	struct span desc = f->feat[PERF_FEAT_EVENT_DESC];
	struct bytes b = bytes_of(desc.s, desc.n, f->big);
	u32 n, attr_size;

	if (!desc.s)
		return;
	n = bytes_u32(&b);
	attr_size = bytes_u32(&b);
	for (u32 i = 0; i < n && i < f->attrs.n && !b.bad; i++) {
		struct span name;
		u32 n_ids;

		bytes_take(&b, attr_size);
		n_ids = bytes_u32(&b);
		name = read_string(&b);
		bytes_take(&b, (u64)n_ids * 8);
		if (!b.bad)
			f->attrs.v[i].name = name;
	}
}

/*
 * Kernel-wide numbering of events makes the ids of a file dense in most cases: index them directly.
 */
static int index_ids(struct perf_file *f)
{
	u64 n;

	if (!f->ids.n)
		return 0;
	qsort(f->ids.v, f->ids.n, sizeof(*f->ids.v), cmp_id);
	f->low_id = f->ids.v[0].id;
	n = f->ids.v[f->ids.n - 1].id - f->low_id;
	if (n > 1024 + 16 * (u64)f->ids.n)
		return 0;
	n++;
	f->by_id = calloc(n, sizeof(struct perf_attr *));
	if (!f->by_id)
		return HIST_NOMEM;
	f->n_by_id = n;
	for (size_t i = f->ids.n; i-- > 0;)
		f->by_id[f->ids.v[i].id - f->low_id] = &f->attrs.v[f->ids.v[i].attr];
	f->quick = !f->big && f->attrs.v[0].id_at >= 0;
	return 0;
}

int perf_file_complete(struct perf_file *f)
{
	struct span list = f->feat[PERF_FEAT_BUILD_ID];
	struct bytes b = bytes_of(list.s, list.n, f->big);
	struct perf_event ev;
	int err = index_ids(f);

	if (err)
		return err;
	read_names(f);
	/* the kernel's build id, in the records that perf writes at the end */
	while (list.s && !perf_event_next(&b, &ev))
		perf_file_build_id(f, &ev);
	return 0;
}

/* --- records of pipe mode --- */

static int describe_attr(struct perf_file *f, const struct perf_event *ev)
{
	u32 size = ev->len >= 8 ? load_u32(ev->body + 4, f->big) : 0;
	int err;

	if (size < ATTR_MIN || size > ev->len)
		size = (u32)min_t(size_t, ev->len, ATTR_MIN);
	err = read_attr(f, (struct span){ (const char *)ev->body, size });
	return err ?: read_ids(f, (struct span){ (const char *)ev->body + size, ev->len - size });
}

int perf_file_describe(struct perf_file *f, const struct perf_event *ev)
{
	u64 feat;
	int err;

	switch (ev->type) {
	case PERF_HEADER_ATTR:
		err = describe_attr(f, ev);
		return err == -HIST_EFORMAT ? 0 : err;
	case PERF_HEADER_TRACING_DATA:
		f->feat[PERF_FEAT_TRACING_DATA] =
			(struct span){ (const char *)ev->more, ev->more_len };
		break;
	case PERF_HEADER_FEATURE:
		feat = ev->len >= 8 ? load_u64(ev->body, f->big) : PERF_FEATS;
		if (feat < PERF_FEATS)
			f->feat[feat] = (struct span){ (const char *)ev->body + 8, ev->len - 8 };
		break;
	}
	return 0;
}

/* --- the whole file --- */

static int add_run(struct perf_file *f, struct perf_run *run)
{
	if (!array_push(&f->runs, *run))
		return 0;
	mapped_close(&run->map);
	return HIST_NOMEM;
}

int perf_file_add_run(struct perf_file *f, const char *path, struct diags *diags)
{
	struct perf_run run = { .data = { NULL, 0 } };
	int err = mapped_open_path(&run.map, path, path, diags);

	run.data = (struct span){ (const char *)run.map.p, run.map.size };
	return err ?: add_run(f, &run);
}

int perf_file_read(struct perf_file *f, struct diags *diags)
{
	struct bytes b = bytes_of(f->map.p, f->map.size, false);
	struct perf_run run = { .data = { NULL, 0 } };
	u64 size, entry, data_at, data_size;
	struct span attrs;
	static const u8 none[PERF_FEATS / 8];
	const u8 *bits;

	if (f->map.size < PIPE_HEADER)
		return diags_error(diags, -HIST_EFORMAT, "%s: truncated within its header",
				   f->name);

	bytes_take(&b, 8);
	f->big = !memcmp(f->map.p, "2ELIFREP", 8) ||
		 (!memcmp(f->map.p, old_magic, 8) && load_u64(b.p, false) > MAX_HEADER);
	b.big = f->big;
	size = bytes_u64(&b);
	if (size == PIPE_HEADER) {
		f->pipe = true;
		run.data = (struct span){ (const char *)b.p, bytes_left(&b) };
		return add_run(f, &run);
	}
	if (f->map.size < min_t(u64, size, FILE_HEADER))
		return diags_error(diags, -HIST_EFORMAT, "%s: truncated within its header",
				   f->name);
	if ((size < FILE_HEADER && size != OLD_HEADER) || size > MAX_HEADER)
		return diags_error(diags, -HIST_EFORMAT,
				   "%s: damaged: a header of %llu bytes is impossible", f->name,
				   size);
	entry = bytes_u64(&b);
	attrs = section(f, &b);
	data_at = bytes_u64(&b);
	data_size = bytes_u64(&b);
	bytes_take(&b, 16);
	bits = size < FILE_HEADER ? none : bytes_take(&b, PERF_FEATS / 8);
	f->no_features = !data_size; /* perf was killed: the records extend to the end */
	if (f->no_features)
		data_size = f->map.size - min_t(u64, data_at, f->map.size);
	run.data = section_at(f, data_at, data_size);
	if (add_run(f, &run))
		return HIST_NOMEM;
	if (!f->no_features && !__builtin_add_overflow(data_at, data_size, &data_at))
		read_features(f, data_at, bits);
	return read_attrs(f, attrs, entry, diags);
}

void perf_file_release(struct perf_file *f)
{
	for (size_t i = 0; i < f->runs.n; i++) {
		mapped_close(&f->runs.v[i].map);
		mapped_close(&f->runs.v[i].unpacked);
	}
	array_release(&f->runs);
	array_release(&f->attrs);
	array_release(&f->ids);
	free(f->by_id);
	arena_release(&f->arena);
	mapped_close(&f->map);
}
