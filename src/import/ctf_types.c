// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Event classes of CTF traces, and the formats that they get in the trace.dat.
 *
 * The names of LTTng's kernel tracer become ftrace's: sched_switch is sched:sched_switch, a tid is
 * a pid, and a pid, which is that of a process, a tgid. Fields of a context follow those of the
 * event; the lengths of texts and arrays are left out.
 */
#include "import/ctf.h"
#include "import/text_known.h"

enum { NAME_MAX_LEN = 96, SWITCHES_PRIO = 100 };

/* --- the environment of a trace --- */

static const char *environment(const struct ctf *c, const void *trace, const char *name,
			       const char *other)
{
	const void *v = c->bt.bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	if (!v && other)
		return environment(c, trace, other, NULL);
	return v && c->bt.bt_value_get_type(v) == BT_VALUE_STRING ? c->bt.bt_value_string_get(v)
								  : "";
}

/* The name of a system call in the name of an event that begins it; NULL: it is another event. */
static const char *call_of(const char *event)
{
	static const char *const begins[] = { "syscall_entry_", "sys_" };

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(event, begins[i], strlen(begins[i])))
			return event + strlen(begins[i]);
	return NULL;
}

static s64 call_number(const char *machine, const char *call)
{
	char name[NAME_MAX_LEN];

	snprintf(name, sizeof(name), "sys_%s", call);
	return machine ? event_syscall_number(machine, name) : -1;
}

/* Call @fn with the name of each event class. */
static void each_class(const struct ctf *c, const void *trace, void (*fn)(void *, const char *),
		       void *arg)
{
	const struct babeltrace *bt = &c->bt;
	const void *class = bt->bt_trace_borrow_class_const(trace);
	const u64 n = bt->bt_trace_class_get_stream_class_count(class);

	for (u64 i = 0; i < n; i++) {
		const void *stream =
			bt->bt_trace_class_borrow_stream_class_by_index_const(class, i);
		const u64 events = bt->bt_stream_class_get_event_class_count(stream);

		for (u64 k = 0; k < events; k++) {
			const char *name = bt->bt_event_class_get_name(
				bt->bt_stream_class_borrow_event_class_by_index_const(stream, k));

			if (name)
				fn(arg, name);
		}
	}
}

struct calls_of {
	const char *machine;
	u32 n; /* system calls that it has */
	bool switches;
};

static void count_call(void *arg, const char *event)
{
	struct calls_of *of = arg;
	const char *call = call_of(event);

	of->n += call && call_number(of->machine, call) >= 0;
	of->switches |= !strcmp(event, "sched_switch");
}

/* LTTng does not name the machine: it is the one that has most of the system calls. */
static void guess_machine(const struct ctf *c, struct ctf_trace *t)
{
	static const char *const machines[] = { "x86_64", "aarch64", "armv7l",
						"i686",   "riscv64", "ppc64",
						"s390x",  "mips64",  "loongarch64" };
	u32 most = 0;

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct calls_of of = { .machine = machines[i] };

		each_class(c, t->trace, count_call, &of);
		t->switches = of.switches;
		if (of.n > most) {
			most = of.n;
			t->machine = machines[i];
		}
	}
}

struct ctf_trace *ctf_trace_of(struct ctf *c, const void *stream)
{
	const void *trace = c->bt.bt_stream_borrow_trace_const(stream);
	struct arena *arena = &c->job->sink->arena;
	struct ctf_trace *t;
	const char *release, *machine;
	const void *minor;

	for (size_t i = 0; i < c->traces.n; i++)
		if (c->traces.v[i]->trace == trace)
			return c->traces.v[i];
	t = arena_alloc(arena, sizeof(*t));
	if (!t || array_push(&c->traces, t))
		return NULL;
	t->trace = trace;
	t->kernel = !strcmp(environment(c, trace, "domain", NULL), "kernel") &&
		    !strncmp(environment(c, trace, "tracer_name", NULL), "lttng", 5);
	release = environment(c, trace, "kernel_release", "release");
	machine = environment(c, trace, "machine", NULL);
	if (t->kernel)
		guess_machine(c, t);
	else if (*machine)
		t->machine = arena_strdup(arena, machine);
	t->states = made_states(arena, span_of(release));
	minor = c->bt.bt_trace_borrow_environment_entry_value_by_name_const(trace, "tracer_minor");
	t->old_rwbs = minor && c->bt.bt_value_get_type(minor) & BT_VALUE_SIGNED &&
		      c->bt.bt_value_integer_signed_get(minor) < 2;
	if (*release && !c->has_uname) {
		c->has_uname = true;
		if (import_sink_uname(c->job->sink,
				      span_of(environment(c, trace, "hostname", "host")),
				      span_of(release), span_of(t->machine ? t->machine : "")))
			return NULL;
	}
	return t;
}

/* --- names --- */

static const struct {
	const char *lttng, *system, *name;
} renamed[] = {
#define LTTNG_EVENT(lttng, system, name) { lttng, system, name },
#define LTTNG_SYSTEM(begin, system)
#include "import/lttng_events.def"
#undef LTTNG_EVENT
#undef LTTNG_SYSTEM
};

static const struct {
	const char *begin, *system;
} systems[] = {
#define LTTNG_EVENT(lttng, system, name)
#define LTTNG_SYSTEM(begin, system) { begin, system },
#include "import/lttng_events.def"
#undef LTTNG_EVENT
#undef LTTNG_SYSTEM
};

static void kernel_name(struct ctf_type *t, const char *name)
{
	t->event.system = "lttng";
	t->event.name = name;
	for (size_t i = 0; i < ARRAY_SIZE(systems); i++)
		if (!strncmp(name, systems[i].begin, strlen(systems[i].begin)))
			t->event.system = systems[i].system;
	for (size_t i = 0; i < ARRAY_SIZE(renamed); i++)
		if (!strcmp(name, renamed[i].lttng)) {
			t->event.system = renamed[i].system;
			t->event.name = renamed[i].name;
		}
	if (!strcmp(name, "sched_switch"))
		t->role = CTF_SWITCH;
	else if (!strcmp(name, "sched_process_fork"))
		t->role = CTF_FORK;
	else if (!strcmp(name, "lttng_statedump_process_state"))
		t->role = CTF_LISTED;
}

/* Events of system calls; @compat: of programs of 32 bits, whose numbers are others. */
static bool call_name(struct ctf_type *t, struct arena *arena, const char *machine,
		      const char *name)
{
	static const char exits[] = "syscall_exit_", compats[] = "compat_";
	const bool compat = !strncmp(name, compats, strlen(compats));
	const char *rest = compat ? name + strlen(compats) : name, *call = call_of(rest);
	const bool ends = !strncmp(rest, exits, strlen(exits));

	t->nr = -1;
	if (!strcmp(name, "exit_syscall")) {
		t->event.system = "raw_syscalls";
		t->event.name = "sys_exit";
		t->role = CTF_CALL_ENDS;
		return true;
	}
	if (ends)
		call = rest + strlen(exits);
	if (!call)
		return false;
	t->event.system = "syscalls";
	t->event.name = arena_printf(arena, "sys_%s_%s%s", ends ? "exit" : "enter",
				     compat ? compats : "", call);
	if (!compat)
		t->nr = call_number(machine, call);
	t->role = ends ? CTF_OTHER : CTF_CALL;
	return true;
}

/* Characters that names of events do not have become '_'. */
static const char *clean(struct arena *arena, struct span name)
{
	char *s = arena_strndup(arena, name.s, name.n);

	for (size_t i = 0; s && i < name.n; i++)
		if (!is_word(s[i]) && s[i] != '-' && s[i] != '.')
			s[i] = '_';
	return s && *s ? s : arena_strdup(arena, "_");
}

static void set_names(struct ctf *c, const struct ctf_trace *trace, struct ctf_type *t,
		      const char *name)
{
	struct arena *arena = &c->job->sink->arena;
	const char *colon = strchr(name, ':');

	if (trace->kernel && !colon) {
		if (!call_name(t, arena, trace->machine, name))
			kernel_name(t, name);
	} else {
		t->event.system = colon ? clean(arena, span_between(name, colon))
					: arena_strdup(arena, "ctf");
		t->event.name = clean(arena, span_of(colon ? colon + 1 : name));
	}
	if (t->event.name && trace->kernel && t->event.name == name)
		t->event.name = clean(arena, span_of(name));
}

/* --- fields --- */

/* The structures of an event class. */
struct parts {
	const void *v[CTF_PARTS];
	u64 n[CTF_PARTS];
};

static struct parts parts_of(const struct ctf *c, const void *stream_class, const void *class)
{
	const struct babeltrace *bt = &c->bt;
	struct parts p = {
		.v = { [CTF_PAYLOAD] = bt->bt_event_class_borrow_payload_field_class_const(class),
		       [CTF_SPECIFIC] =
			       bt->bt_event_class_borrow_specific_context_field_class_const(class),
		       [CTF_COMMON] =
			       bt->bt_stream_class_borrow_event_common_context_field_class_const(
				       stream_class) }
	};

	for (int i = 0; i < CTF_PARTS; i++)
		p.n[i] = p.v[i] ? bt->bt_field_class_structure_get_member_count(p.v[i]) : 0;
	return p;
}

static const char *member_name(const struct ctf *c, const struct parts *p, int part, u64 i)
{
	return c->bt.bt_field_class_structure_member_get_name(
		c->bt.bt_field_class_structure_borrow_member_by_index_const(p->v[part], i));
}

static bool has_member(const struct ctf *c, const struct parts *p, int part, const char *name)
{
	for (u64 i = 0; i < p->n[part]; i++)
		if (!strcmp(member_name(c, p, part, i), name))
			return true;
	return false;
}

/* "_NAME_length" before NAME: part of the encoding. */
static bool is_length(const struct ctf *c, const struct parts *p, int part, const char *name)
{
	const size_t n = strlen(name), end = strlen("_length");
	char of[NAME_MAX_LEN];

	if (*name != '_' || n <= end + 1 || n - end > sizeof(of) ||
	    strcmp(name + n - end, "_length") != 0)
		return false;
	snprintf(of, sizeof(of), "%.*s", (int)(n - end - 1), name + 1);
	return has_member(c, p, part, of);
}

/* Facts about an event that are not fields of it in ftrace. */
static bool is_fact(struct ctf_type *t, const char *name, struct ctf_source at)
{
	static const struct {
		const char *name;
		enum ctf_fact fact;
		bool context, field; /* only in a context; it is a field, too */
	} facts[] = {
		{ "common_pid", CTF_PID, false, false },
		{ "common_flags", CTF_FLAGS, false, false },
		{ "common_preempt_count", CTF_PREEMPT, false, false },
		{ "common_type", CTF_FACTS, false, false },
		{ "perf_tid", CTF_PID, false, true },
		{ "perf_cpu", CTF_CPU, false, true },
		{ "tid", CTF_PID, true, true },
		{ "vtid", CTF_PID, true, true },
		{ "procname", CTF_COMM, true, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		if (strcmp(name, facts[i].name) != 0 ||
		    (facts[i].context && at.part == CTF_PAYLOAD))
			continue;
		/* that of the kernel is better than that of perf, which may be -1 */
		if (facts[i].fact != CTF_FACTS &&
		    (t->facts[facts[i].fact].part == CTF_PARTS || !facts[i].field))
			t->facts[facts[i].fact] = at;
		return !facts[i].field;
	}
	return false;
}

static char type_of(const struct ctf *c, const void *class, const char *name)
{
	static const char *const addresses[] = { "function", "location", "func",
						 "dev",      "s_dev",    "old_dev" };
	const struct babeltrace *bt = &c->bt;
	const u64 type = bt->bt_field_class_get_type(class);
	u64 bits;

	if (type & BT_BITS)
		return 'x';
	if (type & BT_BOOL)
		return 'u';
	if (!(type & (BT_UNSIGNED | BT_SIGNED)))
		return 's';
	bits = bt->bt_field_class_integer_get_field_value_range(class);
	if (!strcmp(name, "prev_state"))
		return 'l';
	if (type & BT_SIGNED)
		return bits > 32 ? 'l' : 'i';
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		if (!strcmp(name, addresses[i]))
			return 'L';
	if (bt->bt_field_class_integer_get_preferred_display_base(class) == 16)
		return 'x';
	return bits > 32 ? 'L' : 'u';
}

/* The name of a field in ftrace: tid is pid; then the pid, that of a process, is tgid. */
static const char *field_name(const struct ctf *c, const struct parts *p,
			      const struct ctf_source *at, bool kernel, const char *name)
{
	struct arena *arena = &c->job->sink->arena;
	const char *end = strrchr(name, '_');
	const int begin = end ? (int)(end + 1 - name) : 0;
	char tid[NAME_MAX_LEN];

	if (!kernel || at->part != CTF_PAYLOAD)
		return clean(arena, span_of(name));
	snprintf(tid, sizeof(tid), "%.*stid", begin, name);
	if (!strcmp(name, tid))
		return arena_printf(arena, "%.*spid", begin, name);
	if (!strcmp(name + begin, "pid") && has_member(c, p, at->part, tid))
		return arena_printf(arena, "%.*stgid", begin, name);
	return clean(arena, span_of(name));
}

static s32 field_named(const struct ctf_type *t, const char *name)
{
	for (size_t i = 0; i < t->event.n; i++)
		if (!strcmp(t->event.fields[i].name, name))
			return (s32)i;
	return -1;
}

static void add_field(struct ctf_type *t, char type, const char *name, struct ctf_source at)
{
	const size_t n = t->event.n++;

	made_field_set(&t->event.fields[n], type, name);
	t->sources[n] = at;
}

static bool add_member(struct ctf *c, struct ctf_type *t, const struct parts *p, bool kernel,
		       struct ctf_source at)
{
	const struct babeltrace *bt = &c->bt;
	const void *member =
		bt->bt_field_class_structure_borrow_member_by_index_const(p->v[at.part], at.member);
	const void *class = bt->bt_field_class_structure_member_borrow_field_class_const(member);
	const char *name = bt->bt_field_class_structure_member_get_name(member);

	if (is_length(c, p, at.part, name) || is_fact(t, name, at))
		return true;
	name = field_name(c, p, &at, kernel, name);
	if (name && field_named(t, name) >= 0)
		name = arena_printf(&c->job->sink->arena, "context_%s", name);
	if (!name)
		return false;
	if (field_named(t, name) >= 0)
		return true;
	if (kernel && !strcmp(t->event.system, "sched") &&
	    (!strcmp(name, "prio") || !strcmp(name, "prev_prio") || !strcmp(name, "next_prio")))
		at.add = SWITCHES_PRIO;
	at.rwbs = kernel && at.part == CTF_PAYLOAD && !strcmp(name, "rwbs") &&
		  type_of(c, class, name) != 's';
	add_field(t, at.rwbs ? 's' : type_of(c, class, name), name, at);
	return true;
}

static bool add_fields(struct ctf *c, struct ctf_type *t, const struct parts *p, bool kernel)
{
	const struct ctf_source none = { .part = CTF_PARTS };
	const size_t most = p->n[CTF_PAYLOAD] + p->n[CTF_SPECIFIC] + p->n[CTF_COMMON] + 1;
	struct arena *arena = &c->job->sink->arena;

	t->event.fields = arena_alloc(arena, most * sizeof(*t->event.fields));
	t->sources = arena_alloc(arena, most * sizeof(*t->sources));
	if (!t->event.fields || !t->sources)
		return false;
	for (int i = 0; i < CTF_FACTS; i++)
		t->facts[i] = none;
	if (!strcmp(t->event.system, "raw_syscalls"))
		add_field(t, 'l', "id", none);
	else if (!strcmp(t->event.system, "syscalls") && kernel)
		add_field(t, 'i', "__syscall_nr", none);
	for (int part = 0; part < CTF_PARTS; part++)
		for (u64 i = 0; i < p->n[part]; i++)
			if (!add_member(c, t, p, kernel,
					(struct ctf_source){ .part = part, .member = (u32)i }))
				return false;
	return true;
}

static void find_known(struct ctf_type *t)
{
	static const char *const names[CTF_KNOWN] = {
		[CTF_PREV_PID] = "prev_pid",   [CTF_NEXT_PID] = "next_pid",
		[CTF_CHILD_PID] = "child_pid", [CTF_CHILD_TGID] = "child_tgid",
		[CTF_TASK_PID] = "pid",        [CTF_TGID] = "tgid",
		[CTF_PPID] = "ppid",           [CTF_NAME] = "name",
	};

	for (int i = 0; i < CTF_KNOWN; i++)
		t->known[i] = names[i] ? field_named(t, names[i]) : -1;
	if (t->event.n && t->sources[0].part == CTF_PARTS)
		t->known[CTF_ID] = 0;
}

/* --- formats --- */

static bool same_fields(const struct made_event *a, const struct made_event *b)
{
	for (size_t i = 0; a->n == b->n && i < a->n; i++)
		if (a->fields[i].type != b->fields[i].type ||
		    strcmp(a->fields[i].name, b->fields[i].name) != 0)
			return false;
	return a->n == b->n && a->states == b->states;
}

static const struct made_event *event_named(const struct ctf *c, const char *system,
					    const char *name)
{
	for (size_t i = 0; i < c->types.n; i++) {
		const struct made_event *e = &c->types.v[i]->event;

		if (!strcmp(e->system, system) && !strcmp(e->name, name))
			return e;
	}
	return NULL;
}

/* Another trace may have the same event; if it has other fields there, this one gets a number. */
static int add_format(struct ctf *c, struct made_event *event)
{
	const char *name = event->name;
	const struct made_event *same;

	for (u32 copies = 2; (same = event_named(c, event->system, event->name)); copies++) {
		if (same_fields(same, event)) {
			event->id = same->id;
			event->size = same->size;
			if (same->n)
				memcpy(event->fields, same->fields,
				       same->n * sizeof(*same->fields));
			return 0;
		}
		event->name = arena_printf(&c->job->sink->arena, "%s_%u", name, copies);
		if (!event->name)
			return HIST_NOMEM;
	}
	if (c->next_id > MADE_LAST_ID)
		return -HIST_ELIMIT;
	event->id = c->next_id++;
	return made_format(event, c->job->sink);
}

struct ctf_type *ctf_type_of(struct ctf *c, const struct ctf_stream *stream, const void *class)
{
	const u32 hash = hash_number((uintptr_t) class);
	const void *stream_class;
	const char *name;
	struct parts p;
	struct ctf_type *t, **known = indexed_find(&c->types, hash, e, (*e)->class == class);

	if (known)
		return *known;
	stream_class = c->bt.bt_stream_borrow_class_const(stream->stream);
	name = c->bt.bt_event_class_get_name(class);
	p = parts_of(c, stream_class, class);
	t = arena_alloc(&c->job->sink->arena, sizeof(*t));
	if (!t)
		return NULL;
	t->class = class;
	t->trace = stream->trace;
	t->clock = c->bt.bt_stream_class_borrow_default_clock_class_const(stream_class);
	t->event.states = stream->trace->states;
	set_names(c, stream->trace, t, name ? name : "");
	if (!t->event.system || !t->event.name || !add_fields(c, t, &p, stream->trace->kernel) ||
	    add_format(c, &t->event))
		return NULL;
	find_known(t);
	return indexed_add(&c->types, hash, t) ? t : NULL;
}
