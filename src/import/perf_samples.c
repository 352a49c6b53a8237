// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Samples of events that are not tracepoints become events perf:NAME: perf:cycles,
 * perf:page-faults.
 *
 * Their fields are those that perf recorded. Their names are perf's, without modifiers and the PMU,
 * so that cpu_core/cycles/ and cpu_atom/cycles/ are one event, cycles.
 */
#include "import/perf_samples.h"

enum { NAME_MAX_LEN = 60, TGID_AT = 8, MODE_AT = 12, FIELDS_AT = 16 };

/* Fields of 8 bytes, in the order of a record. */
static const struct {
	u64 bits; /* of sample_type; 0: always */
	const char *name, *format;
	size_t offset; /* in struct perf_sample */
} fields[] = {
	{ PERF_IP, "ip", "%pS", offsetof(struct perf_sample, ip) },
	{ 0, "period", "%llu", offsetof(struct perf_sample, period) },
	{ PERF_ADDR, "addr", "%#llx", offsetof(struct perf_sample, addr) },
	{ PERF_WEIGHT | PERF_WEIGHT_STRUCT, "weight", "%llu",
	  offsetof(struct perf_sample, weight) },
	{ PERF_DATA_SRC, "data_src", "%#llx", offsetof(struct perf_sample, data_src) },
	{ PERF_TRANSACTION, "transaction", "%#llx", offsetof(struct perf_sample, transaction) },
	{ PERF_PHYS_ADDR, "phys_addr", "%#llx", offsetof(struct perf_sample, phys_addr) },
};

static bool has_field(const struct perf_attr *a, size_t i)
{
	return !fields[i].bits || a->sample_type & fields[i].bits;
}

void perf_attr_name(const struct perf_attr *a, char *name, size_t size)
{
	static const char *const hardware[] = { "cycles",
						"instructions",
						"cache-references",
						"cache-misses",
						"branches",
						"branch-misses",
						"bus-cycles",
						"stalled-cycles-frontend",
						"stalled-cycles-backend",
						"ref-cycles" };
	static const char *const software[] = {
		"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
		"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"
	};
	u32 config = (u32)a->config; /* the upper half selects one of several kinds of CPU */

	if (a->name.n)
		snprintf(name, size, "%.*s", (int)min_t(size_t, a->name.n, 100), a->name.s);
	else if (a->type == 0 && config < ARRAY_SIZE(hardware)) /* ORDER perf_hw_id */
		snprintf(name, size, "%s", hardware[config]);
	else if (a->type == 1 && config < ARRAY_SIZE(software)) /* ORDER perf_sw_ids */
		snprintf(name, size, "%s", software[config]);
	else if (a->type == 4)
		snprintf(name, size, "r%llx", a->config);
	else
		snprintf(name, size, "type%u-%llx", a->type, a->config);
}

/* "cycles" of "cycles:ppp" and of "cpu_core/cycles/"; other characters become '_'. */
static void event_name(const struct perf_attr *a, bool whole, char *name, size_t size)
{
	char full[128];
	struct span rest, word;
	size_t n;

	perf_attr_name(a, full, sizeof(full));
	rest = span_of(full);
	word = span_sep(&rest, "/");
	if (rest.s && rest.n)
		word = span_sep(&rest, "/");
	else
		word = span_of(full);
	if (!whole)
		word = span_sep(&word, ":");
	n = min_t(size_t, word.n, min_t(size_t, size - 1, NAME_MAX_LEN));
	for (size_t i = 0; i < n; i++)
		name[i] = is_alnum(word.s[i]) || word.s[i] == '-' || word.s[i] == '_' ||
					  word.s[i] == '.'
				  ? word.s[i]
				  : '_';
	name[n] = '\0';
	if (!n)
		snprintf(name, size, "event");
}

/* Whether another event has this name too, without its modifiers: cycles:u and cycles:k. */
static bool is_shared(const struct perf_file *f, const struct perf_attr *a, const char *name)
{
	char other[128];

	array_each(const struct perf_attr, b, &f->attrs) {
		if (b == a || b->type == PERF_TYPE_TRACEPOINT || b->type != a->type ||
		    span_same(a->name, b->name))
			continue;
		event_name(b, false, other, sizeof(other));
		if (!strcmp(other, name))
			return true;
	}
	return false;
}

static char *format_text(const struct perf_attr *a, const char *name, u32 id, struct arena *arena)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT, args = STRBUF_INIT;
	u32 at = FIELDS_AT;

	strbuf_addf(&text,
		    "name: %s\nID: %u\nformat:\n" FORMAT_COMMON
		    "\tfield:pid_t tgid;\toffset:%d;\tsize:4;\tsigned:1;\n"
		    "\tfield:unsigned char mode;\toffset:%d;\tsize:1;\tsigned:0;\n",
		    name, id, TGID_AT, MODE_AT);
	strbuf_addstr(&args, "\nprint fmt: \"tgid=%d mode=%s");
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!has_field(a, i))
			continue;
		strbuf_addf(&text, "\tfield:u64 %s;\toffset:%u;\tsize:8;\tsigned:0;\n",
			    fields[i].name, at);
		strbuf_addf(&args, " %s=%s", fields[i].name, fields[i].format);
		at += 8;
	}
	strbuf_addstr(&args, "\", REC->tgid, __print_symbolic(REC->mode, { 0, \"unknown\" }, "
			     "{ 1, \"kernel\" }, { 2, \"user\" }, { 3, \"hypervisor\" }, "
			     "{ 4, \"guest-kernel\" }, { 5, \"guest-user\" })");
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (has_field(a, i))
			strbuf_addf(&args,
				    fields[i].bits == PERF_IP ? ", (void *)REC->%s" : ", REC->%s",
				    fields[i].name);
	strbuf_addf(&text, "%s\n", args.s ? args.s : "");
	text.failed |= args.failed;
	return arena_take(arena, &text);
}

/* The event with this name and these fields; its id is 0 if there is another one of that name. */
static int use_format(struct perf_attr *a, const char *name, struct import_sink *s)
{
	const struct event_text *same = format_list_find(&s->formats, "perf", span_of(name));
	const u32 id = same ? same->id : import_sink_free_id(s);
	const char *text = format_text(a, name, id, &s->arena);

	if (!text)
		return HIST_NOMEM;
	a->event_id = same && !span_eq(same->text, text) ? 0 : id;
	return same ? 0 : import_sink_format(s, "perf", span_of(text));
}

int perf_samples_format(const struct perf_file *f, struct perf_attr *a, struct import_sink *s)
{
	char name[NAME_MAX_LEN + 1];
	int err;

	event_name(a, false, name, sizeof(name));
	if (is_shared(f, a, name))
		event_name(a, true, name, sizeof(name));
	err = use_format(a, name, s);
	if (!err && !a->event_id) {
		/* other fields than those of an event with this name */
		snprintf(name, sizeof(name), "event-%zu", (size_t)(a - f->attrs.v));
		err = use_format(a, name, s);
	}
	return err;
}

u32 perf_samples_record(const struct perf_file *f, const struct perf_sample *s, s32 pid, u8 mode,
			u8 *rec)
{
	u32 at = FIELDS_AT;

	memset(rec, 0, FIELDS_AT);
	store_u16(rec, (u16)s->attr->event_id, f->big);
	store_u32(rec + 4, (u32)pid, f->big);
	store_u32(rec + TGID_AT, (u32)s->tgid, f->big);
	rec[MODE_AT] = mode;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		u64 v;

		if (!has_field(s->attr, i))
			continue;
		memcpy(&v, (const u8 *)s + fields[i].offset, sizeof(v));
		store_u64(rec + at, v, f->big);
		at += 8;
	}
	return at;
}
