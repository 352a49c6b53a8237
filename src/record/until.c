// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The instance is as small as can be, and drops new events when it is full: the first ones decide
 * which files are written. Its triggers run whether it records or not.
 */
#include <poll.h>
#include <sys/eventfd.h>

#include "record/steps.h"
#include "record/tracedir.h"
#include "record/until.h"

enum { UNTIL_KB = 256 };

/* --- opening --- */

/* The clock of the recording; to be freed. */
static char *clock_of(const struct session *s)
{
	scoped(free_scoped) char *clocks = tracedir_read(s->instance, "trace_clock", NULL);
	struct span clock = clock_selected(span_of(clocks ? clocks : ""));

	return clock.s ? strndup(clock.s, clock.n) : NULL;
}

/* Like the recording, but for the name. */
static int open_instance(struct until *u, const struct until_waiter *waiter, const char *clock,
			 struct diags *diags)
{
	const struct session *like = waiter->session;
	const struct selection none = { .no_markers = true };
	struct record_plan small = { .buffer_kb = UNTIL_KB,
				     .no_overwrite = true,
				     .clock = clock,
				     .children = waiter->plan->children };
	char *name = NULL;
	int err = 0;

	if (asprintf(&name, "%s.until", like->name) < 0)
		return HIST_NOMEM;
	small.instance = name;
	if (tracedir_has_instance(name))
		err = diags_error(diags, -HIST_EIO, "the instance %s exists", name);
	err = err ?: session_open(&u->session, &small, like->undo, diags);
	err = err ?: session_configure(&u->session, &small, &none, diags);
	if (!err && tracedir_write_if(u->session.instance, "buffer_percent", "0"))
		err = tracedir_error(diags, errno, "cannot set", "buffer_percent");
	free(name);
	return err;
}

static int open_raw(struct until *u, struct diags *diags)
{
	u->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (u->wake < 0)
		return diags_error(diags, -HIST_EIO, "cannot open an eventfd: %s", strerror(errno));
	for (size_t i = 0; i < u->session.cpus.n; i++) {
		int fd = tracedir_raw_open(u->session.instance, u->session.cpus.v[i], diags);

		if (fd < 0)
			return -HIST_EIO;
		if (array_push(&u->raw, fd)) {
			close(fd);
			return -HIST_ENOMEM;
		}
	}
	return 0;
}

/* The events are those of the kernel now, which has the synthetic ones. */
static int choose_events(struct until *u, const struct record_until *what, const struct workdir *w,
			 struct diags *diags)
{
	scoped(event_list_release) struct event_list list = EVENT_LIST_INIT;
	scoped(selection_release) struct selection sel = SELECTION_INIT;
	int err = event_list_read(&list, diags);

	err = err ?: selection_make(&sel, &list, what->events, what->n_events, diags);
	err = err ?: session_enable(&u->session, &sel, diags);
	if (!err && what->n_definitions) {
		u->machine = workdir_machine(w);
		err = u->machine ? machine_write(u->machine, &list, NULL, false, diags)
				 : HIST_NOMEM;
	}
	return err;
}

/* What a trigger would count, but the recording does not have. */
static int check(const struct until_waiter *waiter, struct diags *diags)
{
	const struct selection *sel = waiter->selection;
	const bool counts = waiter->plan->keep->until->counts;

	/* what counts has the filter itself */
	for (size_t i = 0; i < sel->events.n && !counts; i++)
		if (sel->events.v[i].filter)
			return diags_error(diags, -HIST_EUNSUPPORTED,
					   "-f limits what is recorded of %s:%s",
					   sel->events.v[i].system, sel->events.v[i].name);
	if (!waiter->plan->keep->until->n_writes)
		return 0;
	if (!has_hist_triggers())
		return diags_error(diags, -HIST_EUNSUPPORTED,
				   "this kernel has no hist triggers (CONFIG_HIST_TRIGGERS)");
	if (waiter->n_pids)
		return diags_error(diags, -HIST_EUNSUPPORTED,
				   "triggers count all processes, and only some are recorded");
	return 0;
}

static int open_until(struct until *u, const struct until_waiter *waiter, struct diags *diags)
{
	const struct record_until *what = waiter->plan->keep->until;
	struct undo *undo = waiter->session->undo;
	scoped(free_scoped) char *clock = clock_of(waiter->session);
	int err = clock ? check(waiter, diags) : HIST_NOMEM;

	err = err ?: probes_create(what->definitions, what->n_definitions, undo, diags);
	err = err ?: open_instance(u, waiter, clock, diags);
	err = err ?: session_limit_pids(&u->session, waiter->pids, waiter->n_pids, diags);
	err = err ?: triggers_install(&u->session, what->writes, what->n_writes, diags);
	/* kernel: a trigger with a time stamp sets the clock of its instance */
	if (!err && tracedir_write(u->session.instance, "trace_clock", clock))
		err = tracedir_error(diags, errno, "cannot set", "trace_clock");
	if (!what->counts)
		err = err ?: choose_events(u, what, waiter->work, diags);
	return err ? err : open_raw(u, diags);
}

/* Triggers that count in vain cost the machine time; the journal finds nothing of them any more. */
static void abandon(struct until *u, const struct record_until *what)
{
	scoped(free_scoped) char *name = u->session.name ? strdup(u->session.name) : NULL;

	for (size_t i = what->n_writes; u->session.instance && i-- > 0;) {
		scoped(strbuf_release) struct strbuf removal = STRBUF_INIT;

		strbuf_addf(&removal, "!%s", what->writes[i].text);
		(void)tracedir_append(u->session.instance, what->writes[i].path, removal.s);
	}
	until_close(u);
	if (name)
		(void)tracedir_rmdir_instance(name);
}

int until_prepare(struct until *u, const struct until_waiter *waiter, struct kept *kept,
		  struct diags *diags)
{
	scoped(diags_release) struct diags tried = DIAGS_INIT;
	const char *why = "out of memory";
	int err = open_until(u, waiter, &tried);

	/* the first error, before its remedies */
	for (size_t i = tried.list.n; i-- > 0;)
		if (tried.list.v[i].level == DIAG_ERROR)
			why = tried.list.v[i].text;
	if (!err) {
		kept->until = u;
	} else {
		kept->why = arena_strdup(&diags->arena, why);
		abandon(u, waiter->plan->keep->until);
	}
	return err && !kept->why ? HIST_NOMEM : 0;
}

void until_close(struct until *u)
{
	for (size_t i = 0; i < u->raw.n; i++)
		fd_close(u->raw.v[i]);
	array_release(&u->raw);
	fd_close(u->wake);
	session_close(&u->session);
	free(u->machine);
	*u = (struct until)UNTIL_INIT;
}

int until_switch(struct until *u, bool on, struct diags *diags)
{
	return u->session.instance ? session_switch(&u->session, on, diags) : 0;
}

/* --- reading --- */

void until_wait(struct until *u, int ms)
{
	scoped(free_scoped) struct pollfd *fds = calloc(u->raw.n + 1, sizeof(*fds));
	u64 count;

	if (!fds)
		return;
	for (size_t i = 0; i < u->raw.n; i++)
		fds[i] = (struct pollfd){ .fd = u->raw.v[i], .events = POLLIN };
	fds[u->raw.n] = (struct pollfd){ .fd = u->wake, .events = POLLIN };
	poll(fds, u->raw.n + 1, ms);
	if (fds[u->raw.n].revents && read(u->wake, &count, sizeof(count)) < 0)
		usleep(1000);
}

void until_wake(struct until *u)
{
	const u64 one = 1;

	for (int tries = 0; tries < 3; tries++)
		if (write(u->wake, &one, sizeof(one)) > 0 || errno == EAGAIN)
			break;
}

int until_read(struct until *u, size_t i, void *page)
{
	size_t have = 0;
	int got = tracedir_raw_read(u->raw.v[i], page, u->session.subbuf_size, &have);

	return got < 0 ? -HIST_EIO : got;
}

char *until_file(const struct until *u, const char *path)
{
	return tracedir_read(u->session.instance, path, NULL);
}

u64 until_now(const struct until *u)
{
	struct ring_stats stats;

	ring_stats_read(u->session.instance, u->session.cpus.v[0], &stats);
	return stats.now;
}

u64 until_lost(const struct until *u)
{
	u64 events, lost;

	session_count(&u->session, NULL, &events, &lost);
	return lost;
}
