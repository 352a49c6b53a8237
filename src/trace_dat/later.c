// SPDX-License-Identifier: LGPL-2.1-only
/* Sub-buffers that are made when they are needed: those of another file. */
#include "trace_dat/internal.h"

int trace_dat_set_later(struct trace_dat *td, struct trace_dat_later *later)
{
	struct trace_dat_buffer *b = &td->buffers.v[0];
	struct trace_dat_cpu *cpus = arena_alloc(&td->arena, (later->n_cpus + 1) * sizeof(*cpus));

	if (!cpus)
		return HIST_NOMEM;
	for (size_t i = 0; i < later->n_cpus; i++)
		cpus[i] = (struct trace_dat_cpu){ .cpu = later->cpus[i].cpu,
						  .size = later->cpus[i].bytes };
	b->cpus = cpus;
	b->n_cpus = later->n_cpus;
	td->later = later;
	return 0;
}

/* Whether what was made last has all that is needed. */
static bool has_all(const struct trace_dat *td, const struct trace_dat_wanted *wanted)
{
	const struct trace_dat_wanted *has = &td->made_of;

	if (!td->made.n || !has->ids)
		return td->made.n;
	for (u32 id = 0; wanted->ids && id < wanted->n; id++)
		if (wanted->ids[id] && (id >= has->n || !has->ids[id]))
			return false;
	return wanted->ids && (wanted->no_stacks || !has->no_stacks);
}

int trace_dat_make(struct trace_dat *td, const struct trace_dat_wanted *wanted, struct diags *diags)
{
	struct trace_dat_wanted now = { .ids = NULL };
	struct trace_dat *made;
	int err;

	if (!td->later || has_all(td, wanted))
		return 0;
	if (!td->made.n && wanted->ids) {
		now = *wanted;
		now.ids = (u8 *)arena_strndup(&td->arena, (const char *)wanted->ids, wanted->n);
		if (!now.ids)
			return HIST_NOMEM;
	}
	err = td->later->make(td->later, &now, &made, diags);
	if (!err && array_push(&td->made, made)) {
		trace_dat_close(made);
		err = HIST_NOMEM;
	}
	if (err)
		return err;
	td->made_of = now;
	td->info.page_size = made->info.page_size;
	td->buffers.v[0].subbuf_size = made->buffers.v[0].subbuf_size;
	td->buffers.v[0].cpus = made->buffers.v[0].cpus;
	return made->buffers.v[0].n_cpus == td->buffers.v[0].n_cpus ? 0 : -HIST_EIO;
}

int trace_dat_later_files(struct trace_dat *td, const char *symfs, const char *id_cache,
			  bool debuginfod)
{
	return td->later ? td->later->use_files(td->later, symfs, id_cache, debuginfod) : 0;
}

int trace_dat_make_all(struct trace_dat *td, struct diags *diags)
{
	return trace_dat_make(td, &(struct trace_dat_wanted){ .ids = NULL }, diags);
}

bool trace_dat_is_later(const struct trace_dat *td)
{
	return td->later;
}

bool trace_dat_later_lost(const struct trace_dat *td)
{
	return td->later && td->later->lost;
}

bool trace_dat_is_part(const struct trace_dat *td)
{
	return td->made.n && td->made_of.ids;
}

void trace_dat_later_free(struct trace_dat *td)
{
	for (size_t i = 0; i < td->made.n; i++)
		trace_dat_close(td->made.v[i]);
	/* its CPUs are those of the last one */
	if (td->made.n)
		td->buffers.v[0].n_cpus = 0;
	array_release(&td->made);
	if (td->later)
		td->later->free(td->later);
}
