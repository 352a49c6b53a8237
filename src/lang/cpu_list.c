// SPDX-License-Identifier: LGPL-2.1-only
/* Reads a list of CPUs, as in a filter. Corresponds to bitmap_parselist() of the kernel. */
#include "lang/filter_text.h"

/* A CPU number in decimal, or N for the last one. */
static bool cut_cpu(struct span *rest, u32 nr_cpus, u64 *cpu)
{
	size_t n = 0;

	if (rest->n && rest->s[0] == 'N') {
		*cpu = nr_cpus - 1;
		*rest = span_skip(*rest, 1);
		return true;
	}
	for (*cpu = 0; n < rest->n && is_digit(rest->s[n]) && *cpu <= UINT32_MAX; n++)
		*cpu = *cpu * 10 + (u64)(rest->s[n] - '0');
	*rest = span_skip(*rest, n);
	return n > 0 && *cpu <= UINT32_MAX;
}

static bool cut_char(struct span *rest, char c)
{
	if (!rest->n || rest->s[0] != c)
		return false;
	*rest = span_skip(*rest, 1);
	return true;
}

static bool is_gap(char c)
{
	return is_space(c) || c == ',';
}

struct cpu_range {
	u64 from, to, used, group;
	bool patterned;
};

/* N, N-M, N-M:USED/GROUP, all or all:USED/GROUP */
static bool cut_cpu_range(struct span *rest, u32 nr_cpus, struct cpu_range *r)
{
	*r = (struct cpu_range){ .to = nr_cpus - 1, .used = 1, .group = 1 };
	if (rest->n >= 3 && !strncasecmp(rest->s, "all", 3)) {
		*rest = span_skip(*rest, 3);
	} else {
		if (!cut_cpu(rest, nr_cpus, &r->from))
			return false;
		r->to = r->from;
		if (!rest->n || is_gap(rest->s[0]))
			return true;
		if (!cut_char(rest, '-') || !cut_cpu(rest, nr_cpus, &r->to))
			return false;
	}
	if (!rest->n || is_gap(rest->s[0]))
		return true;
	r->patterned = true;
	return cut_char(rest, ':') && cut_cpu(rest, nr_cpus, &r->used) && cut_char(rest, '/') &&
	       cut_cpu(rest, nr_cpus, &r->group);
}

bool cpu_list_parse(struct span list, u64 *cpus, u32 nr_cpus)
{
	struct cpu_range r;

	for (;;) {
		while (list.n && is_gap(list.s[0]))
			list = span_skip(list, 1);
		if (!list.n)
			return true;
		if (!cut_cpu_range(&list, nr_cpus, &r) || r.from > r.to || r.to >= nr_cpus ||
		    !r.group || r.used > r.group)
			return false;
		for (u64 cpu = r.from; cpu <= r.to; cpu++)
			if ((cpu - r.from) % r.group < r.used)
				bits_add(cpus, cpu);
		/* kernel: the list ends at a newline, except after a pattern */
		if (!r.patterned && list.n && list.s[0] == '\n')
			return true;
	}
}
