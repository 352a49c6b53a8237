// SPDX-License-Identifier: LGPL-2.1-only
/* Writes a stream (stream_out.h): the size of a batch is known when it begins, so nothing is
 * patched.
 */
#include "trace_dat/internal.h"
#include "trace_dat/stream_out.h"

enum { OPTION_HEAD = 6, BEGIN_MAX = 1 << 30 };

static void add_int(const struct trace_dat_stream *s, struct strbuf *sb, u64 v, size_t size)
{
	char bytes[8];

	if (size == 2)
		store_u16(bytes, (u16)v, s->big_endian);
	else if (size == 4)
		store_u32(bytes, (u32)v, s->big_endian);
	else
		store_u64(bytes, v, s->big_endian);
	strbuf_add(sb, bytes, size);
}

static int write_out(struct trace_dat_stream *s, const void *data, size_t n)
{
	int err = s->write(s->arg, data, n);

	s->pos += n;
	return err;
}

void trace_dat_stream_option(const struct trace_dat_stream *s, struct strbuf *options, u16 id,
			     struct span data)
{
	add_int(s, options, id, 2);
	add_int(s, options, data.n, 4);
	strbuf_add(options, data.s, data.n);
}

static void add_section(const struct trace_dat_stream *s, struct strbuf *sb, u16 id, u64 size)
{
	add_int(s, sb, id, 2);
	add_int(s, sb, 0, 2);
	add_int(s, sb, 0, 4);
	add_int(s, sb, size, 8);
}

/* Write @head, and the options as a section; the chain goes on at @next, 0: it ends. */
static int write_options(struct trace_dat_stream *s, struct strbuf *head, struct strbuf *options,
			 u64 next)
{
	char link[8];
	int err;

	store_u64(link, next, s->big_endian);
	trace_dat_stream_option(s, options, TRACE_DAT_DONE, (struct span){ link, sizeof(link) });
	add_section(s, head, TRACE_DAT_DONE, options->len);
	strbuf_add(head, options->s, options->len);
	err = head->failed || options->failed ? HIST_NOMEM : write_out(s, head->s, head->len);
	return err;
}

/* The place of the link of the last section of options; 0: there is none. */
static u64 find_link(const u8 *file, size_t size, bool big)
{
	struct bytes b = bytes_of(file, size, big);
	u64 at, link = 0;

	/* magic, version, byte order, size of a long, of a page, codec and its version */
	bytes_take(&b, 10);
	bytes_str(&b);
	bytes_take(&b, 6);
	bytes_str(&b);
	bytes_str(&b);
	for (at = bytes_u64(&b); at && at < size && at > link && !b.bad;) {
		b = bytes_of(file + at, size - at, big);
		bytes_take(&b, SECTION_HEADER_SIZE);
		for (;;) {
			u16 id = bytes_u16(&b);
			u32 n = bytes_u32(&b);

			if (b.bad || (id == TRACE_DAT_DONE && n < 8))
				return 0;
			if (id == TRACE_DAT_DONE)
				break;
			bytes_take(&b, n);
		}
		link = (u64)(b.p - file);
		at = bytes_u64(&b);
	}
	return b.bad || at ? 0 : link;
}

int trace_dat_stream_begin(struct trace_dat_stream *s, int fd)
{
	scoped(strbuf_release) struct strbuf file = STRBUF_INIT;
	u64 link, end;
	int err = 0;

	if (lseek(fd, 0, SEEK_SET) || !fd_append_all(fd, &file, BEGIN_MAX))
		err = errno == ENOMEM ? HIST_NOMEM : -HIST_EIO;
	link = err ? 0 : find_link((const u8 *)file.s, file.len, s->big_endian);
	end = file.len;
	if (!err && (file.failed || !link))
		err = file.failed ? HIST_NOMEM : -HIST_EFORMAT;
	if (!err) {
		store_u64(file.s + link, end, s->big_endian);
		err = write_out(s, file.s, file.len);
	}
	return err;
}

int trace_dat_stream_batch(struct trace_dat_stream *s, struct strbuf *options,
			   const struct trace_dat_part *parts, size_t n)
{
	scoped(strbuf_release) struct strbuf data = STRBUF_INIT, head = STRBUF_INIT;
	const size_t name = strlen(s->name) + 1, clock = strlen(s->clock) + 1;
	/* the size of the option, of the section with it and the end, and of what fills up to 8 */
	size_t used = 0, option;
	u64 fixed = options->len + OPTION_HEAD + 8, pad, at, size = 0;
	int err;

	for (size_t i = 0; i < n; i++) {
		used += parts[i].size != 0;
		size += parts[i].size;
	}
	option = 8 + name + clock + 8 + used * 20;
	fixed += size ? OPTION_HEAD + option : 0;
	pad = -(s->pos + SECTION_HEADER_SIZE + fixed) % 8;
	if (pad && pad < OPTION_HEAD)
		pad += 8;
	at = s->pos + SECTION_HEADER_SIZE + fixed + pad;
	if (size) {
		u64 part = at + SECTION_HEADER_SIZE;

		add_int(s, &data, at, 8);
		strbuf_add(&data, s->name, name);
		strbuf_add(&data, s->clock, clock);
		add_int(s, &data, s->subbuf, 4);
		add_int(s, &data, used, 4);
		for (size_t i = 0; i < n; i++) {
			if (!parts[i].size)
				continue;
			add_int(s, &data, parts[i].cpu, 4);
			add_int(s, &data, part, 8);
			add_int(s, &data, parts[i].size, 8);
			part += parts[i].size;
		}
		trace_dat_stream_option(s, options, TRACE_DAT_BUFFER,
					(struct span){ data.s, data.len });
	}
	if (pad)
		trace_dat_stream_option(s, options, TRACE_DAT_HIST_STREAM,
					(struct span){ "\0\0\0\0\0\0\0", pad - OPTION_HEAD });
	err = data.failed ? HIST_NOMEM
			  : write_options(s, &head, options,
					  size ? at + SECTION_HEADER_SIZE + size : at);
	strbuf_reset(&head);
	if (size)
		add_section(s, &head, TRACE_DAT_BUFFER, size);
	if (!err && size)
		err = head.failed ? HIST_NOMEM : write_out(s, head.s, head.len);
	return err;
}

int trace_dat_stream_end(struct trace_dat_stream *s, struct strbuf *options, struct span cmdlines)
{
	scoped(strbuf_release) struct strbuf head = STRBUF_INIT, first = STRBUF_INIT,
					     all = STRBUF_INIT;
	char at[8];
	u64 size;
	int err;

	/* the chain goes on here: options that point to the section that follows them */
	size = OPTION_HEAD + 8 + options->len + OPTION_HEAD + 8;
	store_u64(at, s->pos + SECTION_HEADER_SIZE + size, s->big_endian);
	trace_dat_stream_option(s, &all, TRACE_DAT_CMDLINES, (struct span){ at, sizeof(at) });
	strbuf_add(&all, options->s, options->len);
	err = options->failed ? HIST_NOMEM : write_options(s, &head, &all, 0);
	add_section(s, &first, TRACE_DAT_CMDLINES, 8 + cmdlines.n);
	add_int(s, &first, cmdlines.n, 8);
	strbuf_add(&first, cmdlines.s ? cmdlines.s : "", cmdlines.n);
	if (!err)
		err = first.failed ? HIST_NOMEM : write_out(s, first.s, first.len);
	return err;
}
