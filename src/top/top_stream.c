// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The thread that writes tables to a pipe or file: text and ndjson one after the other, other
 * formats to a file that is replaced. A slow reader gets fewer of them, the latest ones.
 */
#include <time.h>

#include "top/top_state.h"

enum { ROWS = 20 };

/* --- files --- */

static int write_all(int fd, const struct strbuf *text)
{
	for (size_t done = 0; done < text->len;) {
		ssize_t n = write(fd, text->s + done, text->len - done);

		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* A file that gets one refresh after the other. -1 with errno */
static int open_file(const char *path)
{
	struct out_dest dest = OUT_DEST_INIT;
	int fd = -1;

	if (!out_dest_open(&dest, path, false, NULL))
		fd = dest.kind == OUT_FILE
			     ? openat(dest.dir, dest.name,
				      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666)
			     : out_dest_write(&dest);
	out_dest_close(&dest);
	return fd;
}

/* A reader finds the old file or the new one. -1 with errno */
static int replace_file(const char *path, const struct strbuf *text)
{
	struct new_file file = NEW_FILE_INIT;
	struct out_dest dest = OUT_DEST_INIT;
	int err = out_dest_open(&dest, path, false, NULL) ? -1 : 0;

	if (!err && dest.kind != OUT_FILE) {
		int fd = out_dest_write(&dest);

		err = fd < 0 ? -1 : write_all(fd, text);
		fd_close(fd);
	} else if (!err) {
		err = new_file_open(&file, &dest) ?: write_all(file.fd, text);
		/* the collector is another user */
		err = err ?: fchmod(file.fd, 0644);
		err = err ?: new_file_commit(&file);
		new_file_close(&file);
	}
	out_dest_close(&dest);
	return err;
}

/* --- tables --- */

static const struct format *format_of(struct top *t)
{
	return directory_of(t->counting.h)->output.format;
}

static int print_in_format(struct top *t, const struct format *format, struct top_rows *rows,
			   struct printer *p)
{
	const struct format_options *options = &directory_of(t->counting.h)->output.options;
	const struct row_choice choice = { .top = t->options->run.top,
					   .sort = t->options->run.sort_stats };
	struct result *chosen = NULL;
	int err = result_choose(rows->now.named, &choice, &chosen);

	if (!err)
		format->print(format, chosen ?: rows->now.named, options, p);
	chosen_free(chosen);
	return err ?: p->err;
}

int top_write(struct top *t, const char *path)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct printer p = { .buf = STRBUF_INIT, .sink = strbuf_sink, .arg = &text };
	static const struct format_options options;
	int err = 0;

	for (size_t i = 0; i < t->tables.n; i++)
		if (t->tables.v[i].now.named)
			format_json.print(&format_json, t->tables.v[i].now.named, &options, &p);
	if (printer_end(&p) || text.failed) {
		errno = ENOMEM;
		err = -1;
	}
	return err ?: replace_file(path, &text);
}

/* --- text --- */

static int print_text(struct top *t, struct top_rows *rows, struct printer *p)
{
	const struct hist_run_options *run = &t->options->run;
	struct format_options options = { .width = run->width, .sort = run->sort_stats };
	struct top_choice choice = { .sort = run->sort_stats, .max = run->top ?: ROWS };
	struct top_extra extra;
	scoped(top_view_release) struct top_view view;
	int err;

	if (choice.sort && !strcmp(choice.sort, TOP_CHANGE))
		choice.sort = TOP_CHANGE;
	err = top_view_init(&view, rows, &choice);
	if (!err) {
		/* bars are for a terminal */
		top_extra_init(&extra, rows, true);
		extra.extra.n = 1;
		options.extra = &extra.extra;
		print_answer_title(&view.result, &options, &p->buf);
		strbuf_addch(&p->buf, '\n');
		print_answer_table(p, &view.result, &options);
		if (view.result.left_out)
			strbuf_addf(&p->buf, "(%zu more)\n", view.result.left_out);
	}
	return err ?: p->err;
}

static double unix_time(void)
{
	struct timespec now;
	u64 ms;

	clock_gettime(CLOCK_REALTIME, &now);
	ms = (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
	return (double)ms / 1000;
}

/* Before the tables: when, and how the recording goes. */
static void print_head(struct top *t, bool empty, struct printer *p)
{
	char time[16];
	const struct top_status s = top_status(t, time);
	const bool counts = false;
	struct json j = { .out = &p->buf };

	if (!format_of(t)) {
		strbuf_addstr(&p->buf, "==> ");
		top_status_add(&p->buf, &s);
		strbuf_addstr(&p->buf, empty ? "; nothing new <==\n" : " <==\n");
		return;
	}
	if (format_of(t) != &format_ndjson)
		return;
	json_object(&j, NULL);
	json_str(&j, "type", "hist_interval");
	json_double(&j, "unix_time", unix_time());
	json_time(&j, "from", t->state.first, counts);
	json_time(&j, "to", t->state.last, counts);
	if (s.rated)
		json_double(&j, "events_per_second", s.events);
	json_u64(&j, "lost_events", s.lost);
	json_u64(&j, "subbufs", s.taken);
	json_u64(&j, "skipped_subbufs", s.skipped);
	json_double(&j, "cpu", s.cpu);
	json_bool(&j, "empty", empty);
	json_close(&j, '}');
	json_end_line(&j);
}

/* --- the thread --- */

static int print_refresh(struct top *t, struct strbuf *text)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = strbuf_sink, .arg = text };
	/* a file that is replaced has tables, too, if there is nothing new */
	const bool lines = !format_of(t) || format_of(t) == &format_ndjson;
	bool empty = true;
	int err = 0, end;

	for (size_t i = 0; i < t->tables.n; i++)
		empty &= !t->tables.v[i].added;
	print_head(t, empty, &p);
	for (size_t i = 0; i < t->tables.n && !err && !(empty && lines); i++)
		err = format_of(t) ? print_in_format(t, format_of(t), &t->tables.v[i], &p)
				   : print_text(t, &t->tables.v[i], &p);
	if (!empty && !format_of(t))
		strbuf_addch(&p.buf, '\n');
	/* each refresh has tables of its own */
	if (format_of(t) && format_of(t)->finish)
		format_of(t)->finish(format_of(t), &directory_of(t->counting.h)->output.options,
				     !err, &p);
	end = printer_end(&p);
	return err ?: end;
}

void *top_stream(void *arg)
{
	struct top *t = arg;
	const char *path = t->options->output;
	const bool lines = !t->options->run.format || !strcmp(t->options->run.format, "text") ||
			   !strcmp(t->options->run.format, "ndjson");
	/* -1: each refresh replaces the file */
	int fd = !path ? STDOUT_FILENO : lines ? open_file(path) : -1;
	u64 shown = 0;

	if (fd < 0 && lines)
		top_fail(t, errno);
	while (!atomic_load(&t->quit)) {
		scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
		bool more;
		int err = 0;

		pthread_mutex_lock(&t->mutex);
		/* Wait for the next refresh. False: there will be none */
		while (t->refreshes == shown && !atomic_load(&t->ended))
			pthread_cond_wait(&t->changed, &t->mutex);
		more = t->refreshes != shown;
		shown = t->refreshes;
		if (more && print_refresh(t, &text)) {
			errno = ENOMEM;
			err = -1;
		}
		pthread_mutex_unlock(&t->mutex);
		if (more && !err)
			err = fd < 0 ? replace_file(path, &text) : write_all(fd, &text);
		if (err)
			top_fail(t, errno);
		if (!more)
			break;
	}
	if (fd != STDOUT_FILENO)
		fd_close(fd);
	return NULL;
}
