// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Events as Parquet: a file for each type, with a column for each field.
 *
 * One thread at a time reads: it collects the events of each type until they are a group of rows.
 * Any thread encodes a group, and the calling thread writes them in the order in which they were
 * complete. So the bytes do not depend on the number of threads; and memory does not grow with the
 * recording, because the largest group is cut when all together are too large.
 */
#include "events/events_parquet.h"

enum {
	GROUP_ROWS = 1 << 16,
	GROUP_BYTES = 1 << 22,
	ALL_BYTES = 1 << 26, /* of incomplete groups */
	SLOTS_PER_THREAD = 2,
};

/* --- reading: the events of a type, until they are a group --- */

static size_t kept_size(const struct events_rows *kept)
{
	return kept->bytes.len + kept->v.n * sizeof(*kept->v.v);
}

/* Pass what was kept of a type to a slot, whose memory is used again. */
static void pass_group(struct parquet_writing *w, size_t file, struct parquet_slot *slot)
{
	struct events_rows *kept = &w->files[file].kept;
	struct events_rows empty = slot->kept;

	w->bytes -= kept_size(kept);
	empty.v.n = 0;
	strbuf_reset(&empty.bytes);
	slot->kept = *kept;
	slot->file = file;
	slot->last = w->at_end;
	*kept = empty;
}

static size_t largest_group(const struct parquet_writing *w)
{
	size_t best = 0;

	for (size_t i = 1; i < w->n_files; i++)
		if (kept_size(&w->files[i].kept) > kept_size(&w->files[best].kept))
			best = i;
	return best;
}

/* At the end, what is left of each type, in their order. */
static bool pass_rest(struct parquet_writing *w, struct parquet_slot *slot)
{
	while (w->next < w->n_files) {
		const struct type_file *f = &w->files[w->next++];

		if (!f->kept.v.n && !f->needed)
			continue;
		pass_group(w, w->next - 1, slot);
		return true;
	}
	return false;
}

static bool read_group(void *arg, void *item)
{
	struct parquet_writing *w = arg;
	const struct hist_events_print *print = w->printer->print;
	struct parquet_slot *slot = item;
	struct events_row row = { .number = 0 };

	while (!w->at_end) {
		struct events_rows *kept;

		w->err = print->max && w->n == print->max ? 0 : hist_events_next(w->ev, &row.e);
		w->at_end = w->err <= 0;
		if (w->at_end)
			break;
		w->n++;
		w->bytes += row.e.size + sizeof(row);
		kept = &w->files[row.e.type->number].kept;
		if (events_rows_add(kept, w->printer, &row)) {
			w->err = HIST_NOMEM;
			w->at_end = true;
			break;
		}
		if (kept->v.n < GROUP_ROWS && kept->bytes.len < GROUP_BYTES && w->bytes < ALL_BYTES)
			continue;
		pass_group(w, w->bytes < ALL_BYTES ? row.e.type->number : largest_group(w), slot);
		w->files[slot->file].needed = true; /* it has a last group, too */
		return true;
	}
	return w->err >= 0 && pass_rest(w, slot);
}

/* --- writing --- */

static int take_group(void *arg, const void *item)
{
	struct parquet_writing *w = arg;
	const struct parquet_slot *slot = item;
	struct type_file *f = &w->files[slot->file];
	int err = slot->err;

	f->file.dir = w->dir;
	if (!err && !f->begun)
		err = parquet_file_begin(&f->file);
	f->begun = true;
	if (!err && slot->group.n_rows)
		err = parquet_file_add(&f->file, &slot->group);
	if (!err && slot->last)
		err = parquet_file_end(&f->file, "hist " HIST_VERSION);
	if (err == -HIST_EIO && w->dir >= 0 && !diags_has_error(w->diags, 0))
		diags_error(w->diags, err, "%s/%s: %s", w->printer->print->directory, f->file.name,
			    strerror(errno));
	return err;
}

static int write_all(struct parquet_writing *w, unsigned int threads)
{
	const size_t n = (size_t)threads * SLOTS_PER_THREAD;
	struct parquet_slot *slots = calloc(n, sizeof(*slots));
	const struct ordered_work work = { .n = SIZE_MAX,
					   .read = read_group,
					   .make = parquet_make_group,
					   .take = take_group,
					   .arg = w,
					   .slots = slots,
					   .slot_size = sizeof(*slots),
					   .n_slots = n,
					   .threads = threads };
	int err;

	if (!slots)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++)
		slots[i] = (struct parquet_slot){ .w = w,
						  .kept.bytes = STRBUF_INIT,
						  .cell = STRBUF_INIT };
	err = threads_run_ordered(&work);
	for (size_t i = 0; i < n; i++) {
		events_rows_release(&slots[i].kept);
		strbuf_release(&slots[i].cell);
		if (slots[i].used)
			parquet_group_release(&slots[i].group);
	}
	free(slots);
	return err ? err : min_t(int, w->err, 0);
}

/* --- all --- */

static int open_files(struct parquet_writing *w, bool chosen)
{
	int err = 0;

	w->n_files = w->ev->types.n;
	w->files = calloc(w->n_files + 1, sizeof(*w->files));
	if (!w->files)
		return HIST_NOMEM;
	for (size_t i = 0; i < w->n_files; i++)
		w->files[i] = (struct type_file){ .type = w->ev->types.v[i],
						  .kept.bytes = STRBUF_INIT,
						  .file = PARQUET_FILE_INIT,
						  .needed = chosen };
	array_each_of_while(struct type_file, f, w->files, w->n_files, !err) {
		f->file.name = arena_printf(&w->ev->arena, "%s.%s.parquet", f->type->public.system,
					    f->type->public.name);
		err = f->file.name ? parquet_choose_columns(w, f) : HIST_NOMEM;
		f->file.columns = f->columns.v;
		f->file.n_columns = f->columns.n;
		f->file.sink = w->printer->print->sink;
		f->file.arg = w->printer->print->arg;
		if (!err && strlen(f->file.name) + sizeof(".part") > NAME_MAX)
			err = diags_error(w->diags, -HIST_EINVAL,
					  "%s: the name is too long for a file", f->type->title);
	}
	return err;
}

int events_parquet_print(const struct events_printer *p, struct hist_events *ev,
			 const struct hist_events_options *options, unsigned int threads)
{
	const char *directory = p->print->directory;
	const struct recordings *recs = &ev->h->recordings;
	struct parquet_writing w = { .printer = p, .ev = ev, .diags = ev->diags, .dir = -1 };
	int err = 0;

	if (!directory && ev->types.n > 1)
		return diags_error(ev->diags, -HIST_EINVAL,
				   "Parquet has a file for each event, and there are %zu; name a "
				   "directory with -o DIR, or one event with -e",
				   ev->types.n);
	/* times are dates if the recorder noted the time of day */
	w.has_date = recs->files.n == 1 && recordings_wall(recs, &w.wall) && !p->clock_counts;
	err = open_files(&w, !directory || options->n_choices || options->script);
	if (!err && directory) {
		w.dir = out_dir_open(directory, ev->diags);
		err = w.dir < 0 ? -HIST_EIO : 0;
	}
	err = err ?: write_all(&w, threads);
	array_each_of(struct type_file, f, w.files, w.n_files) {
		array_release(&f->columns);
		array_release(&f->sources);
		events_rows_release(&f->kept);
		parquet_file_release(&f->file);
	}
	free(w.files);
	if (w.dir >= 0)
		close(w.dir);
	return err;
}
