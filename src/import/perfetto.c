// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Imports traces of Perfetto: the events of the kernel in them, with processes, symbols of the
 * kernel, losses and the machine. Packets of other data sources are counted and named.
 */
#include "import/perfetto.h"

/* --- recognition --- */

/* Bytes that no text has. */
static bool is_binary(struct span head)
{
	return any_of(i, head.n, (u8)head.s[i] < 8);
}

/* Numbers up to this one are those of extensions. */
enum { PACKET_LAST = 1999 };

/* A packet with fields that packets have, as far as it is in @head, and the begin of another one.
 */
static bool is_trace(struct span head)
{
	enum { TAG = 1 << 3 | PROTO_BYTES };
	struct proto all = proto_of(head.s, head.n), packet;
	struct proto_field f;
	u64 tag, len;
	bool whole;

	do { /* the first ones may be empty */
		tag = proto_varint(&all);
		len = proto_varint(&all);
	} while (tag == TAG && !len && !all.bad);
	whole = len <= (u64)(all.end - all.p);
	if (tag != TAG || all.bad || !is_binary(head))
		return false;
	packet = proto_of(all.p, whole ? len : (size_t)(all.end - all.p));
	while (proto_next(&packet, &f))
		if (!f.number || f.number > PACKET_LAST)
			return false;
	/* the part of a packet in @head may be that of its first field */
	return !whole || (!packet.bad && (all.p + len == all.end || all.p[len] == TAG));
}

/* --- report --- */

/* What packets of this kind have; NULL: that has no name here. */
static const char *packet_name(size_t number)
{
	static const char *const names[] = {
		[0] = "of unknown kinds",
		[4] = "inode files",
		[5] = "events of Chrome",
		[7] = "statistics of the system",
		[11] = "track events without a known time",
		[37] = "heap profiles",
		[38] = "battery",
		[39] = "power rails",
		[40] = "Android logs",
		[43] = "processes of Chrome",
		[46] = "triggers",
		[47] = "packages",
		[48] = "benchmarks of Chrome",
		[49] = "metatrace",
		[51] = "metadata of Chrome",
		[52] = "GPU counters",
		[53] = "GPU stages",
		[54] = "samples of Chrome",
		[56] = "heap graphs",
		[57] = "graphics frames",
		[61] = "symbols of modules",
		[62] = "Vulkan memory",
		[63] = "GPU logs",
		[64] = "deobfuscation",
		[65] = "Vulkan calls",
		[66] = "samples of perf",
		[68] = "smaps",
		[70] = "states of displays",
		[71] = "GPU memory",
		[73] = "memory of Chrome",
		[74] = "allocations",
		[75] = "frees",
		[76] = "frame timelines",
		[77] = "energy",
		[78] = "state of the page",
		[82] = "translations",
		[83] = "game interventions",
		[84] = "statsd atoms",
		[86] = "system properties",
		[88] = "network packets",
		[90] = "ranges of interest",
		[91] = "residencies",
		[95] = "events of Windows",
		[107] = "clocks of other machines",
		[109] = "triggers of Chrome",
		[110] = "modem events",
		[111] = "modem tokens",
		[113] = "triggers of snapshots",
		[115] = "wakelocks",
		[117] = "generic task states",
		[118] = "generic CPU frequencies",
		[119] = "CPU times of users",
		[122] = "generic processes",
		[123] = "users",
		[125] = "protovms",
		[126] = "attributes",
		[127] = "flags of Android",
		[128] = "GPUs",
		[129] = "generic GPU frequencies",
		[130] = "names of interrupts",
		[131] = "processes of ART",
		[132] = "journal messages",
		[134] = "other sessions",
		[135] = "samples of stacks",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

/* A diagnosis that ends with a list; none if the list is empty. */
static void report_list(const struct perfetto *pf, enum diag_level level, const char *what,
			struct strbuf *list)
{
	if (list->len && !list->failed)
		diags_add(pf->job->diags, level, "%s: %s: %s", pf->job->in->name, what, list->s);
	strbuf_release(list);
}

static void report_others(const struct perfetto *pf)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(pf->other_packets); i++) {
		const char *name = packet_name(i);

		if (!pf->other_packets[i])
			continue;
		strbuf_addf(&sb, "%s%llu ", sb.len ? ", " : "", pf->other_packets[i]);
		if (name)
			strbuf_addstr(&sb, name);
		else
			strbuf_addf(&sb, "of kind %zu", i);
	}
	report_list(pf, DIAG_NOTE, "packets that are no events of the kernel are left out", &sb);
}

static void report_losses(const struct perfetto *pf)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < pf->machines.v[0].cpus.n; i++) {
		const struct perfetto_cpu *c = &pf->machines.v[0].cpus.v[i];

		if (c->overrun[1] > c->overrun[0])
			strbuf_addf(&sb, "%s%llu of CPU %zu", sb.len ? ", " : "",
				    (c->overrun[1] - c->overrun[0]), i);
	}
	report_list(pf, DIAG_WARNING, "the kernel lost events while they were recorded", &sb);
}

static void report(const struct perfetto *pf)
{
	const struct {
		u64 n;
		enum diag_level level;
		const char *text, *one;
	} lines[] = {
		{ pf->overwritten, DIAG_WARNING,
		  "%s: Perfetto's buffer was full: %llu chunks of earlier packets were overwritten",
		  "%s: Perfetto's buffer was full: %llu chunk of earlier packets was overwritten" },
		{ pf->n_damaged, DIAG_WARNING,
		  "%s: %llu packets or events are damaged, and left out",
		  "%s: %llu packet or event is damaged, and left out" },
		{ pf->n_unrelated, DIAG_WARNING,
		  "%s: the clock of %llu bundles of events is not related to that since the boot: their times are those of their clock",
		  "%s: the clock of %llu bundle of events is not related to that since the boot: its times are those of its clock" },
		{ pf->n_machines, DIAG_WARNING,
		  "%s: %llu packets are of further machines, and left out",
		  "%s: %llu packet is of a further machine, and left out" },
		{ pf->job->sink->buffers.n, DIAG_NOTE,
		  "%s: the events of %llu other machines are in buffers of their own; see hist list",
		  "%s: the events of %llu other machine are in a buffer of their own; see hist list" },
		{ pf->no_previous, DIAG_NOTE,
		  "%s: of %llu sched_switch, the first of a CPU, it is not known which task ran before",
		  "%s: of %llu sched_switch, the first of a CPU, it is not known which task ran before" },
		{ pf->holes, DIAG_WARNING,
		  "%s: %llu sched_switch lead to the task that runs already: others before them were "
		  "not recorded, which compact scheduling hides",
		  "%s: %llu sched_switch leads to the task that runs already: another one before it "
		  "was not recorded, which compact scheduling hides" },
	};
	struct diags *diags = pf->job->diags;
	const char *in = pf->job->in->name;

	diags_add(diags, DIAG_NOTE, "%s: a trace of Perfetto: %llu event%s of the kernel", in,
		  pf->n_events, plural(pf->n_events));
	if (pf->marks.n)
		diags_add(diags, DIAG_NOTE,
			  "%s: %zu track event%s became markers (ftrace:print); the CPU of %llu is "
			  "not known, which are with those of CPU %u",
			  in, pf->marks.n, plural(pf->marks.n), pf->n_unplaced, pf->unplaced_cpu);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (lines[i].n)
			diags_add(diags, lines[i].level,
				  lines[i].n == 1 ? lines[i].one : lines[i].text, in,
				  (unsigned long long)lines[i].n);
	if (pf->n_unknown)
		diags_add(
			diags, DIAG_WARNING,
			"%s: %llu event%s left out, whose type%s not known here; the first one has "
			"the number %llu",
			in, pf->n_unknown, plural_were(pf->n_unknown),
			pf->n_unknown == 1 ? " is" : "s are", pf->first_unknown);
	report_losses(pf);
	report_others(pf);
	if (pf->cut)
		diags_add(diags, DIAG_WARNING,
			  "%s: is cut inside a packet; what is before it was read", in);
	pf->job->result->cut |= pf->cut || pf->n_damaged;
}

/* --- the importer --- */

static int add_kallsyms(struct perfetto *pf)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	int err = 0;

	for (size_t i = 0; i < pf->symbols.list.n; i++)
		strbuf_addf(&text, "%016llx t %s\n", pf->symbols.list.v[i].start,
			    pf->symbols.list.v[i].name);
	if (text.len)
		err = text.failed ? HIST_NOMEM
				  : import_sink_text(pf->job->sink, TRACE_DAT_KALLSYMS,
						     strbuf_span(&text));
	return err;
}

/* From when on the records of CPUs are complete, and what was lost at unknown times. */
static int add_coverage(struct perfetto *pf)
{
	scoped(strbuf_release) struct strbuf begins = STRBUF_INIT;
	const struct perfetto_machine *m = &pf->machines.v[0];
	bool ring = pf->overwritten;
	int err = 0;

	ring |= any_of(i, m->cpus.n, m->cpus.v[i].before > 0);
	for (u32 i = 0; i < m->cpus.n; i++) {
		const struct perfetto_cpu *c = &m->cpus.v[i];
		struct caveat lost = { .kind = CAVEAT_LOST, .n = c->overrun[1] - c->overrun[0] };
		scoped(strbuf_release) struct strbuf of = STRBUF_INIT;

		if (ring)
			strbuf_addf(&begins, "begins %u\n", i);
		caveat_cpu(&of, i, "");
		lost.of = strbuf_span(&of);
		if (c->overrun[1] > c->overrun[0] && !c->lost_marks)
			caveat_add(&pf->job->sink->caveats, &lost);
	}
	if (begins.len)
		err = begins.failed ? HIST_NOMEM
				    : import_sink_option(pf->job->sink, TRACE_DAT_HIST_LIMITS,
							 (struct span){ begins.s, begins.len + 1 });
	return err;
}

static int read_trace(struct perfetto *pf)
{
	struct import_machine machine = { .long_size = 8, .clock = "boot" };
	int err = import_sink_machine(pf->job->sink, &machine);

	err = err ?: perfetto_scan(pf);
	if (!err && !pf->bundles.n && !pf->marks.n) {
		report_others(pf);
		return diags_error(pf->job->diags, -HIST_EUNSUPPORTED,
				   "%s: is a trace of Perfetto without events of the kernel; "
				   "its data source linux.ftrace records them",
				   pf->job->in->name);
	}
	err = err ?: perfetto_types_formats(&pf->types, pf->job->sink);
	err = err ?: add_kallsyms(pf);
	err = err ?: perfetto_put(pf);
	err = err ?: perfetto_tasks_finish(pf);
	err = err ?: add_coverage(pf);
	pf->job->sink->machine.cpu_count = (u32)pf->machines.v[0].cpus.n;
	if (!err)
		report(pf);
	return err;
}

static void release(struct perfetto *pf)
{
	perfetto_types_release(&pf->types);
	array_release(&pf->bundles);
	for (size_t i = 0; i < pf->machines.n; i++)
		array_release(&pf->machines.v[i].cpus);
	array_release(&pf->machines);
	array_release(&pf->tasks);
	perfetto_keys_release(&pf->names);
	indexed_release(&pf->tracks);
	array_release(&pf->clocks);
	indexed_release(&pf->own_clocks);
	array_release(&pf->track_events);
	array_release(&pf->marks);
	indexed_release(&pf->symbols.list);
	perfetto_keys_release(&pf->symbols.keys);
	indexed_release(&pf->sequences);
}

/* Inflate what is compressed, until nothing is. */
static int unpack(struct perfetto *pf, struct mapped *m)
{
	struct inflated to;
	int err = inflated_open(&to, m->size);

	if (err)
		return err;
	err = perfetto_unpack(pf->whole, &to, &pf->cut);
	err = err ?: fflush(to.file) ? -HIST_EIO : 0;
	mapped_close(m);
	err = err ?: mapped_open(m, fileno(to.file));
	pf->whole = (struct span){ (const char *)m->p, m->size };
	fclose(to.file);
	return err;
}

static int run(struct import_job *job)
{
	enum { NESTED_MAX = 3 };
	struct perfetto *pf = calloc(1, sizeof(*pf));
	struct mapped m;
	int err = pf ? mapped_open_path(&m, job->in->path, job->in->name, job->diags) : HIST_NOMEM;

	if (err) {
		free(pf);
		return err;
	}
	pf->job = job;
	pf->whole = (struct span){ (const char *)m.p, m.size };
	for (int i = 0; i < NESTED_MAX && !err && perfetto_is_packed(pf->whole); i++)
		err = unpack(pf, &m);
	err = err ?: read_trace(pf);
	release(pf);
	free(pf);
	mapped_close(&m);
	return err;
}

const struct importer import_perfetto = {
	.what = "a trace of Perfetto",
	.recognises = is_trace,
	.run = run,
};
