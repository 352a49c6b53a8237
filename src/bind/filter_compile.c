// SPDX-License-Identifier: LGPL-2.1-only
/* The program of a filter: its predicates in order, each with where it goes on. */
#include "bind/binding.h"

/* Lay out @n with the targets @yes and @no, in reverse order, so that the targets are known. */
struct layout {
	struct filter_insn *insns;
	const struct filter_pred *preds;
	int next; /* index of the instruction that was laid out last */
};

static int lay_out(struct layout *l, const struct filter_node *n, int yes, int no)
{
	int right;

	switch (n->kind) {
	case FILTER_NOT:
		return lay_out(l, n->left, no, yes);
	case FILTER_AND:
		right = lay_out(l, n->right, yes, no);
		return lay_out(l, n->left, right, no);
	case FILTER_OR:
		right = lay_out(l, n->right, yes, no);
		return lay_out(l, n->left, yes, right);
	default:
		l->insns[--l->next] = (struct filter_insn){ l->preds[n->pred], yes, no };
		return l->next;
	}
}

/* The range from @first to @last. */
static bool range_between(struct filter_range *r, u64 first, u64 last)
{
	r->from = first;
	r->width = last - first;
	return true;
}

bool filter_range_of(const struct filter_pred *pred, struct filter_range *r)
{
	u64 v;

	*r = (struct filter_range){ .flip = pred->is_signed ? 1ull << 63 : 0,
				    .shift = 64 - 8 * pred->size,
				    .outside = pred->op == OP_NE || pred->op == OP_LT ||
					       pred->op == OP_GT };
	v = pred->val << r->shift ^ r->flip;
	switch (pred->op) {
	case OP_EQ:
	case OP_NE:
		return range_between(r, v, v);
	case OP_GE:
	case OP_LT:
		return range_between(r, v, UINT64_MAX);
	case OP_LE:
	case OP_GT:
		return range_between(r, 0, v);
	default:
		return false;
	}
}

int filter_compile(struct filter *f, const struct filter_text *text,
		   const struct filter_pred *preds)
{
	struct layout l = { .preds = preds, .next = (int)text->n_preds };

	f->insns = arena_alloc(&f->arena, text->n_preds * sizeof(*f->insns));
	if (!f->insns)
		return HIST_NOMEM;
	l.insns = f->insns;
	f->n_insns = text->n_preds;
	lay_out(&l, text->root, FILTER_TRUE, FILTER_FALSE);
	for (size_t i = 0; i < f->n_insns; i++) {
		struct filter_pred *pred = &f->insns[i].pred;

		if (pred->kind == PRED_NUM && filter_range_of(pred, &pred->range))
			pred->kind = PRED_RANGE;
	}
	return 0;
}
