// SPDX-License-Identifier: LGPL-2.1-only
/* The function, file and line of an address in a record, and those of its stacks. */
#include "code/code.h"
#include "program/hit.h"
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

u64 value_code(const struct value *v, const struct hit *hit, u64 addr)
{
	const struct code_question *q = v->question;
	struct code_at at = { .ts = hit->ts, .addr = addr };

	at.pid = (s32)load_at(hit, q->tgid_at ? q->tgid_at : PID_AT, 4, q->big_endian);
	if (q->what >= CODE_USTACK)
		return answer_of_stacks(q, hit, &at);
	at.where = where_of(q, hit, addr);
	return code_answer(q->code, q->what, &at);
}
