// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Event formats from a source other than the input. If one file contains all formats, they follow
 * one another; lines "==> .../SYSTEM/EVENT/format <==" between them, as tail prints them, give the
 * systems.
 */
#include "import/sink.h"

/* The text after @key on the line that begins with @key. */
static struct span line_value(struct span text, const char *key)
{
	while (text.s) {
		struct span line = span_sep(&text, "\n");

		if (span_starts(line, key))
			return span_trim(span_skip(line, strlen(key)));
	}
	return (struct span){ NULL, 0 };
}

bool format_header(struct span text, struct span *name, u32 *id)
{
	u64 v;

	*name = line_value(text, "name:");
	if (!name->n || !span_u64(line_value(text, "ID:"), &v) || !v || v > UINT16_MAX)
		return false;
	*id = (u32)v;
	return true;
}

/*
 * The names of a system's events; those with '*' begin so. A system whose names begin as those of
 * another one is before it.
 */
static const struct {
	const char *system, *names;
} of_names[] = {
	{ "ftrace", "print bprint bputs raw_data kernel_stack user_stack function funcgraph_entry "
		    "funcgraph_retaddr_entry funcgraph_exit hwlat osnoise timerlat" },
	{ "raw_syscalls", "sys_enter sys_exit" },
	{ "syscalls", "sys_enter_* sys_exit_*" },
	{ "sched_ext", "sched_ext_*" },
	{ "sched", "sched_*" },
	{ "preemptirq", "irq_disable irq_enable preempt_disable preempt_enable" },
	{ "irq_matrix", "irq_matrix_*" },
	{ "irq_vectors", "local_timer_* reschedule_* call_function_* irq_work_* vector_* "
			 "x86_platform_ipi_* thermal_apic_* threshold_apic_* "
			 "deferred_error_apic_* error_apic_* spurious_apic_*" },
	{ "osnoise", "nmi_noise irq_noise softirq_noise thread_noise sample_threshold "
		     "osnoise_sample timerlat_sample" },
	{ "nmi", "nmi_handler" },
	{ "ipi", "ipi_*" },
	{ "irq", "irq_* softirq_* tasklet_*" },
	{ "timer", "timer_* hrtimer_* itimer_* tick_stop" },
	{ "timer_migration", "tmigr_*" },
	{ "cpuhp", "cpuhp_*" },
	{ "power", "cpu_* clock_* pm_qos_* dev_pm_qos_* device_pm_callback_* power_domain_target "
		   "psci_domain_idle_* suspend_resume wakeup_source_* pstate_sample" },
	{ "rpm", "rpm_*" },
	{ "clk", "clk_*" },
	{ "regulator", "regulator_*" },
	{ "thermal", "thermal_* cdev_update" },
	{ "skb", "kfree_skb consume_skb skb_*" },
	{ "kmem", "kmalloc* kfree* kmem_* mm_page_* rss_stat" },
	{ "vmscan", "mm_vmscan_* mm_shrink_slab_*" },
	{ "filemap", "mm_filemap_*" },
	{ "compaction", "mm_compaction_*" },
	{ "migrate", "mm_migrate_*" },
	{ "huge_memory", "mm_khugepaged_* mm_collapse_huge_*" },
	{ "readahead", "page_cache_*" },
	{ "mmap_lock", "mmap_lock_*" },
	{ "oom", "mark_victim oom_score_adj_update reclaim_retry_zone compact_retry wake_reaper "
		 "start_task_reaping finish_task_reaping skip_task_reaping" },
	{ "block", "block_*" },
	{ "net", "net_* netif_* napi_gro_*" },
	{ "napi", "napi_*" },
	{ "sock", "inet_sock_* inet_sk_* sock_* sk_data_ready" },
	{ "tcp", "tcp_*" },
	{ "udp", "udp_*" },
	{ "qdisc", "qdisc_*" },
	{ "neigh", "neigh_*" },
	{ "task", "task_*" },
	{ "signal", "signal_*" },
	{ "cgroup", "cgroup_*" },
	{ "workqueue", "workqueue_*" },
	{ "ext4", "ext4_*" },
	{ "f2fs", "f2fs_*" },
	{ "jbd2", "jbd2_*" },
	{ "xfs", "xfs_*" },
	{ "btrfs", "btrfs_*" },
	{ "io_uring", "io_uring_*" },
	{ "kvmmmu", "kvm_mmu_*" },
	{ "kvm", "kvm_*" },
	{ "rcu", "rcu_*" },
	{ "writeback", "writeback_* balance_dirty_pages" },
	{ "exceptions", "page_fault_*" },
	{ "lock", "lock_* contention_*" },
	{ "mmc", "mmc_*" },
	{ "scsi", "scsi_*" },
	{ "nvme", "nvme_*" },
	{ "binder", "binder_*" },
	{ "msr", "read_msr write_msr rdpmc" },
	{ "hist", "throttle_down throttle_up throttle_task" },
	{ "recipes", "file_open_enter file_open_exit" },
};

static bool has_name(struct span names, struct span name)
{
	while (names.n) {
		struct span one = span_word(&names);
		const bool begins = one.s[one.n - 1] == '*';

		if (name.n >= one.n - begins && (begins || name.n == one.n) &&
		    !memcmp(name.s, one.s, one.n - begins))
			return true;
	}
	return false;
}

/* The system that kernels put an event of this name into, guessed from the name. */
static const char *format_system_of(struct span name)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_names); i++)
		if (has_name(span_of(of_names[i].names), name))
			return of_names[i].system;
	return "text";
}

/* --- collecting --- */

struct event_text *format_list_find(const struct format_list *f, const char *system,
				    struct span name)
{
	return array_find(&f->list, e, span_same(e->name, name) && !strcmp(e->system, system));
}

struct event_text *format_list_find_id(const struct format_list *f, u64 id)
{
	return array_find(&f->list, e, e->id == id);
}

int format_list_add(struct format_list *f, struct span system, struct span text)
{
	static const char word[] = "unsigned long ", four[] = "size:4;";
	struct event_text t = { .system = NULL };
	struct span name;
	const char *at;

	if (!format_header(text, &name, &t.id)) {
		f->unreadable++;
		return 0;
	}
	at = span_find(text, span_of(word));
	if (at) {
		struct span line = span_between(at, text.s + text.n);

		line = span_sep(&line, "\n");
		f->long_is_4 |= span_find(line, span_of(four)) && !span_chr(line, '[');
	}
	t.system = system.s ? arena_strndup(&f->arena, system.s, system.n) : format_system_of(name);
	if (!t.system)
		return HIST_NOMEM;
	if (format_list_find_id(f, t.id) || format_list_find(f, t.system, name))
		return 0;
	t.text = (struct span){ arena_strndup(&f->arena, text.s, text.n), text.n };
	if (!t.text.s)
		return HIST_NOMEM;
	t.name = (struct span){ t.text.s + (name.s - text.s), name.n };
	return array_push(&f->list, t);
}

int format_list_add_dir(struct format_list *f, const char *dir)
{
	struct dir_names systems = dir_names_of(dir), events;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT, path = STRBUF_INIT;
	int err = 0;

	for (int i = 0; i < systems.n && !err; i++) {
		const char *system = systems.v[i]->d_name;

		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s", dir, system);
		events = dir_names_of(path.failed ? "" : path.s);
		for (int k = 0; k < events.n && !err; k++) {
			strbuf_reset(&path);
			strbuf_addf(&path, "%s/%s/%s/format", dir, system, events.v[k]->d_name);
			if (path.failed)
				continue;
			if (dir_read_text(path.s, &text))
				err = format_list_add(f, span_of(system), strbuf_span(&text));
			else if (errno != ENOENT && errno != ENOTDIR) /* "enable" is a file */
				f->unreadable++;
		}
		dir_names_release(&events);
	}
	dir_names_release(&systems);
	return err;
}

/* Parse SYSTEM from ==> .../SYSTEM/EVENT/format <== */
static bool system_of_header(struct span line, struct span *system)
{
	const char *end;

	if (!span_starts(line, "==> "))
		return false;
	*system = (struct span){ NULL, 0 };
	for (int i = 0; i < 2; i++) {
		end = span_rchr(line, '/');
		if (!end)
			return true;
		line.n = (size_t)(end - line.s);
	}
	end = span_rchr(line, '/');
	*system = end ? span_between(end + 1, line.s + line.n) : span_skip(line, strlen("==> "));
	return true;
}

static int add_file(struct format_list *f, struct span all)
{
	const char *start = NULL, *end = all.s + all.n;
	struct span system = { NULL, 0 }, next = system;
	int err = 0;

	while (all.s && !err) {
		struct span line = span_sep(&all, "\n");
		bool header = system_of_header(line, &next);

		if (!header && !span_starts(line, "name:"))
			continue;
		if (start)
			err = format_list_add(f, system, span_between(start, line.s));
		start = header ? NULL : line.s;
		system = next;
		if (!header)
			next = (struct span){ NULL, 0 };
	}
	return start && !err ? format_list_add(f, system, span_between(start, end)) : err;
}

static int add_recording(struct format_list *f, const char *path, struct diags *diags)
{
	const struct trace_dat_format *formats;
	struct trace_dat *td;
	size_t n;
	int err = trace_dat_open(path, &td, diags);

	if (err)
		return err;
	err = trace_dat_formats(td, &formats, &n, diags);
	for (size_t i = 0; i < n && !err; i++)
		err = format_list_add(f, span_of(formats[i].system), formats[i].text);
	if (trace_dat_info(td)->uname)
		f->uname = arena_strdup(&f->arena, trace_dat_info(td)->uname);
	if (!err && !trace_dat_section(td, TRACE_DAT_KALLSYMS, &f->kallsyms, diags) &&
	    f->kallsyms.n) {
		f->kallsyms.s = arena_strndup(&f->arena, f->kallsyms.s, f->kallsyms.n);
		err = f->kallsyms.s ? 0 : HIST_NOMEM;
	}
	trace_dat_close(td);
	return err;
}

/* --- loading from any source --- */

bool format_list_warn(const struct format_list *f, const char *name, struct diags *diags)
{
	if (f->unreadable)
		diags_add(diags, DIAG_WARNING, "%s: %zu event formats cannot be read", name,
			  f->unreadable);
	return f->unreadable != 0;
}

int format_list_add_print(struct format_list *f)
{
	u32 size = f->long_is_4 ? 4 : 8;
	const char *text =
		arena_printf(&f->arena,
			     "name: print\nID: 5\nformat:\n" FORMAT_COMMON
			     "\tfield:unsigned long ip;\toffset:8;\tsize:%u;\tsigned:0;\n"
			     "\tfield:char buf[];\toffset:%u;\tsize:0;\tsigned:0;\n\n"
			     "print fmt: \"%%ps: %%s\", (void *)REC->ip, REC->buf\n",
			     size, 8 + size);

	return text ? format_list_add(f, span_of("ftrace"), span_of(text)) : HIST_NOMEM;
}

int format_list_load(struct format_list *f, const char *path, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct stat st;
	int err = 0;

	*f = (struct format_list){ .arena = ARENA_INIT };
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		strbuf_addf(&sb, dir_has(path, "events") ? "%s/events" : "%s", path);
		err = sb.failed ? HIST_NOMEM : format_list_add_dir(f, sb.s);
	} else if (!dir_read_text(path, &sb)) {
		err = diags_error(diags, errno == ENOENT ? -HIST_ENOENT : -HIST_EIO,
				  "%s: cannot read: %s", path, strerror(errno));
	} else if (sb.len > 10 && !memcmp(sb.s, "\x17\x08\x44tracing", 10)) {
		err = add_recording(f, path, diags);
	} else {
		err = add_file(f, strbuf_span(&sb));
	}
	if (!err)
		format_list_warn(f, path, diags);
	if (!err && !f->list.n)
		err = diags_error(diags, -HIST_EFORMAT, "%s: contains no event formats", path);
	return err;
}

void format_list_release(struct format_list *f)
{
	array_release(&f->list);
	arena_release(&f->arena);
}
