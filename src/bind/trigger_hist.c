// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The command "hist": creates a histogram, removes one, pauses, continues or clears one.
 *
 * The parameter text is always cut and bound; its effect then depends on the tokens and on the
 * existing triggers. Corresponds to event_hist_trigger_parse(), hist_register_trigger() in
 * trace_events_hist.c.
 */
#include "bind/bind.h"
#include "bind/binding.h"
#include "count/count.h"

/* Remove the hidden histograms of @hd. */
static void unregister_field_var_hists(struct hist_data *hd)
{
	scoped(diags_release) struct diags ignored = DIAGS_INIT;

	for (u32 i = 0; i < hd->n_field_var_hists; i++) {
		/* they match if they are bound by the same rules */
		struct cmd_log log = { .tr = hd->file->tr,
				       .diags = &ignored,
				       .loc = "",
				       .cmd = "",
				       .question = hd->question };
		struct span cmd = span_of(hd->field_var_hists[i].cmd);

		event_hist_trigger_parse(hd->field_var_hists[i].file, true, cmd, NULL, &log);
	}
}

/* Free a histogram without users. */
static void hist_data_put(struct hist_data *hd)
{
	unregister_field_var_hists(hd);
	hist_data_free(hd);
}

/*
 * Drop one user of the trigger's histogram. Named triggers share that of the first one, which
 * outlives its removal from its event.
 */
static void hist_trigger_put(struct trigger *trigger)
{
	struct trigger *first = trigger->named_data ? trigger->named_data : trigger;
	struct hist_data *hd = first->hist;

	if (trigger != first) {
		trigger->hist = NULL;
		trigger_free(trigger);
	}
	if (--first->refs)
		return;
	hist_index_del(first);
	count_var_refs(hd, -1);
	first->hist = NULL;
	trigger_free(first);
	hist_data_put(hd);
}

/* --- making one --- */

static bool any_stack(struct field_var *const *vars, u32 n)
{
	return any_of(i, n, vars[i]->val->flags & HIST_FIELD_FL_STACKTRACE);
}

/*
 * A stack in a variable is the number of frames and the frames; the kernel's maximum fits into the
 * space of a string.
 */
static u32 str_room(const struct hist_data *hd)
{
	bool stacks = any_stack(hd->field_vars, hd->n_field_vars) ||
		      any_stack(hd->save_vars, hd->n_save_vars);

	stacks |=
		any_of(i, hd->n_vals,
		       hd->fields[i]->var.name && hd->fields[i]->flags & HIST_FIELD_FL_STACKTRACE);
	return stacks && hd->rules->unlimited ? 8 * (1 + HIST_STACKTRACE_DEPTH_MAX)
					      : STR_VAR_LEN_MAX;
}

static void describe_map(struct hist_data *hd, const struct tracing *t)
{
	u32 n_sums = hd->n_vals - hd->n_vars;
	u32 n_str = hd->n_field_var_str + hd->n_save_var_str + hd->n_var_str;
	u32 i;

	hd->str_room = str_room(hd);
	hd->desc = (struct tracing_map_desc){
		.key_size = hd->key_size,
		.n_sums = n_sums,
		.n_vars = hd->n_map_vars,
		.private_size = n_str * hd->str_room,
		.max_elts = hd->rules->unlimited ? 0 : 1u << hd->map_bits,
		.max_memory = hd->rules->unlimited ? t->options.max_memory : 0,
		.big_endian = t->machine.big_endian,
	};

	for_each_hist_field(i, hd)
		hd->has_comm |= hd->fields[i]->flags &
				(HIST_FIELD_FL_EXECNAME | HIST_FIELD_FL_COMM);
	if (hd->has_comm)
		hd->desc.private_size += sizeof(struct first_hit);
	hd->private_at = hd->desc.private_size;
	if (hd->n_save_vars)
		hd->desc.private_size += sizeof(u64);
	if (hd->exemplars)
		hd->desc.private_size += sizeof(u64);
	hd->desc.n_samples = hd->stats ? hd->stats->n : 0;
	hd->desc.private_size += hd->desc.n_samples * sizeof(u64);
}

/*
 * Whether the trigger may be added to those of the event; *named is set to the first one with its
 * name.
 */
static int check_existing(struct bind *b, const struct trigger *trigger, struct trigger **named)
{
	struct hist_data *hd = b->hd;
	const char *clock;

	*named = find_named_trigger(b->t, hd->name);
	if (*named && !hist_trigger_match(trigger, *named, *named, true))
		return log_hist_err(b->log, HIST_ERR_NAMED_MISMATCH, span_of(hd->name));
	if ((*named || !hd->name) && find_same_hist(b->file, trigger, *named))
		return log_hist_err(b->log, HIST_ERR_TRIGGER_EEXIST, (struct span){ NULL, 0 });
	if (hd->text.cont || hd->text.clear)
		return log_hist_err(b->log, HIST_ERR_TRIGGER_ENOENT_CLEAR,
				    (struct span){ NULL, 0 });
	/*
	 * kernel: a histogram with times selects its clock, which stays when the histogram is
	 * removed.
	 */
	clock = b->hd->clock;
	if (!b->hd->enable_timestamps)
		return 0;
	if (!machine_has_clock(&b->t->machine, clock))
		return log_hist_err(b->log, HIST_ERR_SET_CLOCK_FAIL, span_of(clock));
	b->file->tr->clock = arena_strndup(&b->t->arena, clock, strlen(clock));
	return b->file->tr->clock ? 0 : HIST_NOMEM;
}

/* Index the trigger; 0, or -HIST_ENOMEM with nothing changed. */
static int index_trigger(struct trigger *trigger)
{
	bool first = !trigger->named_data;
	int err = trigger_index_add(trigger);

	if (!err && first)
		err = hist_index_add(trigger);
	if (!err)
		return 0;
	trigger_index_del(trigger);
	if (first)
		hist_index_del(trigger);
	return err;
}

static int register_trigger(struct bind *b, struct trigger *trigger)
{
	struct hist_data *hd = b->hd;
	struct trigger *named;
	int err = check_existing(b, trigger, &named);

	if (!err && named)
		err = bind_layout(b, trigger, named->hist);
	err = err ?: trigger_limit_to_tasks(trigger);
	err = err ?: trigger_add(trigger, false);
	if (err)
		return err;
	trigger->paused = trigger->initial.paused = hd->text.pause;
	trigger->refs = 1;
	trigger->name = named ? named->name : hd->name;
	trigger->named_data = named;
	trigger->hist = named ? named->hist : hd;
	err = index_trigger(trigger);
	if (err) {
		trigger->hist = hd;
		trigger_del(trigger);
		return err;
	}
	if (named) {
		/* Its own was for checking only. kernel: hidden histograms made for it remain. */
		hist_data_free(hd);
		named->refs++;
	} else {
		count_var_refs(hd, 1);
	}
	if (b->file->synth)
		b->file->synth->refs++;
	return 0;
}

/* Actions, hidden histograms and the map, then the event's list. */
static int add_hist(struct bind *b, struct trigger *trigger)
{
	struct hist_data *hd = b->hd;
	int err = create_actions(b);

	if (!err && hd->n_field_var_str + hd->n_save_var_str + hd->n_var_str > SYNTH_FIELDS_MAX)
		err = log_silent(b->log, hd->text.trigger, "more than 64 string variables");
	if (!err && b->t->options.stats)
		err = hist_stats_bind(hd);
	if (!err && b->t->options.exemplars.max)
		err = hist_exemplars_bind(hd, &b->t->options);
	if (err)
		return err;
	describe_map(hd, b->t);
	return hist_program_new(hd) ?: register_trigger(b, trigger);
}

/* --- other effects of the command --- */

void event_trigger_remove(struct trigger *trigger)
{
	struct event_file *file = trigger->file;

	trigger_index_del(trigger);
	trigger_del(trigger);
	hist_trigger_put(trigger);
	if (file->synth)
		file->synth->refs--;
}

static int remove_hist(struct bind *b, const struct trigger *trigger)
{
	const struct trigger *named = find_named_trigger(b->t, b->hd->name);
	struct trigger *test = find_same_hist(b->file, trigger, named);

	if (!test)
		return 0;
	if (test->hist->n_users)
		return log_silent(
			b->log, (struct span){ NULL, 0 },
			"another trigger uses a variable of this one: remove that one first");
	event_trigger_remove(test);
	return 0;
}

/* pause, cont, clear of an existing histogram; false if there is none. */
static bool update_existing(struct bind *b, const struct trigger *trigger)
{
	const struct hist_text *ht = &b->hd->text;
	struct trigger *named = find_named_trigger(b->t, b->hd->name), *test;

	if (!ht->pause && !ht->cont && !ht->clear)
		return false;
	if (b->hd->name && (!named || !hist_trigger_match(trigger, named, named, true)))
		return false;
	test = find_same_hist(b->file, trigger, named);
	if (!test)
		return false;
	if (ht->pause || ht->cont)
		test->paused = test->initial.paused = ht->pause;
	else if (hist_count_find(test->hist))
		hist_count_clear(hist_count_find(test->hist));
	return true;
}

/* --- cutting and binding --- */

/* Copy the data that must outlive the command; ".sym-offset" is hidden in the copy. */
static bool prepare(struct hist_data *hd, struct span param, const struct hist_text *cut)
{
	char *copy = arena_strndup(&hd->arena, param.s, param.n);

	if (!copy)
		return false;
	if (cut) {
		hist_text_move(cut, copy, &hd->text);
		return true;
	}
	hist_text_prepare(copy, param.n);
	hist_text_cut((struct span){ copy, param.n }, &hd->text);
	return true;
}

static struct hist_data *hist_data_new(struct bind *b, struct span param,
				       const struct hist_text *cut, bool remove)
{
	struct hist_data *hd = calloc(1, sizeof(*hd));

	if (!hd)
		return NULL;
	hd->file = b->file;
	hd->tracing = b->t;
	hd->rules = b->q;
	hd->question = b->log->question;
	hd->table = cut;
	hd->remove = remove;
	if (!prepare(hd, param, cut)) {
		free(hd);
		return NULL;
	}
	hd->serial = ++b->t->n_hists;
	return hd;
}

/* Apply the tokens that concern the histogram as a whole. */
static int bind_attrs(struct bind *b)
{
	struct hist_data *hd = b->hd;
	struct hist_text *ht = &hd->text;

	if (ht->no_hitcount && !b->q->nohitcount)
		return log_silent(b->log, ht->trigger, "this kernel does not support nohitcount");
	if (ht->bad.set)
		return log_complaint(b->log, &ht->bad);
	hd->no_hitcount = ht->no_hitcount;
	hd->map_bits = ht->map_bits ? ht->map_bits : TRACING_MAP_BITS_DEFAULT;
	hd->clock = ht->clock.s ? arena_strndup(&hd->arena, ht->clock.s, ht->clock.n) : "global";
	hd->name = ht->name.s ? arena_strndup(&hd->arena, ht->name.s, ht->name.n) : NULL;
	return !hd->clock || (ht->name.s && !hd->name) ? HIST_NOMEM : bind_hist(b);
}

static struct trigger *hist_trigger_new(struct bind *b)
{
	struct trigger *trigger = calloc(1, sizeof(*trigger));

	if (!trigger)
		return NULL;
	trigger->kind = TRIGGER_HIST;
	trigger->file = b->file;
	trigger->count = COUNT_UNLIMITED;
	trigger->hist = b->hd;
	trigger->order = b->hd->serial;
	return trigger;
}

/* Execute the bound command; sets *kept if the trigger now belongs to the event. */
static int carry_out(struct bind *b, struct trigger *trigger, bool *kept)
{
	int err;

	if (b->hd->text.filter.s) {
		err = event_trigger_set_filter(trigger, b->hd->text.filter, b->log);
		if (err)
			return err;
	}
	if (b->hd->remove)
		return remove_hist(b, trigger);
	if (update_existing(b, trigger))
		return 0;
	err = add_hist(b, trigger);
	*kept = !err;
	return err;
}

static void warn_addresses(const struct hist_data *hd, struct diags *diags)
{
	if (hd->has_addresses)
		diags_add(
			diags, DIAG_WARNING,
			"a string or stack used as a number is its kernel address, which a recording does not contain: it counts as 0");
	if (hd->inner_frames)
		diags_add(
			diags, DIAG_WARNING,
			"a stack as a parameter of an action may have more inner frames in the kernel, which a recording does not contain; st=common_stacktrace and $st have the recorded ones");
}

int event_hist_trigger_parse(struct event_file *file, bool remove, struct span param,
			     const struct hist_text *cut, struct cmd_log *log)
{
	struct bind b = { .log = log,
			  .t = file->tr->tracing,
			  .q = rules_of_write(file, log->question),
			  .file = file };
	struct span outer = log->prepared;
	struct trigger *trigger = NULL;
	bool kept = false;
	int err;

	b.hd = hist_data_new(&b, param, cut, remove);
	if (!b.hd)
		return HIST_NOMEM;
	if (!outer.s)
		log->prepared = b.hd->text.whole;
	err = bind_attrs(&b);
	if (!err) {
		trigger = hist_trigger_new(&b);
		err = trigger ? carry_out(&b, trigger, &kept) : HIST_NOMEM;
	}
	if (err && !kept && b.hd->arena.failed)
		err = HIST_NOMEM; /* NULL may have been interpreted as an absent name */
	log->prepared = outer;
	if (kept) {
		/* not b.hd, which is freed if the name is shared */
		warn_addresses(trigger->hist, log->diags);
		warn_no_interval(trigger->hist, log->diags);
		return 0;
	}
	if (trigger) {
		trigger->hist = NULL;
		trigger_free(trigger);
	}
	hist_data_put(b.hd);
	return err;
}

/* Opening the file with '>' removes all hist triggers, unless another trigger refers to one. */
void hist_unreg_all(struct event_file *file)
{
	for (size_t i = 0; i < file->triggers.n; i++)
		if (file->triggers.v[i]->hist && file->triggers.v[i]->hist->n_users)
			return;
	/*
	 * from the end: with a trigger, hidden histograms, which were created earlier, may be
	 * removed
	 */
	for (size_t i = file->triggers.n; i-- > 0;) {
		struct trigger *trigger = i < file->triggers.n ? file->triggers.v[i] : NULL;

		if (!trigger || !trigger->hist)
			continue;
		event_trigger_remove(trigger);
	}
}

int event_hist_trigger_write(struct event_file *file, const struct trigger_text *text,
			     struct cmd_log *log)
{
	if (!text->param.s)
		return log_silent(log, text->text, "a hist trigger needs keys=");
	return event_hist_trigger_parse(file, text->remove, text->param, NULL, log);
}
