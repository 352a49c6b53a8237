// SPDX-License-Identifier: LGPL-2.1-only
/* An explained interval as json: one object, whose parts are nested. hist-formats(5) describes it.
 */
#include "table/table.h"
#include "why/why.h"

enum { SCHEMA = 1 };

/* ORDER enum why_kind */
static const char *const kinds[N_WHY_KINDS] = { "task",    "running", "interrupt",
						"waiting", "culprit", "idle",
						"held",    "blocked", "unknown" };

/* ORDER enum why_reason */
static const char *const reasons[N_WHY_REASONS] = { "no events", "lost events", "outside",
						    "not running", "moved" };

/* ORDER enum why_end; NULL: the parts are those of the waker */
static const char *const ends[N_WHY_ENDS] = { NULL,    "interrupt", "idle",
					      "cycle", "depth",     "not recorded" };

static void add_task(struct json *j, const struct why_answer *a, s32 pid, u32 comm)
{
	json_s64(j, "pid", pid);
	json_str(j, "comm", comm ? why_word(a->store, comm) : why_store_comm(a->store, pid));
}

static void add_word(struct json *j, const struct why_answer *a, const char *name, u32 word)
{
	json_str_if(j, name, word ? why_word(a->store, word) : NULL);
}

static void add_stack(struct json *j, struct span stack)
{
	json_array(j, "stack");
	while (stack.s)
		json_text(j, NULL, span_sep(&stack, "\n"));
	json_close(j, ']');
}

static void add_parts(struct json *j, const struct why_answer *a, u32 of);

static void add_part(struct json *j, const struct why_answer *a, u32 i)
{
	const struct why_part *p = &a->tree->parts.v[i];
	const struct why_key *k = &p->key;

	json_object(j, NULL);
	json_str(j, "kind", kinds[k->kind]);
	json_u64(j, "ns", p->ns);
	json_u64(j, "times", p->pieces.n);
	json_time(j, "first", p->pieces.v[0].from, false);
	add_word(j, a, k->kind == WHY_IRQ || k->kind == WHY_HELD ? "name" : "state", k->word);
	add_word(j, a, "syscall", k->call);
	if (k->kind == WHY_RUNNING || k->kind == WHY_IRQ || k->kind == WHY_CULPRIT ||
	    k->kind == WHY_IDLE)
		json_u64(j, "cpu", k->cpu);
	json_u64_if(j, "khz", k->khz);
	if (k->kind == WHY_CULPRIT)
		add_task(j, a, k->pid, k->comm);
	if (k->kind == WHY_UNKNOWN)
		json_str(j, "reason", reasons[k->reason]);
	if (k->stack)
		add_stack(j, span_of(why_word(a->store, k->stack)));
	if (k->kind == WHY_BLOCKED) {
		if (p->end != WHY_NOT_YET) {
			json_object(j, "waker");
			add_task(j, a, p->key.pid, p->key.comm);
			json_flag(j, "in_interrupt", p->key.in_irq);
			add_word(j, a, "interrupt", p->key.irq);
			json_close(j, '}');
		}
		json_str_if(j, "chain_ends", ends[p->end]);
	}
	add_parts(j, a, i);
	json_close(j, '}');
}

static void add_parts(struct json *j, const struct why_answer *a, u32 of)
{
	if (!a->tree->parts.v[of].n_parts)
		return;
	json_array(j, "parts");
	why_for_each_part(i, a->tree, of) add_part(j, a, i);
	json_close(j, ']');
}

/* From the task that is explained to the one that woke first. */
static void add_chain(struct json *j, const struct why_answer *a)
{
	const struct why_part *parts = a->tree->parts.v;
	u32 n, end = why_tree_chain(a->tree, &n);

	if (n < 2)
		return;
	json_object(j, "longest_chain");
	json_u64(j, "ns", parts[end].ns);
	json_array(j, "wakers");
	for (u32 at = n; at; at--) {
		u32 above = 0, i = end;

		while (parts[i].key.kind != WHY_BLOCKED || ++above < at)
			i = parts[i].key.parent;
		json_object(j, NULL);
		add_task(j, a, parts[i].key.pid, parts[i].key.comm);
		json_flag(j, "in_interrupt", parts[i].key.in_irq);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

void why_json(const struct why_answer *a, const struct hist_why_options *o UNUSED,
	      struct strbuf *out)
{
	struct json j = { .out = out };
	const struct why_interval *v = a->interval;

	json_object(&j, NULL);
	json_str(&j, "type", "why");
	json_u64(&j, "schema", SCHEMA);
	json_str(&j, "version", HIST_VERSION);
	json_str_if(&j, "event", a->event);
	json_str_if(&j, "record", v->text);
	json_u64_if(&j, "number", a->rank);
	json_u64_if(&j, "of", a->of);
	json_time(&j, "from", v->from, false);
	json_time(&j, "to", v->to, false);
	if (a->event)
		json_u64(&j, "cpu", v->cpu);
	add_task(&j, a, v->pid, a->tree->parts.v[0].key.comm);
	json_u64(&j, "ns", a->tree->parts.v[0].ns);
	add_parts(&j, a, 0);
	add_chain(&j, a);
	json_caveats(&j, a->caveats);
	json_close(&j, '}');
	json_end_line(&j);
}
