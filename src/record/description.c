// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes the metadata of a trace.dat from the blocks of a manifest, which a killed recording may
 * have left damaged: no text is trusted. The writer stores its first error, which all later calls
 * return.
 */
#include <sys/random.h>

#include "record/description.h"

static const char *string_of(struct description *m, struct span text)
{
	return arena_strndup(&m->arena, text.s ? text.s : "", text.n);
}

int description_parse(struct description *m, struct span text)
{
	const u64 subbuf = block_number(text, "subbuf", 0), cpus = block_number(text, "cpus", 0);
	const u16 one = 1;

	*m = (struct description){ .text = text,
				   .ring = block_number(text, "max", 0),
				   .kept = block_number(text, "kept", 0),
				   .rotated = block_number(text, "kept", 0) == 2,
				   .arena = ARENA_INIT };
	if (!block_find(text, "ready").s || subbuf < 64 || subbuf > 1u << 28 || !cpus ||
	    cpus > 1u << 20)
		return -HIST_EFORMAT;
	m->instance = string_of(m, block_find(text, "buffer"));
	m->machine = (struct trace_dat_machine){
		.version = 7,
		.codec = (enum codec)block_number(text, "codec", CODEC_ZSTD),
		.big_endian = load_u16(&one, false) != 1,
		.long_size = (u32)block_number(text, "long", sizeof(long)),
		.page_size = (u32)subbuf,
		.cpu_count = (u32)cpus,
		.header_page = block_find(text, "header_page"),
		.header_event = block_find(text, "header_event"),
		.clock = string_of(m, block_find(text, "clock")),
		.clocks = block_find(text, "clocks"),
	};
	return m->instance && m->machine.clock ? 0 : HIST_NOMEM;
}

void description_release(struct description *m)
{
	arena_release(&m->arena);
}

struct span description_of_cpu(const struct description *m, const char *word, u32 cpu)
{
	char key[24];

	snprintf(key, sizeof(key), "%s %u", word, cpu);
	return block_find(m->text, key);
}

u64 description_cuts(struct span manifest, struct manifest_block *last)
{
	struct manifest_block block;
	u64 n = 0;

	while (block_next(&manifest, &block))
		if (block_arg(&block, "cut").n) {
			*last = block;
			n++;
		}
	return n;
}

/* Write @text as an option that ends in NUL; an empty one is left out. */
static int write_option(struct description *m, struct trace_dat_writer *w, u16 id, struct span text)
{
	/* a text ends at its first NUL, which may be anywhere in a damaged manifest */
	const char *copy = string_of(m, text);

	if (!copy)
		return HIST_NOMEM;
	return text.n ? trace_dat_writer_option(w, id, copy, (u32)strlen(copy) + 1) : 0;
}

/* Formats, and output of the kernel as PATH NUL TEXT NUL. */
static int write_blocks(struct description *m, struct trace_dat_writer *w)
{
	struct span rest = m->text;
	scoped(strbuf_release) struct strbuf live = STRBUF_INIT;
	struct manifest_block block;
	int err = 0;

	while (!err && block_next(&rest, &block)) {
		struct span system = block_arg(&block, "format"), path = block_arg(&block, "live");
		const char *name = string_of(m, system);

		if (!name)
			err = HIST_NOMEM;
		else if (system.n)
			err = trace_dat_writer_format(w, name, block.data);
		if (err || !path.n)
			continue;
		strbuf_reset(&live);
		strbuf_add(&live, path.s, path.n);
		strbuf_add(&live, "", 1);
		strbuf_add(&live, block.data.s, block.data.n);
		strbuf_add(&live, "", 1);
		err = live.failed ? HIST_NOMEM
				  : trace_dat_writer_option(w, TRACE_DAT_HIST_LIVE, live.s,
							    (u32)live.len);
	}
	return err;
}

/* One option per CPU, after a line that names the instance, in trace-cmd's format. */
static int write_stats(struct description *m, struct trace_dat_writer *w)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	int err = 0;

	if (*m->instance) {
		strbuf_addf(&sb, "\nBuffer: %s\n\n", m->instance);
		err = trace_dat_writer_text(w, TRACE_DAT_CPUSTAT, &sb);
	}
	for (u32 cpu = 0; !err && cpu < m->machine.cpu_count; cpu++) {
		struct span text = description_of_cpu(m, "stats", cpu);

		if (!text.s)
			continue;
		strbuf_reset(&sb);
		strbuf_addf(&sb, "CPU: %u\n%.*s", cpu, (int)text.n, text.s);
		err = trace_dat_writer_text(w, TRACE_DAT_CPUSTAT, &sb);
	}
	return err;
}

int description_write(struct description *m, struct trace_dat_writer *w)
{
	static const struct {
		enum trace_dat_option_id id;
		const char *key;
		bool section;
	} texts[] = {
		{ TRACE_DAT_KALLSYMS, "kallsyms", true },
		{ TRACE_DAT_PRINTK, "printk", true },
		{ TRACE_DAT_CMDLINES, "cmdlines", true },
		{ TRACE_DAT_UNAME, "uname", false },
		{ TRACE_DAT_VERSION, "version", false },
		{ TRACE_DAT_HIST_SCRIPT, "script", false },
		{ TRACE_DAT_HIST_MARKS, "marks", false },
		{ TRACE_DAT_HIST_WALL, "wall", false },
	};
	struct span limits = block_find(m->text, "limits"),
		    stopped = block_find(m->text, "stopped"), lacks = block_find(m->text, "lacks");
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	u64 id;
	int err = write_blocks(m, w);

	for (size_t i = 0; !err && i < ARRAY_SIZE(texts); i++) {
		struct span text = block_find(m->text, texts[i].key);

		if (!texts[i].section)
			err = write_option(m, w, texts[i].id, text);
		else if (text.n)
			err = trace_dat_writer_section(w, texts[i].id, text);
	}
	if (!err && getrandom(&id, sizeof(id), 0) == sizeof(id))
		err = trace_dat_writer_option(w, TRACE_DAT_TRACEID, &id, sizeof(id));
	err = err ?: write_stats(m, w);
	strbuf_addf(&sb, "%.*s", (int)limits.n, limits.s ? limits.s : "");
	if (stopped.s)
		strbuf_addf(&sb, "stopped %.*s\n", (int)stopped.n, stopped.s);
	if (lacks.s)
		strbuf_addf(&sb, "%.*s", (int)lacks.n, lacks.s);
	return err ?: trace_dat_writer_text(w, TRACE_DAT_HIST_LIMITS, &sb);
}
