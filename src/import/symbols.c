// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Symbols from the file that the user names; otherwise from /proc/kallsyms, if the running kernel
 * has the build id of the recording; or, if that has none (perf record -z, pipes), if it is the
 * same release on this machine at the same address. After a reboot KASLR may have moved the kernel:
 * then the kernel's own symbols are moved by the offset of _text. Symbols of modules are omitted in
 * this case because their new addresses are unknown.
 */
#include <sys/utsname.h>

#include "import/symbols.h"

enum { MAX_KALLSYMS = 1 << 28 };

bool format_needs_symbols(struct span format)
{
	if (span_find(format, span_of("%p")))
		return true;
	while (format.s) {
		struct span line = span_ltrim(span_sep(&format, "\n"));

		if (span_starts(line, "field:") && span_chr(span_sep(&line, ";"), '*'))
			return true;
	}
	return false;
}

/* Read all of a file whose size may be unknown; -HIST_EIO with errno. */
static int read_text(const char *path, struct strbuf *sb)
{
	bool ok = fd_append_close(open(path, O_RDONLY | O_CLOEXEC), sb, MAX_KALLSYMS);

	if (sb->failed)
		return HIST_NOMEM;
	return ok ? 0 : -HIST_EIO;
}

static bool line_address(struct span line, u64 *addr)
{
	return span_digits(span_sep(&line, " "), 16, addr) && line.s;
}

static u64 address_of(struct span text, const char *suffix)
{
	const char *at = span_find(text, span_of(suffix));
	const char *start = at;
	u64 addr = 0;

	while (start && start > text.s && start[-1] != '\n')
		start--;
	if (at)
		line_address(span_between(start, at + strlen(suffix)), &addr);
	return addr;
}

/* kernel: readers without the privilege to see addresses get zeros */
static bool has_addresses(struct span text)
{
	u64 addr;

	return text.s && any_of(i, 1000, line_address(span_sep(&text, "\n"), &addr) && addr);
}

static u64 text_of(struct span text)
{
	return address_of(text, " T _text\n") ?: address_of(text, " T _stext\n");
}

/* Pass the symbols on, those of the kernel itself moved if it was at another address. */
static int use(struct import_job *job, struct span text, const struct symbols_kernel *kernel)
{
	u64 here = text_of(text), addr;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (!kernel->text_addr || !here || here == kernel->text_addr)
		return import_sink_text(job->sink, TRACE_DAT_KALLSYMS, text);
	diags_add(
		job->diags, DIAG_NOTE,
		"%s: recorded while the kernel was loaded at another address: its symbols are relocated, those of modules are left out",
		job->in->name);
	while (text.s) {
		struct span line = span_sep(&text, "\n");

		if (line.n > 16 && line.s[16] == ' ' && !span_chr(line, '[') &&
		    line_address(line, &addr))
			strbuf_addf(&sb, "%016llx%.*s\n", addr + kernel->text_addr - here,
				    (int)(line.n - 16), line.s + 16);
	}
	return sb.failed ? HIST_NOMEM
			 : import_sink_text(job->sink, TRACE_DAT_KALLSYMS, strbuf_span(&sb));
}

/* Whether the running kernel has this build id, which is an ELF note "GNU" of type 3. */
static bool runs_here(const struct symbols_kernel *kernel)
{
	u8 notes[4096];
	ssize_t n = dir_read_head("/sys/kernel/notes", notes, sizeof(notes));
	struct bytes b = bytes_of(notes, n > 0 ? (size_t)n : 0, HOST_IS_BIG);

	while (kernel->build_id_len && bytes_left(&b) > 12) {
		u32 name_len = bytes_u32(&b), len = bytes_u32(&b), type = bytes_u32(&b);
		const u8 *name = bytes_take(&b, ALIGN_UP((u64)name_len, 4));
		const u8 *desc = bytes_take(&b, ALIGN_UP((u64)len, 4));

		if (!name || !desc)
			break;
		if (type == 3 && name_len == 4 && !memcmp(name, "GNU", 4))
			return len >= kernel->build_id_len &&
			       !memcmp(desc, kernel->build_id, kernel->build_id_len);
	}
	return false;
}

/* Whether the recording is from this machine, with the release that runs, maybe before a boot. */
static bool is_from_here(const struct symbols_kernel *kernel)
{
	struct utsname here;

	return kernel->text_addr && kernel->host.n && !uname(&here) &&
	       span_eq(kernel->host, here.nodename) && span_eq(kernel->release, here.release);
}

int symbols_add(struct import_job *job, const struct symbols_kernel *kernel)
{
	const char *path = job->options->kallsyms, *why = NULL;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	bool shown;
	int err = 0;

	if (!path && !kernel->build_id_len && !is_from_here(kernel))
		why = "it does not name its kernel";
	else if (!path && kernel->build_id_len && !runs_here(kernel))
		why = "it was recorded on a kernel other than the running one";
	else
		err = read_text(path ? path : "/proc/kallsyms", &sb);
	shown = !err && !why && has_addresses(strbuf_span(&sb));
	if (!shown && !path && !why && err != HIST_NOMEM)
		why = "/proc/kallsyms shows no addresses to this user";
	if (shown && !path && !kernel->build_id_len &&
	    text_of(strbuf_span(&sb)) != kernel->text_addr)
		why = "it does not name its kernel, and is from before this boot";
	if (why) {
		diags_add(job->diags, DIAG_NOTE,
			  "%s: addresses have no symbols: %s; give them with --kallsyms FILE",
			  job->in->name, why);
		err = 0;
	} else if (err == -HIST_EIO) {
		diags_error(job->diags, err, "%s: cannot read: %s", path, strerror(errno));
	} else if (!err && !shown) {
		err = diags_error(
			job->diags, -HIST_EFORMAT,
			"%s: has no lines in the format of /proc/kallsyms, with addresses", path);
	} else {
		err = err ?: use(job, strbuf_span(&sb), kernel);
	}
	return err;
}
