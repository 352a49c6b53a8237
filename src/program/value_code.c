// SPDX-License-Identifier: LGPL-2.1-only
/* The function, file and line of an address in a record, and those of its stacks. */
#include "code/code.h"
#include "program/value.h"

enum { PID_AT = 4 };

/* ORDER mode in import/perf_samples.c: what a sample interrupted */
static enum code_where where_of(const struct code_question *q, const struct hit *hit, u64 addr)
{
	static const enum code_where modes[] = { CODE_ELSEWHERE, CODE_KERNEL, CODE_USER,
						 CODE_ELSEWHERE, CODE_GUEST,  CODE_GUEST };
	const u8 mode = q->mode_at && q->mode_at < hit->len ? hit->rec[q->mode_at] : 0;

	if (mode < ARRAY_SIZE(modes) && (modes[mode] == CODE_GUEST || (q->is_ip && mode)))
		return modes[mode];
	return addr >> (q->is_short ? 31 : 63) ? CODE_KERNEL : CODE_USER;
}

static u64 load_at(const struct hit *hit, u32 at, u32 size, bool big)
{
	return at && (u64)at + size <= hit->len ? load_int(hit->rec + at, size, false, big) : 0;
}

static u64 answer_of_stacks(const struct code_question *q, const struct hit *hit,
			    struct code_at *at)
{
	struct hit_stacks stacks;
	u64 ip;

	stacks.n_kernel = stacks.n_user = 0;
	stacks.tgid = 0;
	if (hit->context->stacks)
		hit->context->stacks(hit->context->arg, &stacks);
	if (!at->pid || !q->tgid_at)
		at->pid = stacks.tgid ? stacks.tgid : at->pid;
	at->kernel = stacks.kernel;
	at->user = stacks.user;
	at->n_kernel = q->what == CODE_STACK ? stacks.n_kernel : 0;
	at->n_user = stacks.n_user;
	/* perf recorded no call chain: what it interrupted */
	if (q->ip_at && !stacks.n_kernel && !stacks.n_user) {
		ip = load_at(hit, q->ip_at, 8, q->big_endian);
		at->where = where_of(&(struct code_question){ .mode_at = q->mode_at,
							      .is_ip = true,
							      .is_short = q->is_short },
				     hit, ip);
		if (at->where == CODE_KERNEL && q->what == CODE_STACK) {
			stacks.kernel[0] = ip;
			at->n_kernel = 1;
		} else if (at->where == CODE_USER) {
			stacks.user[0] = ip;
			at->n_user = 1;
		}
	}
	return code_answer(q->code, q->what, at);
}

static u32 place_of(const struct event_format *format, const char *name)
{
	const struct event_field *f = event_find_field(format, span_of(name), GENERICS_6_1);

	return f && f->size ? f->offset : 0;
}

struct code_question code_question_of(const struct machine *m, const struct event_format *format,
				      const struct event_field *field, enum code_what what)
{
	struct code_question q = { .code = m->code,
				   .what = what,
				   .addr_at = field ? field->offset : 0,
				   .is_ip = field && !strcmp(field->name, "ip"),
				   .big_endian = m->big_endian,
				   .is_short = m->long_size == 4 };

	if (!strcmp(format->system, "perf")) {
		q.ip_at = place_of(format, "ip");
		q.tgid_at = place_of(format, "tgid");
		q.mode_at = place_of(format, "mode");
	}
	return q;
}

bool code_question_find(const struct machine *m, const struct event_format *format,
			struct span name, enum code_what what, struct code_question *q)
{
	const struct event_field *f = event_find_field(format, name, GENERICS_6_1);
	const bool made = !strcmp(format->system, "synthetic") ||
			  !strcmp(format->system, "derived");

	if (what == N_CODE) {
		what = !f && !made ? code_find_stack(name) : N_CODE;
		f = NULL;
	} else if (!f || f->filter_type != FILTER_OTHER || f->size != 8) {
		what = N_CODE;
	}
	*q = code_question_of(m, format, f, what);
	return what < N_CODE;
}

u64 code_question_ask(const struct code_question *q, const struct hit *hit)
{
	struct code_at at = { .ts = hit->ts };

	at.pid = (s32)load_at(hit, q->tgid_at ? q->tgid_at : PID_AT, 4, q->big_endian);
	if (q->what >= CODE_USTACK)
		return answer_of_stacks(q, hit, &at);
	at.addr = load_at(hit, q->addr_at, 8, q->big_endian);
	at.where = where_of(q, hit, at.addr);
	return code_answer(q->code, q->what, &at);
}

const char *const *code_question_texts(const struct code_question *q, u64 answer,
				       const char *room[static 1], size_t *n)
{
	return code_texts(q->code, q->what, answer, room, n);
}
