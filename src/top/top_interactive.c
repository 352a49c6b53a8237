// SPDX-License-Identifier: LGPL-2.1-only
/* The thread that shows tables on a terminal, and reads keys. */
#include <time.h>

#include "top/top_state.h"
#include "top/top_terminal.h"

enum { LOOK_MS = 100, TYPED_MAX = 60, MESSAGE_S = 3 };

struct interactive {
	struct top *top;
	struct top_terminal terminal;
	struct top_screen screen;
	size_t order; /* of top_rows_order(); SIZE_MAX: that of --sort */
	size_t room;  /* rows on the screen */
	char typed[TYPED_MAX + 1], filter[TYPED_MAX + 1], message[200], time[16];
	u64 message_at;
	u64 shown; /* refreshes */
	bool changed;
	struct strbuf out;
};

static struct top_rows *table_of(struct interactive *in)
{
	struct top *top = in->top;

	return in->screen.table < top->tables.n ? &top->tables.v[in->screen.table] : NULL;
}

static void write_result(struct interactive *in)
{
	char name[48] = "hist-top.json";
	time_t clock = time(NULL);
	struct tm tm;
	int err;

	if (localtime_r(&clock, &tm))
		strftime(name, sizeof(name), "hist-top-%Y%m%d-%H%M%S.json", &tm);
	err = top_write(in->top, name);
	snprintf(in->message, sizeof(in->message), "%s%s", err ? "cannot write: " : "wrote ",
		 err ? strerror(errno) : name);
	in->screen.message = in->message;
	in->message_at = monotonic_ns();
}

static void next_order(struct interactive *in)
{
	const struct top_rows *rows = table_of(in);
	const char *name;

	if (!rows || !rows->now.named)
		return;
	name = top_rows_order(rows, ++in->order);
	if (!name) {
		in->order = 0;
		name = top_rows_order(rows, 0);
	}
	/* names live as long as a result */
	in->screen.choice.sort = name == TOP_CHANGE ? TOP_CHANGE
						    : arena_strdup(&in->top->arena, name);
	in->screen.choice.first = 0;
}

static void scroll(struct interactive *in, ssize_t by)
{
	size_t *first = &in->screen.choice.first;

	*first = by < 0 ? *first - min_t(size_t, *first, (size_t)-by) : *first + (size_t)by;
}

static void handle_key(struct interactive *in, int key)
{
	const ssize_t page = (ssize_t)in->room;

	in->screen.message = NULL;
	if (in->screen.typed) {
		size_t n = strlen(in->typed);

		if (key == '\r' || key == '\n' || key == TOP_KEY_ESCAPE) {
			if (key != TOP_KEY_ESCAPE)
				memcpy(in->filter, in->typed, sizeof(in->filter));
			in->screen.typed = NULL;
			in->screen.choice.first = 0;
		} else if ((key == 0x7f || key == '\b') && n) {
			in->typed[n - 1] = '\0';
		} else if (key >= ' ' && key < 0x100 && key != 0x7f && n < TYPED_MAX) {
			in->typed[n] = (char)key;
			in->typed[n + 1] = '\0';
		}
		return;
	}
	switch (key) {
	case 'q':
	case TOP_KEY_GONE:
		atomic_store(&in->top->quit, true);
		break;
	case 's':
		next_order(in);
		break;
	case '/':
		in->typed[0] = '\0';
		in->screen.typed = in->typed;
		break;
	case 'p':
	case ' ':
		in->top->paused = in->screen.paused = !in->screen.paused;
		break;
	case 'w':
		write_result(in);
		break;
	case 't':
		in->screen.table = in->top->tables.n ? (in->screen.table + 1) % in->top->tables.n
						     : 0;
		in->screen.choice = (struct top_choice){ .filter = in->filter };
		in->order = 0;
		break;
	case TOP_KEY_UP:
		scroll(in, -1);
		break;
	case TOP_KEY_DOWN:
		scroll(in, 1);
		break;
	case TOP_KEY_PAGE_UP:
		scroll(in, -page);
		break;
	case TOP_KEY_PAGE_DOWN:
		scroll(in, page);
		break;
	case TOP_KEY_HOME:
		in->screen.choice.first = 0;
		break;
	case TOP_KEY_END:
		in->screen.choice.first = SIZE_MAX / 2;
		break;
	default:
		break;
	}
}

static void draw(struct interactive *in)
{
	struct top *top = in->top;

	strbuf_reset(&in->out);
	pthread_mutex_lock(&top->mutex);
	in->screen.n_tables = top->tables.n;
	if (in->shown != top->refreshes || !in->screen.status.time)
		in->screen.status = top_status(top, in->time);
	in->shown = top->refreshes;
	in->room = top_screen_add(&in->out, &in->screen, table_of(in));
	pthread_mutex_unlock(&top->mutex);
	for (size_t done = 0; done < in->out.len;) {
		ssize_t n = write(in->terminal.out, in->out.s + done, in->out.len - done);

		if (n < 0 && errno != EINTR) {
			top_fail(top, errno);
			return;
		}
		done += n > 0 ? (size_t)n : 0;
	}
}

static bool size_changed(struct interactive *in)
{
	unsigned int width, height;
	bool changed;

	top_terminal_size(&in->terminal, &width, &height);
	changed = width != in->screen.width || height != in->screen.height;
	in->screen.width = width;
	in->screen.height = height;
	return changed;
}

void *top_interactive(void *arg)
{
	struct top *top = arg;
	const struct top_options *o = top->options;
	struct interactive in = {
		.top = top,
		.terminal = TOP_TERMINAL_INIT,
		.screen = { .plain = !o->colour, .question = o->question },
		.out = STRBUF_INIT,
	};
	u64 drawn = 0;

	in.screen.choice = (struct top_choice){ .filter = in.filter, .sort = o->run.sort_stats };
	if (o->run.sort_stats && !strcmp(o->run.sort_stats, TOP_CHANGE))
		in.screen.choice.sort = TOP_CHANGE;
	in.order = o->run.sort_stats ? SIZE_MAX : 0;
	if (top_terminal_open(&in.terminal)) {
		top_fail(top, errno);
		return NULL;
	}
	while (!atomic_load(&top->quit) && !atomic_load(&top->ended)) {
		const int key = top_terminal_key(&in.terminal, LOOK_MS);
		bool due;

		pthread_mutex_lock(&top->mutex);
		if (key != TOP_KEY_NONE)
			handle_key(&in, key);
		due = in.shown != top->refreshes;
		pthread_mutex_unlock(&top->mutex);
		if (in.screen.message && monotonic_ns() - in.message_at > MESSAGE_S * 1000000000ull)
			in.screen.message = NULL;
		/* the status goes on while nothing can be counted */
		due |= monotonic_ns() - drawn > o->interval;
		if (size_changed(&in) || key != TOP_KEY_NONE || due) {
			draw(&in);
			drawn = monotonic_ns();
		}
	}
	top_terminal_close(&in.terminal);
	strbuf_release(&in.out);
	return NULL;
}
