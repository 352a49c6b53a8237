// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds numbers that mean different things in a guest and its host: pids of tasks with other names,
 * and kernel addresses with other symbols. A timeline has only one table of names and of symbols,
 * and the host's takes precedence.
 */
#include "import/comms.h"
#include "import/guest.h"

static struct span text_of(struct trace_dat *td, enum trace_dat_option_id id)
{
	struct diags ignored = DIAGS_INIT;
	struct span text = { NULL, 0 };

	if (trace_dat_section(td, id, &text, &ignored))
		text = (struct span){ NULL, 0 };
	diags_release(&ignored);
	return text;
}

/* Parse the next line "PID NAME" with a pid above 0. */
static bool next_name(struct span *text, s32 *pid, struct span *name)
{
	while (text->s) {
		struct span line = span_sep(text, "\n"), word = span_sep(&line, " ");
		s64 n;

		if (!line.s || !line.n || !span_s64(word, &n) || n <= 0 || n > INT32_MAX)
			continue;
		*pid = (s32)n;
		*name = line;
		return true;
	}
	return false;
}

static int compare_names(struct span host, struct span text, struct guest *guest,
			 struct arena *arena)
{
	struct comm_table names = { .n = 0 };
	struct span name;
	s32 pid;
	int err = 0;

	while (!err && next_name(&host, &pid, &name))
		err = comm_table_set(&names, pid, 0, name);
	while (!err && next_name(&text, &pid, &name)) {
		struct span other = comm_table_get(&names, pid);

		name.n = min_t(size_t, name.n, COMM_LEN);
		if (!other.n || span_same(other, name) || guest->n_other_names++)
			continue;
		guest->other_name = arena_printf(arena, "%d: %.*s, %.*s", pid, (int)name.n, name.s,
						 (int)other.n, other.s);
		err = guest->other_name ? 0 : HIST_NOMEM;
	}
	comm_table_release(&names);
	return err;
}

int guest_compare(struct trace_dat *host, struct trace_dat *td, struct guest *guest,
		  struct arena *arena)
{
	struct span ours = text_of(td, TRACE_DAT_KALLSYMS);
	struct span theirs = text_of(host, TRACE_DAT_KALLSYMS);

	guest->other_symbols = theirs.n && !span_same(ours, theirs);
	return compare_names(text_of(host, TRACE_DAT_CMDLINES), text_of(td, TRACE_DAT_CMDLINES),
			     guest, arena);
}

void guest_warn(const struct guest *guest, const char *name, struct diags *diags)
{
	if (guest->n_other_names)
		diags_add(diags, DIAG_WARNING,
			  "%s: %u pids belong to different tasks in the guest and in the host "
			  "(%s); both are shown with the host's name: distinguish them by event "
			  "or CPU",
			  name, guest->n_other_names, guest->other_name);
	if (guest->other_symbols)
		diags_add(diags, DIAG_WARNING,
			  "%s: the host's kernel has other symbols: those shown for addresses "
			  "of the guest are wrong",
			  name);
}
