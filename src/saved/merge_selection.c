// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The selection of a sum. The parts of a recording, its CPUs and spans of time, can be added up;
 * the sum has those of all results, or none if a result has none. Tasks must be the same, except in
 * rows with different labels.
 */
#include "saved/merged.h"

static const char *const of_tasks[] = { "pid", "comm", "tree", "process", "cgroup" };

static bool same_tasks(const char *selection, const char *other)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_tasks); i++) {
		const struct span name = span_of(of_tasks[i]);
		const struct span a = selection_find(selection, name),
				  b = selection_find(other, name);

		if (!a.s != !b.s || (a.s && !span_same(a, b)))
			return false;
	}
	return true;
}

/*
 * Add the selection of a result to @sum, which is NULL before the first one: each line of both,
 * with the pieces of both.
 */
static int add_selection(struct merged *g, const char **sum, const char *selection)
{
	const char *before = *sum ? *sum : selection;
	struct span lines = span_of(before ? before : ""), name, text;
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;

	while (selection_next(&lines, &name, &text)) {
		const struct span other = selection_find(selection, name);
		scoped(free_scoped) span_array pieces = ARRAY_INIT;

		if (!other.s)
			continue;
		out.failed |= pieces_cut(&pieces, text, "; ") || pieces_cut(&pieces, other, "; ");
		strbuf_addf(&out, "%.*s ", (int)name.n, name.s);
		pieces_join(&pieces, "; ", &out);
		strbuf_addch(&out, '\n');
	}
	if (out.failed || !*sum || strcmp(*sum, out.s) != 0)
		*sum = out.failed ? NULL : arena_strdup(&g->s->arena, out.s);
	return *sum ? 0 : HIST_NOMEM;
}

int merged_add_selection(struct merged *g, const struct result *r)
{
	int err = add_selection(g, &g->selection, r->info->selection);

	g->s->info.selection = g->selection;
	return err;
}

/* --- results with the same labels --- */

static int find_part(struct merged *g, const struct merge_input *in, struct merged_part **out)
{
	scoped(strbuf_release) struct strbuf labels = STRBUF_INIT;
	struct merged_part new = { .labels = NULL };
	u32 hash;

	for (size_t i = 0; i < in->n_labels; i++)
		strbuf_addf(&labels, "%s=%s\n", in->labels[i].name, in->labels[i].value);
	if (labels.failed)
		return HIST_NOMEM;
	hash = hash_text(labels.s);
	*out = indexed_find(&g->parts, hash, e, !strcmp(e->labels, labels.s));
	if (*out)
		return 0;
	new.labels = arena_strdup(&g->s->arena, labels.s);
	new.first = arena_strdup(&g->s->arena, in->name);
	*out = new.labels &&new.first ? indexed_add(&g->parts, hash, new) : NULL;
	return *out ? 0 : HIST_NOMEM;
}

static int refuse_tasks(const struct merged_part *part, const struct merge_input *in,
			const struct result *r, struct diags *diags)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	int err;

	selection_print(part->selection, &a);
	selection_print(r->info->selection, &b);
	err = diags_error(diags, -HIST_EINVAL,
			  "%s and %s cannot be merged: %s: they counted different tasks: "
			  "%s, and %s; give each a --label with another value",
			  part->first, in->name, r->event, a.s, b.s);
	strbuf_release(&a);
	strbuf_release(&b);
	return err;
}

int merged_check_selection(struct merged *g, const struct merge_input *in, const struct result *r,
			   struct diags *diags)
{
	const char *other = r->info->selection ? r->info->selection : "";
	struct merged_part *part;
	int err = find_part(g, in, &part);

	if (err)
		return err;
	if (part->selection && !same_tasks(part->selection, other))
		return refuse_tasks(part, in, r, diags);
	if (part->selection && strcmp(part->selection, other) != 0) {
		/* each once: a note for other parts, a warning for a part and the whole */
		bool alike = selections_are_alike(part->selection, other);
		bool *reported = alike ? &g->noted_selection : &g->warned_selection;
		scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

		if (!*reported) {
			selections_print(part->first, part->selection, in->name, other, &text);
			diags_add(diags, alike ? DIAG_NOTE : DIAG_WARNING,
				  "%s: %s: what several counted is in the sum several times",
				  r->event, text.s);
		}
		*reported = true;
	}
	return add_selection(g, &part->selection, other);
}
