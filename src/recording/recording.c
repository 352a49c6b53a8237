// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Opens recordings: the files, one table of their events, and the properties of the machine that
 * triggers need.
 *
 * Several files form one timeline only if one machine wrote them: same kernel, clock, byte order.
 * Events are matched by name; their ids may differ between files.
 */
#include "code/code.h"
#include "recording/page_times.h"

/* --- what triggers ask for later --- */

static int read_section(struct recordings *r, enum trace_dat_option_id id, struct span *text)
{
	int err = 0;

	*text = (struct span){ NULL, 0 };
	for (size_t i = 0; i < r->files.n && !text->s && !err; i++)
		err = trace_dat_section(r->files.v[i].td, id, text, r->diags);
	return err;
}

/* The text after "INSTANCE:" of the option of that buffer; absent if there is none. */
static struct span last_boot_info(const struct recording *rec, const char *buffer)
{
	size_t n, len = strlen(buffer);
	const struct trace_dat_option *options = trace_dat_options(rec->td, &n);

	for (size_t i = 0; i < n; i++) {
		struct span text = { (const char *)options[i].data, options[i].size };

		if (options[i].id != TRACE_DAT_LAST_BOOT || text.n <= len ||
		    memcmp(text.s, buffer, len) != 0 || text.s[len] != ':')
			continue;
		text.n = strnlen(text.s, text.n);
		return span_skip(text, min_t(size_t, len + 1, text.n));
	}
	return (struct span){ NULL, 0 };
}

/*
 * The symbols of a recording at their addresses when a buffer was written, which outlives a boot
 * (reserve_mem, memory that is mapped at boot): its addresses are of the boot that wrote it, the
 * recording's symbols of the one that read it. From last_boot_info of the instance and the modules.
 *
 * @text: kallsyms of @rec; replaced by a copy in @arena, or left unchanged
 */
static int last_boot_symbols(const struct recording *rec, const char *buffer, struct arena *arena,
			     struct span *text, struct diags *diags)
{
	struct event_boot boot = { .info = last_boot_info(rec, buffer), .kallsyms = *text };
	scoped(strbuf_release) struct strbuf moved = STRBUF_INIT;
	int err;

	if (!event_other_boot(boot.info))
		return 0;
	err = trace_dat_section(rec->td, TRACE_DAT_MODULES, &boot.modules, diags);
	if (err == HIST_NOMEM)
		return err;
	err = event_boot_symbols(&boot, rec->path, &moved, diags);
	if (!err) {
		*text = (struct span){ arena_strndup(arena, moved.s, moved.len), moved.len };
		err = text->s ? 0 : HIST_NOMEM;
	}
	return err;
}

static int read_kallsyms(void *arg, struct span *text)
{
	struct recordings *r = arg;
	int err = 0;

	*text = (struct span){ NULL, 0 };
	array_each_while(struct recording, rec, &r->files, !text->s && !err) {
		err = trace_dat_section(rec->td, TRACE_DAT_KALLSYMS, text, r->diags);
		if (!err && text->n && r->buffer)
			err = last_boot_symbols(rec, r->buffer, &r->arena, text, r->diags);
	}
	return err;
}

static int read_printk(void *arg, struct span *text)
{
	return read_section(arg, TRACE_DAT_PRINTK, text);
}

static int read_cmdlines(void *arg, struct span *text)
{
	return read_section(arg, TRACE_DAT_CMDLINES, text);
}

static int read_btf(void *arg, struct span *bytes)
{
	return read_section(arg, TRACE_DAT_BTF, bytes);
}

/* --- formats --- */

/* The file that a format is from, and its index there; NULL: an event that a script defined. */
static const struct recording *file_of(const struct recordings *r, const struct event_text *text,
				       size_t *format)
{
	for (size_t i = 0; i < r->files.n; i++)
		for (*format = 0; *format < r->files.v[i].n_formats; ++*format)
			if (r->files.v[i].formats[*format].text.s == text->text.s)
				return &r->files.v[i];
	return NULL;
}

/* Report a format as damage of the file that it is from. */
static void note_unparsable(void *arg, const struct event_text *text)
{
	struct recordings *r = arg;
	size_t format;
	const struct recording *rec = file_of(r, text, &format);

	if (rec)
		trace_dat_format_damaged(rec->td, format, r->diags);
}

static void note_repeated(void *arg, const struct event_text *text, const char *field)
{
	struct recordings *r = arg;
	size_t format;
	const struct recording *rec = file_of(r, text, &format);

	if (rec)
		diags_add(&r->repeated, DIAG_WARNING,
			  "%s: event %s:%.*s has two fields named %s; the last one is used, as in "
			  "the kernel",
			  rec->path, text->system, (int)text->name.n, text->name.s, field);
}

static int cmp_text(const void *a, const void *b)
{
	const struct event_text *ta = a, *tb = b;
	int ret = strcmp(ta->system, tb->system);
	size_t n = min_t(size_t, ta->name.n, tb->name.n);

	if (!ret)
		ret = memcmp(ta->name.s, tb->name.s, n);
	return ret ?: cmp_int(ta->name.n, tb->name.n);
}

static void add_texts(struct recordings *r, const struct recording *rec)
{
	size_t before = r->n_texts;

	array_each_of(const struct trace_dat_format, f, rec->formats, rec->n_formats) {
		struct event_text text = {
			.system = f->system, .name = f->name, .text = f->text, .id = f->id
		};

		if (before && bsearch(&text, r->texts, before, sizeof(text), cmp_text))
			continue;
		r->texts[r->n_texts++] = text;
	}
	if (r->files.n > 1)
		qsort(r->texts, r->n_texts, sizeof(*r->texts), cmp_text);
}

static int make_db(struct recordings *r)
{
	const struct trace_dat_info *info = r->files.v[0].info;
	const struct event_machine machine = { .big_endian = info->big_endian,
					       .long_size = info->long_size,
					       .syscalls_decide =
						       slimmed_syscalls(&r->files.v[0]) };
	const struct event_sources sources = {
		.arg = r,
		.kallsyms = read_kallsyms,
		.printk = read_printk,
		.cmdlines = read_cmdlines,
		.btf = read_btf,
		.unparsable = note_unparsable,
		.repeated = note_repeated,
	};
	size_t n = sum_of(i, r->files.n, r->files.v[i].n_formats);

	r->texts = arena_alloc(&r->arena, (n + 1) * sizeof(*r->texts));
	if (!r->texts)
		return HIST_NOMEM;
	for (size_t i = 0; i < r->files.n; i++)
		add_texts(r, &r->files.v[i]);
	if (event_db_new(&r->db, r->texts, r->n_texts, machine, &sources))
		return HIST_NOMEM;
	r->code = code_new(r->db, &(struct code_sources){ r, recordings_code_facts });
	return r->code ? 0 : HIST_NOMEM;
}

u32 recording_event_id(const struct recording *rec, const struct event_format *format)
{
	for (size_t i = 0; i < rec->n_formats; i++)
		if (span_eq(rec->formats[i].name, format->name) &&
		    !strcmp(rec->formats[i].system, format->system))
			return rec->formats[i].id;
	return 0;
}

/* --- the machine --- */

/* Word @i of "Linux HOST RELEASE MACHINE", NULL if it does not exist. */
static const char *uname_word(struct recordings *r, unsigned int i)
{
	const char *uname = r->files.v[0].info->uname;
	struct span rest = uname ? span_of(uname) : (struct span){ NULL, 0 }, word = rest;

	for (unsigned int n = 0; n <= i && rest.s; n++)
		word = span_sep(&rest, " ");
	return !uname || !word.n ? NULL : arena_strndup(&r->arena, word.s, word.n);
}

static u32 count_cpus(const struct recordings *r)
{
	u32 n = 1;

	array_each(const struct recording, rec, &r->files) {
		n = max_t(u32, n, rec->info->cpu_count);
		for (size_t b = 0; b < rec->n_buffers; b++)
			if (rec->buffers[b].n_cpus)
				n = max_t(u32, n,
					  rec->buffers[b].cpus[rec->buffers[b].n_cpus - 1].cpu + 1);
	}
	return n;
}

/* The kernel's page size: that of its buffers at the start, unless the file is wrong. */
static u32 page_size(u32 size)
{
	return size >= 4096 && size <= 65536 && !(size & (size - 1)) ? size : 4096;
}

/* Whether an import guessed the types of fields from a text. */
static bool types_are_guessed(const struct recordings *r)
{
	const char *version = r->files.v[0].info->version_text;

	return version && span_starts(span_of(version), "hist import, inexact");
}

/* The kernel whose rules are used; fields that an import guessed prove nothing. */
static void choose_quirks(struct recordings *r, const char *text, bool guessed)
{
	struct kernel_version v;

	v = r->kernel = kernel_version_parse(text);
	if (!v.major && !guessed)
		v = kernel_version_of_formats(r->texts, r->n_texts, &r->kernel_proof);
	kernel_quirks_init(&r->quirks, v);
	kernel_quirks_exact(&r->exact);
}

void recordings_note_rules(struct recordings *r, struct diags *diags)
{
	const struct kernel_version v = r->kernel, rules = r->quirks.version;
	const struct event_text *proof = r->kernel_proof;
	struct kernel_version below, above;

	if (r->rules_noted)
		return;
	r->rules_noted = true;
	if (kernel_version_between(v, &below, &above))
		diags_add(
			diags, DIAG_NOTE,
			"Linux %u.%u has not been compared; its rules are derived from %u.%u, %u.%u and changelogs",
			v.major, v.minor, below.major, below.minor, above.major, above.minor);
	else if (rules.major == v.major && rules.minor == v.minor)
		return;
	else if (proof)
		diags_add(
			diags, DIAG_NOTE,
			"the version of the kernel is unknown, but its format of %s:%.*s is not that of later kernels; the rules of Linux %u.%u are used",
			proof->system, (int)proof->name.n, proof->name.s, rules.major, rules.minor);
	else if (!v.major)
		diags_add(diags, DIAG_NOTE,
			  "the version of the kernel is unknown; the rules of Linux %u.%u are used",
			  rules.major, rules.minor);
	else
		diags_add(diags, DIAG_NOTE,
			  "Linux %u.%u has not been compared; the rules of %u.%u are used", v.major,
			  v.minor, rules.major, rules.minor);
}

static bool has_journal(const struct recordings *r)
{
	struct task_facts facts;
	struct task_fact first;
	bool any = false;

	for (size_t i = 0; i < r->files.n && !any; i++) {
		task_facts_init(&facts, r->files.v[i].td);
		any = task_facts_next(&facts, &first);
	}
	return any;
}

static void describe_machine(struct recordings *r, const struct hist_options *options)
{
	const struct recording *first = &r->files.v[0];
	const char *release = uname_word(r, 2), *arch = uname_word(r, 3);
	const bool exact = options->kernel && !strcmp(options->kernel, "exact");
	const bool version = options->kernel && is_digit(options->kernel[0]);

	/* --kernel: "recording" and "exact" choose rules, but the kernel is the recording's */
	choose_quirks(r, version ? options->kernel : first->info->uname, types_are_guessed(r));
	r->quirks.unlimited = options->unlimited;
	r->machine = (struct machine){
		.db = r->db,
		.code = r->code,
		.quirks = &r->quirks,
		.rules.trigger = exact ? &r->exact : &r->quirks,
		.rules.question = exact || (!options->kernel && !options->strict_kernel)
					  ? &r->exact
					  : &r->quirks,
		.release = release ? release : "",
		.arch = arch ? arch : "",
		.clock = first->info->has_tsc2nsec ? "tsc2nsec" : first->info->clock,
		.clocks = recording_option(first, TRACE_DAT_TRACECLOCK),
		.big_endian = first->info->big_endian,
		.long_size = first->info->long_size,
		.nr_cpus = count_cpus(r),
		.page_size = page_size(first->info->page_size),
		.journal = has_journal(r),
		.types_guessed = types_are_guessed(r),
	};
	r->options = (struct replay_options){ .max_memory = memory_of_machine() / 2,
					      .threads = thread_count(options->jobs),
					      .strict_kernel = options->strict_kernel };
}

/* --- files --- */

const char *recording_option(const struct recording *rec, u16 id)
{
	return trace_dat_option_text(rec->td, id).s;
}

struct span recording_caveats(const struct recording *rec)
{
	const char *text = recording_option(rec, TRACE_DAT_HIST_CAVEATS);

	return span_of(text ? text : "");
}

void recordings_diagnose_read(struct recordings *r, struct diags *diags)
{
	array_each(struct recording, rec, &r->files) {
		if (rec->shrank_reported || !trace_dat_shrank(rec->td))
			continue;
		rec->shrank_reported = true;
		diags_add(diags, DIAG_WARNING,
			  "%s: was truncated during reading; the end is missing", rec->path);
	}
	diags_append(diags, &r->repeated);
	diags_release(&r->repeated);
}

bool recording_find_buffer(const struct recording *rec, const char *name, size_t *index)
{
	for (size_t i = 0; i < rec->n_buffers; i++) {
		if (strcmp(rec->buffers[i].name, name))
			continue;
		*index = i;
		return true;
	}
	return false;
}

bool buffer_has_data(const struct trace_dat_buffer *buffer)
{
	return any_of(i, buffer->n_cpus, buffer->cpus[i].size && !buffer->text);
}

static bool same_text(const char *a, const char *b)
{
	return !a || !b || !strcmp(a, b);
}

static int check_same_machine(const struct recording *first, const struct recording *rec,
			      struct diags *diags)
{
	const char *what = NULL;
	u64 apart;

	if (first->info->big_endian != rec->info->big_endian ||
	    first->info->long_size != rec->info->long_size)
		what = "kinds of machine";
	else if (!same_text(first->info->uname, rec->info->uname))
		what = "machines or kernels";
	else if (first->info->clock_known && rec->info->clock_known &&
		 strcmp(first->info->clock, rec->info->clock))
		what = "trace clocks";
	/* a guest, whose CPUs follow those of its host, has no name here */
	if (!what && first->info->cpu_count != rec->info->cpu_count && first->info->uname &&
	    rec->info->uname)
		diags_add(
			diags, DIAG_WARNING,
			"%s is from a machine with %u CPUs, %s from one with %u: they are taken as one timeline; if the machines differ, use --hosts",
			first->path, first->info->cpu_count, rec->path, rec->info->cpu_count);
	if (!what && first->info->uname && recording_wall_differs(first, rec, &apart))
		diags_add(
			diags, DIAG_WARNING,
			"%s and %s are taken as one timeline, but between their clocks and the time of day are %llu s more or less: the machine slept, its time was set, or they are of different boots, which have no common timeline: use --hosts",
			first->path, rec->path, apart / 1000000000);
	if (!what)
		return 0;
	return diags_error(
		diags, -HIST_EUNSUPPORTED,
		"%s and %s are from different %s and do not share a timeline: hist report --hosts answers for each of them, hist sql --hosts has tables of all, hist events --hosts merges their events by the time of day; other verbs, such as summary and why, take one: -i %s",
		first->path, rec->path, what, rec->path);
}

DEFINE_ORDER(by_id, struct trace_dat_format *const, cmp_int((*x)->id, (*y)->id))

static int by_name(const void *a, const void *b)
{
	const struct trace_dat_format *x = *(const struct trace_dat_format *const *)a;
	const struct trace_dat_format *y = *(const struct trace_dat_format *const *)b;

	return cmp_text(&(struct event_text){ .system = x->system, .name = x->name },
			&(struct event_text){ .system = y->system, .name = y->name });
}

/* Whether two formats of one name or number differ, which is reported. */
static bool report_double(const struct recording *rec, const struct trace_dat_format *a,
			  const struct trace_dat_format *b, struct diags *diags)
{
	const bool same_name = !by_name(&a, &b);

	if (same_name && a->id == b->id && span_same(a->text, b->text))
		return false;
	if (same_name)
		diags_error(diags, -HIST_EFORMAT,
			    "%s: has two formats of the event %s:%.*s, with the numbers %u and %u; "
			    "its records cannot be told apart",
			    rec->path, a->system, (int)a->name.n, a->name.s, a->id, b->id);
	else
		diags_error(diags, -HIST_EFORMAT,
			    "%s: the events %s:%.*s and %s:%.*s have the same number, %u; their "
			    "records cannot be told apart",
			    rec->path, a->system, (int)a->name.n, a->name.s, b->system,
			    (int)b->name.n, b->name.s, a->id);
	return true;
}

/* Each event has one format, and each number belongs to one event. */
static int check_formats(const struct recording *rec, struct diags *diags)
{
	int (*const orders[])(const void *, const void *) = { by_id, by_name };
	scoped(free_scoped) const struct trace_dat_format **sorted =
		calloc(rec->n_formats + 1, sizeof(*sorted));
	int err = sorted ? 0 : HIST_NOMEM;

	for (size_t o = 0; o < ARRAY_SIZE(orders) && !err; o++) {
		for (size_t i = 0; i < rec->n_formats; i++)
			sorted[i] = &rec->formats[i];
		qsort(sorted, rec->n_formats, sizeof(*sorted), orders[o]);
		for (size_t i = 1; i < rec->n_formats && !err; i++)
			if (!orders[o](&sorted[i - 1], &sorted[i]) &&
			    report_double(rec, sorted[i - 1], sorted[i], diags))
				err = -HIST_EFORMAT;
	}
	return err;
}

static int open_file(struct recordings *r, const char *path, const char *name, struct diags *diags)
{
	struct recording rec = { .td = NULL };
	int err = trace_dat_open_as(path, name, &rec.td, diags);

	if (err)
		return err;
	rec.info = trace_dat_info(rec.td);
	/* results name it after the caller's text has gone */
	rec.path = rec.info->path;
	rec.buffers = trace_dat_buffers(rec.td, &rec.n_buffers);
	err = array_push(&r->files, rec);
	if (err) {
		trace_dat_close(rec.td);
		return err;
	}
	if (r->files.n > 1)
		err = check_same_machine(&r->files.v[0], &rec, diags);
	if (err)
		return err;
	if (rec.info->has_time_shift)
		diags_add(
			diags, DIAG_WARNING,
			"%s: recorded in a guest, with the guest's times: give the recording of its host, too",
			name);
	err = trace_dat_formats(rec.td, &rec.formats, &rec.n_formats, diags);
	r->files.v[r->files.n - 1] = rec;
	caveat_add_all(&r->caveats, recording_caveats(&rec));
	/* the readable part of a damaged section is used; the damage was reported */
	return err == HIST_NOMEM ? err : check_formats(&rec, diags);
}

int recordings_open(struct recordings *r, const struct hist_options *options, struct diags *diags)
{
	int err = 0;

	*r = (struct recordings){ .arena = ARENA_INIT, .caveats = STRBUF_INIT };
	if (!options->n_inputs)
		err = diags_error(diags, -HIST_EINVAL, "no recording given");
	for (size_t i = 0; i < options->n_inputs && !err; i++)
		err = open_file(r, options->inputs[i],
				options->names ? options->names[i] : options->inputs[i], diags);
	err = err ?: make_db(r);
	if (!err)
		describe_machine(r, options);
	if (!err && (r->arena.failed || r->caveats.failed))
		err = HIST_NOMEM;
	if (err)
		recordings_close(r);
	return err;
}

void recordings_close(struct recordings *r)
{
	code_free(r->code);
	event_db_free(r->db);
	for (size_t i = 0; i < r->files.n; i++) {
		recording_times_free(&r->files.v[i]);
		trace_dat_close(r->files.v[i].td);
	}
	array_release(&r->files);
	strbuf_release(&r->caveats);
	diags_release(&r->repeated);
	arena_release(&r->arena);
	*r = (struct recordings){ .arena = ARENA_INIT, .caveats = STRBUF_INIT };
}

void recording_diagnose_chunks(const struct recording *rec, size_t buffer, size_t cpu,
			       struct diags *diags)
{
	struct trace_dat_pages *pages;
	const u8 *page;
	size_t len;
	int err;

	if (trace_dat_pages_open(rec->td, buffer, cpu, &pages, diags))
		return;
	do {
		err = trace_dat_pages_next(pages, &page, &len);
	} while (!err || err == -HIST_EFORMAT);
	trace_dat_pages_diagnose(pages, diags);
	trace_dat_pages_close(pages);
}
