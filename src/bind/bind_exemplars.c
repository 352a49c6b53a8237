// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Selects the number of a histogram for exemplars: the one with the given name; otherwise the
 * first value or variable that is a quantity, otherwise a key that
 * is not the id of a task or CPU, preferably a rounded one.
 */
#include "bind/binding.h"
#include "program/exemplars.h"

static bool is_number(const struct hist_field *f)
{
	const u32 none = HIST_FIELD_FL_CONST | HIST_FIELD_FL_HITCOUNT | HIST_FIELD_FL_STRING |
			 HIST_FIELD_FL_STACKTRACE;

	return f->kind == HIST_NUMBER && !(f->flags & none);
}

static struct hist_field *find_named(const struct hist_data *hd, const char *name)
{
	u32 i;

	for_each_hist_field(i, hd)
		if (is_number(hd->fields[i]) && !strcmp(exemplars_name(hd->fields[i]), name))
			return hd->fields[i];
	return NULL;
}

static struct hist_field *find_quantity(const struct hist_data *hd)
{
	const u32 named = HIST_FIELD_FL_EXECNAME | HIST_FIELD_FL_SYSCALL | HIST_FIELD_FL_SYM |
			  HIST_FIELD_FL_SYM_OFFSET | HIST_FIELD_FL_HEX | HIST_FIELD_FL_CPU;
	struct hist_field *plain = NULL;
	u32 i;

	for_each_hist_val_field(i, hd)
		if (i && hist_field_is_quantity(hd->fields[i]))
			return hd->fields[i];
	for_each_hist_key_field(i, hd) {
		struct hist_field *f = hd->fields[i];

		if (!is_number(f) || f->flags & named || hist_field_is_who_text(f) ||
		    hist_field_is_code(f) || number_is_id(exemplars_name(f)))
			continue;
		if (exemplars_number(f) != f)
			return f;
		plain = plain ? plain : f;
	}
	return plain;
}

int hist_exemplars_bind(struct hist_data *hd, const struct replay_options *options)
{
	const char *name = options->exemplars.of;
	const struct hist_field *f = name ? find_named(hd, name) : find_quantity(hd);

	if (!f)
		return 0;
	hd->exemplars = arena_alloc(&hd->arena, sizeof(*hd->exemplars));
	if (!hd->exemplars)
		return HIST_NOMEM;
	hd->exemplars->field = f;
	hd->exemplars->max = options->exemplars.max;
	hd->exemplars->moments = options->exemplars.moments;
	return 0;
}
