// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Evaluates filters on records.
 *
 * Strings are compared as in the kernel: an array of fixed size has its declared length, so a
 * pattern that is anchored at the end is anchored at the end of the array; see regex_match_*()
 * in trace_events_filter.c and glob_match_len() in lib/glob.c. By the exact rules a string ends at
 * its NUL.
 */
#include <fnmatch.h>

#include "program/filter.h"
#include "program/value.h"

/* --- strings --- */

/*
 * [a-z], [!a-z]; *end is after the ']'. Returns false if this is not a class and '[' is an ordinary
 * character.
 */
static bool cut_class(struct span pat, size_t i, unsigned char c, bool *match, size_t *end)
{
	bool invert = i + 1 < pat.n && pat.s[i + 1] == '!', found = false;
	size_t first = i + 1 + invert, p = first;

	do {
		unsigned char a, b;

		if (p >= pat.n)
			return false;
		a = b = (unsigned char)pat.s[p++];
		if (p + 1 < pat.n && pat.s[p] == '-' && pat.s[p + 1] != ']') {
			b = (unsigned char)pat.s[p + 1];
			p += 2;
		}
		found |= a <= c && c <= b;
	} while (p >= pat.n || pat.s[p] != ']');
	*match = found != invert;
	*end = p + 1;
	return true;
}

/* Match one character of the pattern at @p against @c; *next is set to the rest of the pattern. */
static bool glob_char(struct span pat, size_t p, unsigned char c, size_t *next)
{
	bool match;

	*next = p + 1;
	if (pat.s[p] == '?')
		return true;
	if (pat.s[p] == '[' && cut_class(pat, p, c, &match, next))
		return match;
	if (pat.s[p] == '\\' && p + 1 < pat.n) {
		*next = p + 2;
		p++;
	}
	return (unsigned char)pat.s[p] == c;
}

/*
 * Match all of @s up to a NUL; only the last '*' passed is retried one character further. kernel:
 * 6.1 lets [!x] match that NUL and the bytes after it in the field; past the end of the field there
 * are only NULs.
 */
static bool glob_match(struct span pat, struct span s, bool class_ends)
{
	size_t p = 0, i = 0, back_p = SIZE_MAX, back_i = 0, next, slashes = 0;

	/* kernel: a backslash at the end of the pattern matches the end of the string */
	while (slashes < pat.n && pat.s[pat.n - 1 - slashes] == '\\')
		slashes++;
	pat.n -= slashes % 2;
	for (;;) {
		unsigned char c = i < s.n ? (unsigned char)s.s[i] : '\0';

		if (p < pat.n && pat.s[p] == '*') {
			back_p = ++p;
			back_i = i;
			if (p == pat.n)
				return true;
			continue;
		}
		if (p == pat.n && !c)
			return true;
		if (p < pat.n && (c || (!class_ends && pat.s[p] == '[')) &&
		    glob_char(pat, p, c, &next)) {
			p = next;
			i++;
			continue;
		}
		if (!c || back_p == SIZE_MAX)
			return false;
		p = back_p;
		i = ++back_i;
	}
}

/* @len is the length that the kernel assumes; 0 if the string ends at its NUL. */
bool filter_text_match(const struct filter_pattern *pat, struct span s, size_t len, bool class_ends)
{
	struct span text = { s.s, strnlen(s.s, s.n) };

	if (pat->ends_at_nul) {
		s = text;
		len = 0;
	}
	switch (pat->match) {
	case MATCH_FULL:
		return (!len || len >= pat->text.n) && span_same(text, pat->text);
	case MATCH_FRONT_ONLY:
		return (!len || len >= pat->text.n) && text.n >= pat->text.n &&
		       !memcmp(text.s, pat->text.s, pat->text.n);
	case MATCH_MIDDLE_ONLY:
		return span_find(len ? s : text, pat->text) != NULL;
	case MATCH_END_ONLY:
		if (pat->ends_at_nul)
			return text.n >= pat->text.n &&
			       !memcmp(text.s + text.n - pat->text.n, pat->text.s, pat->text.n);
		return len > pat->text.n && s.n == len &&
		       !memcmp(s.s + len - 1 - pat->text.n, pat->text.s, pat->text.n);
	default:
		return glob_match(pat->text, len || pat->ends_at_nul ? s : (struct span){ "", 0 },
				  class_ends);
	}
}

/* --- predicates --- */

/* The result of the operator for two numbers, in any type; @meet: they have common bits */
static bool holds(enum filter_op op, bool less, bool equal, bool meet)
{
	switch (op) {
	case OP_EQ:
		return equal;
	case OP_NE:
		return !equal;
	case OP_BAND:
		return meet;
	case OP_LT:
		return less;
	case OP_LE:
		return less || equal;
	case OP_GT:
		return !less && !equal;
	default:
		return !less;
	}
}

/* Compare as numbers of the field's type. */
static bool match_num(const struct filter_pred *p, u64 v)
{
	unsigned int shift = 64 - 8 * p->size;
	u64 a = v << shift, b = p->val << shift;

	return holds(p->op, p->is_signed ? (s64)a < (s64)b : a < b, a == b, a & b);
}

static bool has_cpu(const struct filter_pred *p, u64 cpu)
{
	return cpu < p->nr_cpus && bits_has(p->cpus, cpu);
}

/* A number against a set of several: it never equals the set. */
static bool match_in_cpus(const struct filter_pred *p, u64 cpu)
{
	return p->op == OP_NE || (p->op == OP_BAND && has_cpu(p, cpu));
}

static bool match_mask(const struct filter_pred *p, struct span mask, bool big, u32 long_size)
{
	bool equal = true, meet = false;

	for (u32 i = 0; i < p->nr_cpus; i++) {
		/* longs in the byte order of the machine */
		size_t at =
			big ? i / 8 / long_size * long_size + (long_size - 1 - i / 8 % long_size)
			    : i / 8;
		bool a = at < mask.n && (unsigned char)mask.s[at] >> (i % 8) & 1;
		bool b = p->kind == PRED_MASK_CPU ? i == p->val : has_cpu(p, i);

		equal &= a == b;
		meet |= a && b;
	}
	if (p->op == OP_EQ)
		return equal;
	return p->op == OP_NE ? !equal : meet;
}

static bool match_string(const struct filter *f, const struct filter_pred *p, const struct hit *hit)
{
	bool big = f->big_endian, ends = f->glob_class_ends;
	const char *rec = (const char *)hit->rec;
	struct span s;
	size_t len;

	switch (p->kind) {
	case PRED_STRING:
		s = load_bytes(hit, p->offset, p->size ? p->size : UINT32_MAX);
		return filter_text_match(&p->pattern, s, p->size, ends) != p->negated;
	case PRED_COMM: {
		char comm[TASK_COMM_LEN] = "";
		const char *now = hit->context->comm(hit->context->arg, hit);

		memcpy(comm, now, strnlen(now, sizeof(comm) - 1));
		return filter_text_match(&p->pattern, (struct span){ comm, sizeof(comm) },
					 sizeof(comm), ends) != p->negated;
	}
	case PRED_USER:
		s = load_dynamic(hit, p->offset, false, big);
		/* kernel: memory that cannot be read never matches */
		if (!s.n)
			return false;
		len = strnlen(s.s, s.n) + 1;
		s.n = min_t(size_t, s.n, len);
		return filter_text_match(&p->pattern, s, len, ends) != p->negated;
	default:
		s = load_dynamic(hit, p->offset, p->kind == PRED_RDYN, big);
		len = s.n;
		/* kernel: without a length it compares the bytes that follow, up to a NUL */
		if (!len) {
			s = load_dynamic_string(hit, p->offset, p->kind == PRED_RDYN, big);
			/* a probe could not read it, and no NUL follows in the record */
			if (f->beyond && (s.s < rec || s.s + s.n >= rec + hit->len))
				__atomic_fetch_add(f->beyond, 1, __ATOMIC_RELAXED);
		}
		return filter_text_match(&p->pattern, s, len, ends) != p->negated;
	}
}

static bool match_who(const struct filter *f, const struct filter_pred *p, const struct hit *hit)
{
	const struct hit_context *source = hit->context;
	s32 pid = (s32)load_int(hit->rec + p->offset, p->size, true, f->big_endian);
	u64 answer = source->who(source->arg, hit, pid, p->who);
	char buf[WHO_TEXT_MAX];
	struct filter_pred number = *p;
	const char *text;
	size_t len;

	if (who_is_number(p->who)) {
		number.size = sizeof(s32);
		number.is_signed = true;
		return match_num(&number, answer);
	}
	text = who_text(source->texts, p->who, answer, buf);
	len = strlen(text) + 1;
	return filter_text_match(&p->pattern, (struct span){ text, len }, len,
				 f->glob_class_ends) != p->negated;
}

/* Of a stack, one frame matches. */
static bool match_code(const struct filter *f, const struct filter_pred *p, const struct hit *hit)
{
	const struct code_question *q = p->question;
	const u64 answer = code_question_ask(q, hit);
	const char *room[1];
	size_t n;
	const char *const *texts = code_question_texts(q, answer, room, &n);
	bool found = any_of(i, n,
			    filter_text_match(&p->pattern, span_of(texts[i]), strlen(texts[i]) + 1,
					      f->glob_class_ends));

	return found != p->negated;
}

/* The processes or cgroups that the user chose. A cgroup contains those below it. */
static bool match_chosen(const struct filter *f, const struct filter_pred *p, const struct hit *hit)
{
	const s32 pid = p->size ? (s32)load_u32(hit->rec + p->offset, f->big_endian) : hit->pid;
	const u64 answer = hit->context->who(hit->context->arg, hit, pid, p->who);
	char buf[WHO_TEXT_MAX], name[WHO_TEXT_MAX];
	const bool cgroup = p->who == WHO_CGROUP;
	const char *text, *id = NULL;
	bool found = false;

	if (answer >> 32 == WHO_UNKNOWN >> 32) {
		__atomic_store_n(&p->choice->unknown, true, __ATOMIC_RELAXED);
		return false;
	}
	text = who_text(hit->context->texts, p->who, answer, buf);
	/* a process is NAME-PID */
	if (!cgroup) {
		snprintf(name, sizeof(name), "%s", text);
		text = name;
		id = strrchr(name, '-');
		if (id)
			name[id++ - name] = '\0';
		/* the number of a later task with this text */
		if (id)
			name[id - name + strcspn(id, " ")] = '\0';
	}
	for (size_t i = 0; i < p->choice->n && !found; i++)
		found = !fnmatch(p->choice->globs[i], text, cgroup ? FNM_LEADING_DIR : 0) ||
			(id && !strcmp(p->choice->globs[i], id));
	return found != p->choice->negated;
}

static __attribute__((noinline)) bool match_other(const struct filter *f,
						  const struct filter_pred *p,
						  const struct hit *hit)
{
	const u8 *at = hit->rec + p->offset;
	bool big = f->big_endian;
	u64 v;
	size_t i;

	switch (p->kind) {
	case PRED_NUM:
		return match_num(p, load_int(at, p->size, p->is_signed, big));
	case PRED_WHO:
		return match_who(f, p, hit);
	case PRED_CODE:
		return match_code(f, p, hit);
	case PRED_CHOSEN:
		return match_chosen(f, p, hit);
	case PRED_FUNCTION:
		v = load_int(at, p->size, false, big);
		return (p->op == OP_EQ) == (v >= p->val && v < p->val2);
	case PRED_POINTER:
		v = load_int(at, p->size, false, big);
		i = partition_point(k, p->nr_addrs, p->addrs[k] < v);
		return i < p->nr_addrs && p->addrs[i] == v;
	case PRED_CPU:
		/* kernel: no CPU has bits; ->val2 is those by the exact rules */
		return holds(p->op, (int)hit->cpu < (int)p->val, (int)hit->cpu == (int)p->val,
			     hit->cpu & p->val2);
	case PRED_CPU_CPUS:
		return match_in_cpus(p, hit->cpu);
	case PRED_NUM_CPUS:
		/* kernel: no operator is true for a number that is not a CPU */
		v = (u32)load_int(at, p->size, false, big);
		return v < p->nr_cpus && match_in_cpus(p, v);
	case PRED_MASK_CPU:
	case PRED_MASK_CPUS:
		return match_mask(p, load_dynamic(hit, p->offset, false, big), big, f->long_size);
	case PRED_STRING:
	case PRED_DYN:
	case PRED_RDYN:
	case PRED_USER:
	case PRED_COMM:
		return match_string(f, p, hit);
	default:
		return false;
	}
}

static inline bool match_range(const struct filter *f, const struct filter_pred *p,
			       const struct hit *hit)
{
	return filter_range_has(&p->range,
				load_int(hit->rec + p->offset, p->size, false, f->big_endian));
}

/* A text that ends at its NUL, without its length, which most patterns do not need. */
static inline bool match_pointed(const struct filter *f, const struct filter_pred *p,
				 const struct hit *hit)
{
	const char *s = (const char *)(uintptr_t)load_u64(hit->rec + p->offset, f->big_endian);
	const struct span pat = p->pattern.text;
	size_t n = 0;

	if (p->pattern.match > MATCH_FRONT_ONLY && pat.n)
		return filter_text_match(&p->pattern, span_of(s), 0, f->glob_class_ends) !=
		       p->negated;
	while (n < pat.n && s[n] == pat.s[n])
		n++;
	return (n == pat.n && (p->pattern.match != MATCH_FULL || !s[n])) != p->negated;
}

static __attribute__((noinline)) bool match_insns(const struct filter *f, const struct hit *hit)
{
	int i = 0;

	while (i >= 0) {
		const struct filter_insn *in = &f->insns[i];
		bool yes = in->pred.kind == PRED_RANGE     ? match_range(f, &in->pred, hit)
			   : in->pred.kind == PRED_POINTED ? match_pointed(f, &in->pred, hit)
							   : match_other(f, &in->pred, hit);

		i = yes ? in->yes : in->no;
	}
	return i == FILTER_TRUE;
}

bool filter_match(const struct filter *filter, const struct hit *hit)
{
	const struct filter_pred *pred;
	bool has;

	if (!filter || filter->failed)
		return true;
	if (hit->len < filter->min_size)
		return false;
	pred = filter_only_range(filter, &has);
	return pred ? match_range(filter, pred, hit) == has : match_insns(filter, hit);
}

void filter_free(struct filter *filter)
{
	if (!filter)
		return;
	arena_release(&filter->arena);
	free(filter);
}
