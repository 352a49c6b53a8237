// SPDX-License-Identifier: LGPL-2.1-only
/* Reads a stream section by section, and replays its sub-buffers. */
#include <sys/mman.h>

#include "live/follow.h"
#include "tracefs/tracefs.h"

enum { SECTION = 16, LOOK_US = 100000 };

/* Of the beginning, of a section of options, and of the sub-buffers that wait for their turn. */
#define BEGIN_MAX   (1ull << 30)
#define OPTIONS_MAX (16ull << 20)
#define QUEUE_MAX   (256ull << 20)

struct follow_page {
	struct follow_page *next;
	u64 data[]; /* a sub-buffer */
};

struct follow_cpu {
	struct follow_page *head, **tail, *current;
	u64 quiet; /* the merge knows that there is nothing before this time */
};

struct follow {
	const struct follow_options *options;
	struct hist *h;
	struct replay_feed feed;
	struct ring_buffer_layout layout;
	struct follow_cpu *cpus;
	u32 *numbers;
	u64 pos;      /* in the stream */
	u64 queued;   /* bytes */
	u64 complete; /* no record before this time is missing */
	u64 next;     /* CLOCK_MONOTONIC: of the next answer */
	u64 counted;  /* ->complete of the last one */
	bool grows, big, ended, cut;
	int err;             /* of reading */
	struct names *names; /* of the replay; NULL: not asked */
	struct diags *diags;
};

/* --- reading --- */

static int follow_damaged(struct follow *f, const char *what)
{
	return diags_error(f->diags, -HIST_EFORMAT, "%s: damaged at offset %llu: %s",
			   f->options->name, f->pos, what);
}

/* Exactly @n bytes: 0, 1 if the stream ends before them, < 0 */
static int read_all(struct follow *f, void *to, size_t n)
{
	char *at = to;

	while (n && !*f->options->stop) {
		ssize_t got = read(f->options->fd, at, n);

		if (got < 0 && errno != EINTR && errno != EAGAIN)
			return diags_error(f->diags, -HIST_EIO, "%s: %s", f->options->name,
					   strerror(errno));
		if (!got && !f->grows)
			return 1;
		if (got <= 0)
			usleep(LOOK_US);
		if (got > 0) {
			at += got;
			n -= (size_t)got;
			f->pos += (u64)got;
		}
	}
	return n ? 1 : 0;
}

/* Append @n bytes to @sb. */
static int read_more(struct follow *f, struct strbuf *sb, u64 n)
{
	int err;

	/* an announced size is not allocated before the bytes come */
	while (n) {
		char piece[1 << 14];
		size_t part = min_t(u64, n, sizeof(piece));

		err = read_all(f, piece, part);
		if (err)
			return err;
		strbuf_add(sb, piece, part);
		if (sb->failed)
			return HIST_NOMEM;
		n -= part;
	}
	return 0;
}

struct follow_section {
	u16 id;
	u64 size;
};

static int read_section(struct follow *f, struct strbuf *sb, struct follow_section *s)
{
	size_t at = sb->len;
	int err = read_more(f, sb, SECTION);

	if (err)
		return err;
	s->id = load_u16(sb->s + at, f->big);
	s->size = load_u64(sb->s + at + 8, f->big);
	return 0;
}

/* --- the beginning --- */

/* The offset of DONE's value in the options that end at the end of @sb; 0: it is not there. */
static u64 find_done(const struct strbuf *sb, u64 body, bool big)
{
	struct bytes b = bytes_of((const u8 *)sb->s + body, sb->len - body, big);

	for (;;) {
		u16 id = bytes_u16(&b);
		u32 n = bytes_u32(&b);

		if (b.bad || (id == TRACE_DAT_DONE && (n < 8 || bytes_left(&b) < 8)))
			return 0;
		if (id == TRACE_DAT_DONE)
			return (u64)(b.p - (const u8 *)sb->s);
		bytes_take(&b, n);
	}
}

/* A text and its NUL. */
static int read_text(struct follow *f, struct strbuf *sb)
{
	int err;

	for (int i = 0; i < 64; i++) {
		err = read_more(f, sb, 1);
		if (err || !sb->s[sb->len - 1])
			return err;
	}
	return follow_damaged(f, "this is not a trace.dat");
}

/* All sections up to the strings; then the chain of options ends, instead of going on. */
static int read_begin(struct follow *f, struct strbuf *sb)
{
	static const u8 magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g', '7', 0 };
	struct follow_section s = { .id = 0 };
	u64 link = 0;
	int err = read_more(f, sb, sizeof(magic));

	if (!err && memcmp(sb->s, magic, sizeof(magic)) != 0)
		return diags_error(
			f->diags, -HIST_ENOTTRACE,
			"%s: is not a stream of hist record -o -: --follow takes nothing else",
			f->options->name);
	err = err ?: read_more(f, sb, 6);
	f->big = !err && sb->s[sizeof(magic)] == 1;
	err = err ?: read_text(f, sb) ?: read_text(f, sb) ?: read_more(f, sb, 8);
	while (!err && s.id != TRACE_DAT_STRINGS) {
		u64 body;

		err = read_section(f, sb, &s);
		body = sb->len;
		if (!err && (s.size > BEGIN_MAX || sb->len > BEGIN_MAX))
			err = follow_damaged(f, "the beginning of the stream is too long");
		err = err ?: read_more(f, sb, s.size);
		if (!err && s.id == TRACE_DAT_DONE)
			link = find_done(sb, body, f->big);
	}
	if (!err && (!link || load_u64(sb->s + link, f->big) != sb->len))
		return diags_error(
			f->diags, -HIST_ENOTTRACE,
			"%s: is an ordinary trace.dat, not a stream of hist record -o -: report it without --follow",
			f->options->name);
	if (!err)
		memset(sb->s + link, 0, 8);
	if (err == 1)
		return diags_error(f->diags, -HIST_EFORMAT, "%s: ends in its beginning",
				   f->options->name);
	return err;
}

int follow_open(const struct follow_options *options, struct follow **out, int *machine,
		struct diags *diags)
{
	struct follow *f = calloc(1, sizeof(*f));
	scoped(strbuf_release) struct strbuf begin = STRBUF_INIT;
	struct stat st;
	int err;

	*out = f;
	*machine = -1;
	if (!f)
		return HIST_NOMEM;
	f->options = options;
	f->diags = diags;
	f->grows = !fstat(options->fd, &st) && S_ISREG(st.st_mode);
	err = read_begin(f, &begin);
	if (!err) {
		*machine = memfd_create("hist-follow", MFD_CLOEXEC);
		if (*machine < 0 || !fd_write(*machine, begin.s, begin.len))
			err = diags_error(diags, -HIST_EIO, "%s: cannot copy its beginning: %s",
					  options->name, strerror(errno));
	}
	return err;
}

/* --- batches --- */

static int queue_page(struct follow *f, struct follow_cpu *c)
{
	struct follow_page *page = malloc(sizeof(*page) + f->layout.subbuf_size);
	struct ring_buffer_page open;
	int err = page ? read_all(f, page->data, f->layout.subbuf_size) : HIST_NOMEM;
	u64 stamp;

	if (err) {
		free(page);
		return err;
	}
	page->next = NULL;
	*c->tail = page;
	c->tail = &page->next;
	f->queued += f->layout.subbuf_size;
	if (ring_buffer_page_open(&open, &f->layout, page->data, f->layout.subbuf_size))
		return 0;
	if (open.missed < 0)
		f->feed.lost_unknown = true;
	else
		f->feed.lost += (u64)open.missed;
	stamp = load_u64(page->data, f->layout.big_endian);
	f->feed.first = f->feed.first ? min_t(u64, f->feed.first, stamp) : stamp;
	return 0;
}

static int note_tasks(struct follow *f, struct span lines)
{
	return f->names ? recording_follow_tasks(f->names, f->numbers, f->feed.n_cpus, lines) : 0;
}

/* The sub-buffers that the option @data announces, which follow in one section. */
static int read_data(struct follow *f, struct span data)
{
	struct bytes b = bytes_of(data.s, data.n, f->big);
	scoped(strbuf_release) struct strbuf head = STRBUF_INIT;
	struct follow_section s;
	u32 subbuf, n;
	u64 left;
	int err;

	bytes_u64(&b);
	bytes_str(&b);
	bytes_str(&b);
	subbuf = bytes_u32(&b);
	n = bytes_u32(&b);
	if (b.bad || subbuf != f->layout.subbuf_size || n > bytes_left(&b) / 20)
		return follow_damaged(f, "the option of a buffer");
	err = read_section(f, &head, &s);
	if (err)
		return err;
	if (s.id != TRACE_DAT_BUFFER)
		return follow_damaged(f, "a section of records should be here");
	left = s.size;
	while (n-- && !err) {
		u32 cpu = bytes_u32(&b);
		u64 at = bytes_u64(&b), size = bytes_u64(&b);

		if (cpu >= f->feed.n_cpus || at != f->pos || size > left || size % subbuf)
			return follow_damaged(f, "the places of records are wrong");
		if (f->queued + size > QUEUE_MAX)
			return follow_damaged(f, "the CPUs are too far apart");
		left -= size;
		for (; size && !err; size -= subbuf)
			err = queue_page(f, &f->cpus[cpu]);
	}
	return err ? err : left ? follow_damaged(f, "records that no option names") : 0;
}

/* The last section is not needed, but its writer must not find a closed pipe. */
static int skip_last(struct follow *f)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct follow_section s;
	int err = read_section(f, &sb, &s);

	for (u64 n = err ? 0 : s.size, part; n && !err; n -= part) {
		part = min_t(u64, n, 1 << 16);
		strbuf_reset(&sb);
		err = read_more(f, &sb, part);
	}
	return err;
}

/* Read the next section of options, and what belongs to it: 0, 1 at the end, < 0 */
static int read_batch(struct follow *f)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct follow_section s;
	struct span buffer = { NULL, 0 };
	struct bytes b;
	u64 complete = 0, next = 0;
	bool last = false;
	u16 id = 1;
	int err = read_section(f, &sb, &s);

	if (!err && (s.id != TRACE_DAT_DONE || s.size > OPTIONS_MAX))
		err = follow_damaged(f, "a section of options should be here");
	err = err ?: read_more(f, &sb, s.size);
	b = err ? bytes_of("", 0, f->big)
		: bytes_of((const u8 *)sb.s + SECTION, sb.len - SECTION, f->big);
	while (!err && id != TRACE_DAT_DONE) {
		struct span data;

		id = bytes_u16(&b);
		data.n = bytes_u32(&b);
		data.s = (const char *)bytes_take(&b, data.n);
		if (b.bad || (id == TRACE_DAT_DONE && data.n < 8))
			err = follow_damaged(f, "the options run past their section");
		else if (id == TRACE_DAT_DONE)
			next = load_u64(data.s, f->big);
		else if (id == TRACE_DAT_BUFFER)
			buffer = data;
		else if (id == TRACE_DAT_CMDLINES)
			last = true;
		else if (id == TRACE_DAT_HIST_NAMES)
			err = note_tasks(f, data);
		else if (id == TRACE_DAT_HIST_TIME && data.n >= 8)
			complete = load_u64(data.s, f->big);
	}
	/* also without a journal of tasks */
	err = err ?: note_tasks(f, span_of(""));
	if (!err && buffer.s)
		err = read_data(f, buffer);
	if (!err && last && !next)
		err = skip_last(f);
	if (!err && next && next != f->pos)
		err = follow_damaged(f, "the chain of options does not go on here");
	f->complete = max_t(u64, f->complete, err ? 0 : complete);
	if (err > 0) {
		f->cut = true;
		diags_add(f->diags, DIAG_WARNING,
			  *f->options->stop
				  ? "%s: the answer is that of what came until now"
				  : "%s: truncated: the stream ended before the recording",
			  f->options->name);
	}
	return err ? err : !next;
}

/* --- the feed --- */

/* All records before ->complete were replayed. */
static int answer(struct follow *f)
{
	struct printer p = { .buf = STRBUF_INIT,
			     .sink = f->options->write,
			     .arg = f->options->arg };
	u64 now = monotonic_ns();
	int err;

	err = f->names ? names_forget_before(f->names, f->complete) : 0;
	f->feed.last = max_t(u64, f->feed.first, f->complete ? f->complete - 1 : 0);
	if (err || now < f->next || f->complete == f->counted)
		return err;
	f->next += f->options->interval * ((now - f->next) / f->options->interval + 1);
	f->counted = f->complete;
	err = f->options->begin(f->options->arg, false, f->feed.last - f->feed.first);
	err = err ?: output_refresh(f->h, &p);
	return printer_end(&p) ?: err;
}

/* The next batch, with the end if there is none. */
static int read_next(struct follow *f)
{
	int err = read_batch(f);

	if (err < 0)
		return err;
	f->ended = err;
	return f->ended && f->counted
		       ? f->options->begin(f->options->arg, true, f->feed.last - f->feed.first)
		       : 0;
}

/* The time of the last record of a sub-buffer. */
static u64 last_time(const struct follow *f, const struct follow_page *page)
{
	struct ring_buffer_page open;

	return ring_buffer_page_open(&open, &f->layout, page->data, f->layout.subbuf_size)
		       ? 0
		       : ring_buffer_page_times(&open).last;
}

/*
 * What belongs to the last record of a sub-buffer is in the next one, which was moved by the time
 * that no earlier record is missing.
 */
static const u8 *follow_ahead(void *arg, size_t i, u64 n)
{
	struct follow *f = arg;

	for (;;) {
		const struct follow_page *before = f->cpus[i].current, *page = f->cpus[i].head;

		for (u64 k = 1; page && k < n; k++) {
			before = page;
			page = page->next;
		}
		if (page)
			return (const u8 *)page->data;
		if (f->ended || f->err || f->complete > last_time(f, before))
			return NULL;
		f->err = read_next(f);
	}
}

static int follow_next(void *arg, size_t i, struct fed *fed)
{
	struct follow *f = arg;
	struct follow_cpu *c = &f->cpus[i];
	int err;

	free(c->current);
	c->current = NULL;
	for (;;) {
		if (c->head) {
			c->current = c->head;
			c->head = c->head->next;
			c->tail = c->head ? c->tail : &c->head;
			f->queued -= f->layout.subbuf_size;
			fed->page = (const u8 *)c->current->data;
			return FEED_PAGE;
		}
		if (f->err < 0)
			return f->err;
		if (f->ended)
			return FEED_END;
		if (c->quiet < f->complete) {
			fed->ts = c->quiet = f->complete;
			return FEED_QUIET;
		}
		err = answer(f);
		f->err = err ?: read_next(f);
	}
}

static int follow_names(void *arg, struct names *names, bool who, struct diags *diags)
{
	struct follow *f = arg;

	(void)who, (void)diags;
	f->names = names;
	return 0;
}

int follow_attach(struct follow *f, struct hist *h, struct diags *diags)
{
	const struct trace_dat_info *info = h->recordings.files.v[0].info;
	const size_t n = info->cpu_count;

	f->h = h;
	f->diags = diags;
	f->layout =
		(struct ring_buffer_layout){ info->big_endian, info->long_size, info->page_size };
	f->cpus = calloc(n + 1, sizeof(*f->cpus));
	f->numbers = calloc(n + 1, sizeof(*f->numbers));
	if (!f->cpus || !f->numbers)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++) {
		f->cpus[i].tail = &f->cpus[i].head;
		f->numbers[i] = (u32)i;
	}
	f->feed = (struct replay_feed){ .arg = f,
					.cpus = f->numbers,
					.n_cpus = n,
					.subbuf_size = info->page_size,
					.live = true,
					.next = follow_next,
					.ahead = follow_ahead,
					.follow = follow_names };
	h->feed = &f->feed;
	f->next = monotonic_ns() + f->options->interval;
	return 0;
}

bool follow_was_cut(const struct follow *f)
{
	return f && f->cut;
}

void follow_close(struct follow *f)
{
	if (!f)
		return;
	for (size_t i = 0; f->cpus && i < f->feed.n_cpus; i++) {
		free(f->cpus[i].current);
		while (f->cpus[i].head) {
			struct follow_page *page = f->cpus[i].head;

			f->cpus[i].head = page->next;
			free(page);
		}
	}
	free(f->cpus);
	free(f->numbers);
	free(f);
}
