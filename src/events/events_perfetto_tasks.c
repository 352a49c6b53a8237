// SPDX-License-Identifier: LGPL-2.1-only
/* Names, processes, arguments and users of tasks, for a trace of Perfetto. */
#include "events/events_perfetto.h"

enum { PROCESS_UID = 5, NO_ARGUMENTS = 9 };

/* The name of a task from a time on. */
static void put_name(struct perfetto_out *o, const struct hist_event *e, const char *comm)
{
	scoped(strbuf_release) struct strbuf task = STRBUF_INIT;

	perfetto_put_number(&task, 1, (u64)e->pid);
	perfetto_put_text(&task, 2, comm);
	perfetto_put_number(&o->packet, PACKET_TIME, e->ts);
	perfetto_put_message(&o->packet, PACKET_RENAME, &task);
	perfetto_out_write(o);
}

/* A task, or a process by its negative id. */
static struct out_task *task_of(struct perfetto_out *o, s32 id)
{
	struct out_task *t =
		indexed_get(&o->tasks, id, id, ((struct out_task){ .id = id, .args = UINT64_MAX }));

	o->err = t ? o->err : HIST_NOMEM;
	return t;
}

static void put_thread(struct strbuf *tree, s32 pid, struct span comm, s32 tgid)
{
	scoped(strbuf_release) struct strbuf task = STRBUF_INIT;

	perfetto_put_number(&task, 1, (u64)pid);
	perfetto_put_bytes(&task, 2, comm.s, comm.n);
	perfetto_put_number(&task, 3, (u64)tgid);
	perfetto_put_message(tree, 2, &task);
}

/* The name of the first thread of a process, which may have no events. */
static void put_leader(struct perfetto_out *o, const struct hist_event *e, s32 tgid,
		       struct strbuf *tree)
{
	const struct out_task *leader = task_of(o, tgid);
	const char *name = hist_event_who(e, HIST_WHO_PROCESS);
	const char *end = name ? strrchr(name, '-') : NULL;

	if (leader && !*leader->comm && end && *name != '<' && *name != '?')
		put_thread(tree, tgid, span_between(name, end), tgid);
}

/* The arguments and the user of a process, which all of its threads know, if they are others. */
static void put_process(struct perfetto_out *o, const struct hist_event *e, s32 tgid,
			struct strbuf *tree)
{
	struct out_task *known = task_of(o, -tgid);
	const u64 answer = events_who_answer(e, HIST_WHO_CMDLINE);
	scoped(strbuf_release) struct strbuf process = STRBUF_INIT;
	const char *args;
	s32 uid;

	if (!known || known->args == answer)
		return;
	known->args = answer;
	uid = events_uid(e);
	if (e->pid != tgid)
		put_leader(o, e, tgid, tree);
	args = hist_event_who(e, HIST_WHO_CMDLINE);
	perfetto_put_number(&process, 1, (u64)tgid);
	if (!args || !*args || *args == '?') {
		/* not known, until they are */
	} else if (*args == '[') { /* mostly a thread of the kernel */
		perfetto_put_bytes(&process, 3, args + 1, strlen(args + 1) - (args[1] != 0));
		perfetto_put_number(&process, NO_ARGUMENTS, 1);
	} else {
		for (struct span rest = span_of(args); rest.s;) {
			const struct span word = span_sep(&rest, " ");

			perfetto_put_bytes(&process, 3, word.s, word.n);
		}
	}
	if (uid >= 0)
		perfetto_put_number(&process, PROCESS_UID, (u64)uid);
	perfetto_put_message(tree, 1, &process);
}

/* A task begins: what is known of its id is of another one. Perfetto has it from its event on. */
static void note_new_task(struct perfetto_out *o, const struct hist_event *e)
{
	const int at = hist_event_field(e->type, "pid");
	struct out_task *t, *process;
	struct hist_value v;

	if (at < 0)
		return;
	hist_event_value(e, (size_t)at, &v);
	if ((s32)v.number <= 0)
		return;
	process = task_of(o, -(s32)v.number);
	if (process)
		process->args = UINT64_MAX;
	t = task_of(o, (s32)v.number);
	if (t)
		*t = (struct out_task){ .id = t->id, .is_new = true, .args = UINT64_MAX };
}

int perfetto_out_task(struct perfetto_out *o, const struct hist_event *e,
		      const struct out_type *type)
{
	scoped(strbuf_release) struct strbuf tree = STRBUF_INIT;
	struct out_task *known = task_of(o, e->pid);
	const char *comm = known && e->pid > 0 ? hist_event_comm(e) : "";
	bool first, renamed, other;
	s32 tgid;

	if (type->number == PERFETTO_NEWTASK)
		note_new_task(o, e);
	if (!*comm)
		return o->err;
	known = task_of(o, e->pid);
	first = !*known->comm && !known->is_new;
	renamed = strcmp(known->comm, comm);
	tgid = hist_event_tgid(e);
	other = tgid > 0 && tgid != known->tgid;
	tgid = known->tgid = tgid > 0 ? tgid : known->tgid;
	if (renamed)
		snprintf(known->comm, sizeof(known->comm), "%s", comm);
	if (hist_event_tgid(e) > 0)
		put_process(o, e, tgid, &tree);
	/* only a renaming tells when it was; after a tree, Perfetto takes names of trees only */
	if (renamed && !other)
		put_name(o, e, comm);
	if (other || (renamed && tgid > 0))
		put_thread(&tree, e->pid, span_of(comm), tgid);
	if (tree.len) {
		if (!first)
			perfetto_put_number(&o->packet, PACKET_TIME, e->ts);
		perfetto_put_message(&o->packet, PACKET_TREE, &tree);
		perfetto_out_write(o);
	}
	return o->err;
}
