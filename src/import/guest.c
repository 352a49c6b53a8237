// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the host of a guest, so that the guest's recording can be converted to the host's time and
 * both form one timeline (combine.c). The guest's trace.dat has a TIME_SHIFT option, and the host's
 * file names the guest (GUEST).
 *
 * Numbers may mean different things in both: pids of tasks with other names, and kernel addresses
 * with other symbols. A timeline has only one table of names and of symbols, and the host's takes
 * precedence.
 */
#include "import/comms.h"
#include "import/guest.h"

/* --- matching guest and host --- */

static struct bytes bytes_of_option(struct trace_dat *td, const struct trace_dat_option *o)
{
	return bytes_of(o->data, o->size, trace_dat_info(td)->big_endian);
}

static int open_silently(const struct import_input *in, struct trace_dat **td)
{
	struct diags ignored = DIAGS_INIT;
	int err = import_is_trace_dat(in->path) ? trace_dat_open(in->path, td, &ignored)
						: -HIST_ENOTTRACE;

	diags_release(&ignored);
	return err;
}

static char *name_of(const char *text, struct arena *arena)
{
	char *name = arena_strdup(arena, *text ? text : "guest");

	for (char *c = name; c && *c; c++)
		if (!is_alnum(*c) || (u8)*c >= 0x80)
			*c = '_';
	return name;
}

/* Whether the file names trace @id as its guest. */
static int find_in_host(struct trace_dat *host, u64 id, struct guest *guest, struct arena *arena)
{
	size_t n;
	const struct trace_dat_option *options = trace_dat_options(host, &n);

	for (size_t i = 0; i < n; i++) {
		struct bytes b = bytes_of_option(host, &options[i]);
		const char *name = options[i].id == TRACE_DAT_GUEST ? bytes_str(&b) : NULL;

		if (!name || bytes_u64(&b) != id || b.bad)
			continue;
		guest->name = name_of(name, arena);
		guest->host_clock = arena_strdup(arena, trace_dat_info(host)->clock);
		return guest->name && guest->host_clock ? 0 : HIST_NOMEM;
	}
	return 1;
}

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
	struct comm_table names = { .comms = ARRAY_INIT };
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

static int compare_with_host(struct trace_dat *host, struct trace_dat *td, struct guest *guest,
			     struct arena *arena)
{
	struct span ours = text_of(td, TRACE_DAT_KALLSYMS);
	struct span theirs = text_of(host, TRACE_DAT_KALLSYMS);

	guest->other_symbols = theirs.n && !span_same(ours, theirs);
	return compare_names(text_of(host, TRACE_DAT_CMDLINES), text_of(td, TRACE_DAT_CMDLINES),
			     guest, arena);
}

static int find_host(const struct import_input *inputs, size_t n, struct trace_dat *td,
		     struct guest *guest, struct arena *arena)
{
	const struct trace_dat_option *shift = trace_dat_option_find(td, TRACE_DAT_TIME_SHIFT);
	struct bytes b;
	u64 peer;
	int err = 1;

	if (!shift)
		return 1;
	b = bytes_of_option(td, shift);
	peer = bytes_u64(&b);
	for (size_t i = 0; i < n && err == 1; i++) {
		struct trace_dat *host;

		if (open_silently(&inputs[i], &host))
			continue;
		if (trace_dat_info(host)->trace_id == peer && !b.bad)
			err = find_in_host(host, trace_dat_info(td)->trace_id, guest, arena);
		err = err ?: compare_with_host(host, td, guest, arena);
		trace_dat_close(host);
	}
	return err;
}

int guest_find(const struct import_input *inputs, size_t n, size_t i, struct guest *guest,
	       struct arena *arena)
{
	struct trace_dat *td;
	int err = n > 1 ? open_silently(&inputs[i], &td) : 1;

	if (err)
		return err == HIST_NOMEM ? err : 1;
	guest->cpu_count = trace_dat_info(td)->cpu_count;
	err = find_host(inputs, n, td, guest, arena);
	trace_dat_close(td);
	return err;
}

u32 guest_host_cpus(const struct import_input *inputs, size_t n)
{
	struct trace_dat *td;
	u32 cpus = 0;

	for (size_t i = 0; i < n; i++) {
		if (open_silently(&inputs[i], &td))
			continue;
		if (trace_dat_option_find(td, TRACE_DAT_GUEST))
			cpus = max_t(u32, cpus, trace_dat_info(td)->cpu_count);
		trace_dat_close(td);
	}
	return cpus;
}

/* --- copying --- */

int guest_time_shift(struct trace_dat *td, struct time_shift *shift, const struct import_job *job)
{
	const struct trace_dat_option *o = trace_dat_option_find(td, TRACE_DAT_TIME_SHIFT);
	int err = o ? time_shift_parse(shift, bytes_of_option(td, o), &job->sink->arena)
		    : -HIST_EFORMAT;

	if (err == -HIST_EFORMAT)
		diags_error(job->diags, err, "%s: its TIME_SHIFT option is damaged", job->in->name);
	return err;
}

void guest_report(const struct import_job *job, u64 events)
{
	diags_add(job->diags, DIAG_NOTE,
		  "%s: recorded in guest %s: %llu events were converted to the host's time; its "
		  "events are named %s_SYSTEM:EVENT, its CPUs start at %u",
		  job->in->name, job->guest->name, (unsigned long long)events, job->guest->name,
		  job->guest->first_cpu);
	if (job->guest->n_other_names)
		diags_add(job->diags, DIAG_WARNING,
			  "%s: %u pids belong to different tasks in the guest and in the host "
			  "(%s); both are shown with the host's name: distinguish them by event "
			  "or CPU",
			  job->in->name, job->guest->n_other_names, job->guest->other_name);
	if (job->guest->other_symbols)
		diags_add(job->diags, DIAG_WARNING,
			  "%s: the host's kernel has other symbols: those shown for addresses "
			  "of the guest are wrong",
			  job->in->name);
}
