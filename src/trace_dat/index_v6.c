// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Version 6: blocks in a fixed order without tags, options, then for each buffer a table with the
 * extents of its CPUs. The scan stores offsets and copies nothing.
 *
 * Corresponds to: trace-cmd.dat.v6(5), and the actual files of trace-cmd 1 to 3.
 */
#include "trace_dat/internal.h"
#include "trace_dat/kernel_text.h"

enum { TAG_SIZE = 10, CPU_ENTRY = 16, MAX_CLOCK_TEXT = 4096, OPTION_END = 0 };

static const char tag_options[TAG_SIZE] = "options  ";
static const char tag_latency[TAG_SIZE] = "latency  ";
static const char tag_flyrecord[TAG_SIZE] = "flyrecord";

/* Skip @count blocks, each preceded by its size. */
static void skip_texts(struct bytes *b, u64 count)
{
	for (; count && !b->bad; count--)
		bytes_take(b, bytes_u64(b));
}

static int scan_metadata(struct trace_dat *td, struct bytes *b, struct diags *diags)
{
	u32 n;

	for (unsigned int id = META_FIRST; id <= META_LAST; id++) {
		struct trace_dat_meta *m = trace_dat_meta(td, id);

		m->pos = trace_dat_pos(td, b);
		if (id == META_FIRST && bytes_left(b) >= 12 && memcmp(b->p, "header_page", 12))
			return trace_dat_corrupt(td, diags, m->pos, "header_page expected");
		switch (id) {
		case TRACE_DAT_HEADER_INFO:
			for (n = 2; n; n--) {
				bytes_str(b);
				skip_texts(b, 1);
			}
			break;
		case TRACE_DAT_FTRACE_EVENTS:
			skip_texts(b, bytes_u32(b));
			break;
		case TRACE_DAT_EVENT_FORMATS:
			for (n = bytes_u32(b); n && !b->bad; n--) {
				bytes_str(b);
				skip_texts(b, bytes_u32(b));
			}
			break;
		case TRACE_DAT_CMDLINES:
			bytes_take(b, bytes_u64(b));
			break;
		default:
			bytes_take(b, bytes_u32(b));
			break;
		}
		if (b->bad)
			return trace_dat_too_short(td, diags, "the metadata");
		m->size = trace_dat_pos(td, b) - m->pos;
		m->found = true;
	}
	return 0;
}

/* The end of a CPU table with @count entries at @b, or NULL. */
static const u8 *table_end(const struct bytes *b, u64 count)
{
	return count <= bytes_left(b) / CPU_ENTRY ? b->p + count * CPU_ENTRY : NULL;
}

/* The text of the clock after a CPU table: u64 size, "[local] global ...". */
static struct span clock_text(const struct trace_dat *td, const u8 *at)
{
	struct bytes b = trace_dat_at(td, (u64)(at - td->map));
	u64 n = bytes_u64(&b);
	const u8 *text = n && n <= MAX_CLOCK_TEXT ? bytes_take(&b, n) : NULL;
	struct span clock = { (const char *)text, text ? n : 0 };

	return clock_selected(clock);
}

/*
 * Number of entries of a CPU table. It should be the CPU count before the options; but libtracecmd
 * uses a CPUCOUNT option if there is one, so its writers may use that, too. The correct number is
 * the one after which the text of the clock follows; old files have no such text.
 */
static u64 table_count(const struct trace_dat *td, const struct bytes *b, u32 count)
{
	const u8 *end = table_end(b, count);

	if (end && clock_text(td, end).s)
		return count;
	for (size_t i = td->options.n; i--;) {
		const struct trace_dat_option *o = &td->options.v[i];
		u64 other;

		if (o->id != TRACE_DAT_CPUCOUNT || o->size < 4)
			continue;
		other = load_u32(o->data, td->info.big_endian);
		end = table_end(b, other);
		if (end && clock_text(td, end).s)
			return other;
	}
	return count;
}

static int read_table(struct trace_dat *td, struct bytes b, struct trace_dat_buffer *buf, u32 count,
		      struct diags *diags)
{
	u64 n = table_count(td, &b, count);
	const u8 *end = table_end(&b, n);
	scoped(free_scoped) ARRAY(struct trace_dat_cpu) cpus = ARRAY_INIT;
	struct span clock;
	int err = 0;

	if (!end && n > MAX_CPUS)
		return trace_dat_corrupt(td, diags, trace_dat_pos(td, &b), "%llu CPUs", n);
	if (!end)
		return trace_dat_too_short(td, diags, "the table of CPUs");
	for (u64 i = 0; i < n && !err; i++) {
		struct trace_dat_cpu c = { .cpu = (u32)i };

		c.offset = bytes_u64(&b);
		c.size = bytes_u64(&b);
		if (c.size)
			err = array_push(&cpus, c);
	}
	clock = clock_text(td, end);
	buf->clock = clock.s ? arena_strndup(&td->arena, clock.s, clock.n) : NULL;
	if (clock.s && !buf->clock)
		err = HIST_NOMEM;
	err = err ?: trace_dat_buffer_add(td, buf, cpus.v, cpus.n, diags);
	td->info.cpu_count = max_t(u32, td->info.cpu_count, min_t(u64, n, MAX_CPUS));
	return err;
}

static int read_options(struct trace_dat *td, struct bytes *b, struct diags *diags)
{
	for (;;) {
		u16 id = bytes_u16(b);
		u32 size;
		const u8 *data;
		int err;

		if (b->bad || id == OPTION_END)
			return 0;
		size = bytes_u32(b);
		data = bytes_take(b, size);
		if (b->bad)
			return 0;
		err = trace_dat_option_add(td, id, (struct span){ (const char *)data, size },
					   diags);
		if (err)
			return err;
	}
}

/* Skip the parts that an instance repeats, except options, up to the table after "flyrecord". */
static bool find_table(struct bytes *b)
{
	const u8 *tag = bytes_take(b, TAG_SIZE);

	if (tag && !memcmp(tag, tag_options, TAG_SIZE)) {
		while (bytes_u16(b) != OPTION_END && !b->bad)
			bytes_take(b, bytes_u32(b));
		tag = bytes_take(b, TAG_SIZE);
	}
	return tag && !memcmp(tag, tag_flyrecord, TAG_SIZE);
}

static int read_instance(struct trace_dat *td, const struct trace_dat_option *o, u32 count,
			 struct diags *diags)
{
	struct bytes data = bytes_of(o->data, o->size, td->info.big_endian);
	u64 pos = (u64)(o->data - td->map);
	u64 offset = bytes_u64(&data);
	struct trace_dat_buffer buf = {
		.name = bytes_str(&data),
		.subbuf_size = td->buffers.v[0].subbuf_size,
	};
	struct bytes b = trace_dat_at(td, offset);
	bool found;

	if (!buf.name)
		return trace_dat_corrupt(td, diags, pos, "an instance without a name");
	found = find_table(&b);
	if (!found && __builtin_bswap64(offset) < td->info.file_size) {
		/* trace-cmd 3.1 writes this offset in the byte order of its own machine */
		b = trace_dat_at(td, __builtin_bswap64(offset));
		found = find_table(&b);
	}
	if (found)
		return read_table(td, b, &buf, count, diags);
	if (offset < td->info.file_size && !b.bad)
		return trace_dat_corrupt(td, diags, offset, "the table of instance %s is not here",
					 buf.name);
	td->info.cut = true;
	diags_add(diags, DIAG_WARNING, "%s: truncated: instance %s is missing", td->info.path,
		  buf.name);
	return trace_dat_buffer_add(td, &buf, NULL, 0, diags);
}

int trace_dat_index_v6(struct trace_dat *td, struct bytes b, struct diags *diags)
{
	struct trace_dat_buffer top = { .name = "" };
	const u8 *tag;
	u32 count;
	int err = scan_metadata(td, &b, diags);

	err = err ?: trace_dat_header_info(td, diags);
	if (err)
		return err;
	count = bytes_u32(&b);
	tag = bytes_take(&b, TAG_SIZE);
	if (tag && !memcmp(tag, tag_options, TAG_SIZE)) {
		err = read_options(td, &b, diags);
		if (err)
			return err;
		tag = bytes_take(&b, TAG_SIZE);
	}
	if (!tag)
		return trace_dat_too_short(td, diags, "the options");
	if (!memcmp(tag, tag_latency, TAG_SIZE))
		return diags_error(
			diags, -HIST_EUNSUPPORTED,
			"%s: contains the text of a latency tracer and no records; trace-cmd report shows it",
			td->info.path);
	if (memcmp(tag, tag_flyrecord, TAG_SIZE))
		return trace_dat_corrupt(td, diags, trace_dat_pos(td, &b) - TAG_SIZE,
					 "neither options nor records follow the metadata");
	top.subbuf_size = td->header_subbuf;
	err = read_table(td, b, &top, count, diags);
	if (err)
		return err;
	td->clock_text = td->buffers.v[0].clock;
	trace_dat_option_clock(td);
	for (size_t i = 0; i < td->options.n && !err; i++)
		if (td->options.v[i].id == TRACE_DAT_BUFFER)
			err = read_instance(td, &td->options.v[i], count, diags);
	return err;
}
