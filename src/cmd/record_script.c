// SPDX-License-Identifier: GPL-2.0-only
/*
 * The script of a recording. Enters: -R, -S and --synth. Leaves: the probes to make first,
 * the events, stacks and the clock that the triggers need, and the text that goes into the
 * file, so that a bare `hist report` answers the question.
 *
 * What the kernel would refuse is refused here, by libhist and the formats of this machine's
 * events, before anything is recorded.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cmd/record_script.h"

/* --- reading --- */

/* More than any script, so that what never ends is not read for ever. */
enum { MAX_READ = (4 << 20) + 1 };

static int read_script(struct record_script *rs, struct record_script_piece *piece,
		       struct diags *diags)
{
	bool is_stdin = strcmp(piece->text, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(piece->text, O_RDONLY | O_CLOEXEC);
	struct strbuf sb = STRBUF_INIT;
	const char *copy = NULL;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && sb.len < MAX_READ && strbuf_grow(&sb, 1 << 14)) {
		n = read(fd, sb.s + sb.len, 1 << 14);
		if (n > 0)
			sb.len += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	if (n < 0)
		diags_error(diags, 0, "%s: %s", piece->text, strerror(errno));
	if (fd >= 0 && !is_stdin)
		close(fd);
	if (n == 0 || sb.len >= MAX_READ)
		copy = arena_strndup(&rs->arena, sb.s ? sb.s : "", sb.len);
	piece->file = (struct span){ copy, sb.len };
	if (is_stdin)
		piece->text = "<stdin>";
	strbuf_release(&sb);
	return n < 0 ? -HIST_EIO : copy ? 0 : HIST_NOMEM;
}

/* kernel: a line "p:...", "r8:...", "e:..." makes a probe; "-:..." removes one */
static bool makes_probe(struct span line)
{
	static const char kinds[] = "preft";
	struct span kind;

	line = span_ltrim(line);
	kind = span_sep(&line, ": \t");
	return line.s && kind.n && strchr(kinds, kind.s[0]) &&
	       strspn(kind.s + 1, "0123456789") >= kind.n - 1;
}

static int add_probes(struct record_script *rs, const char *file, const char *text)
{
	struct span rest = span_of(text);

	while (rest.s) {
		struct span line = span_trim(span_sep(&rest, "\n"));
		struct record_probe probe = { .file = arena_strdup(&rs->arena, file) };

		if (!makes_probe(line))
			continue;
		probe.text = arena_strndup(&rs->arena, line.s, line.n);
		if (!probe.file || !probe.text || array_push(&rs->probes, probe))
			return HIST_NOMEM;
	}
	return 0;
}

/* The kernel needs the synthetic events of live triggers. */
static int add_synthetic(struct record_script *rs, struct span definition)
{
	struct record_probe probe = { .file = "synthetic_events" };

	probe.text = arena_strndup(&rs->arena, definition.s, definition.n);
	return probe.text ? array_push(&rs->probes, probe) : HIST_NOMEM;
}

/* What must be done before the events of the machine can be looked at. */
static int scan_writes(struct record_script *rs, const struct hist_script *script)
{
	const char *path, *text;
	int err = 0;

	for (size_t i = 0; !err && hist_script_get(script, i, &path, &text); i++) {
		struct span word = span_trim(span_of(text));

		if (!strcmp(path, "kprobe_events") || !strcmp(path, "uprobe_events") ||
		    !strcmp(path, "dynamic_events"))
			err = add_probes(rs, path, text);
		else if (!strcmp(path, "trace_clock") && word.n)
			rs->clock = arena_strndup(&rs->arena, word.s, word.n);
		else if (!strcmp(path, "synthetic_events") && rs->plan->live && word.n)
			err = add_synthetic(rs, word);
		rs->plan->markers |= !strncmp(path, "events/ftrace/print/", 20);
	}
	return err;
}

static int scan_script(struct record_script *rs, const struct record_script_piece *piece,
		       struct diags *diags)
{
	struct hist_script *script = hist_script_new();
	int err =
		script ? hist_script_parse(script, piece->text, piece->file.s, piece->file.n, diags)
		       : HIST_NOMEM;

	if (!err)
		err = scan_writes(rs, script);
	hist_script_free(script);
	return err == -HIST_EINVAL ? -HIST_EREJECTED : err;
}

int record_script_plan(struct record_script *rs, struct diags *diags)
{
	struct record_plan *plan = rs->plan;
	int err = 0;

	for (size_t i = 0; !err && i < rs->pieces.n; i++) {
		struct record_script_piece *piece = &rs->pieces.v[i];
		const char *text = piece->text;

		if (piece->key == 'S') {
			err = read_script(rs, piece, diags);
			text = piece->file.s;
			if (!err)
				err = scan_script(rs, piece, diags);
		} else if (piece->key == RECORD_SCRIPT_SYNTH && plan->live) {
			err = add_synthetic(rs, span_of(text));
		}
		plan->symbols |= !err && (strstr(text, ".sym") || strstr(text, "stacktrace") ||
					  strstr(text, ".function"));
		plan->syscalls |= !err && strstr(text, ".syscall");
	}
	plan->probes = rs->probes.v;
	plan->n_probes = rs->probes.n;
	if (!plan->clock)
		plan->clock = rs->clock;
	if (rs->pieces.n) {
		plan->resolve = record_script_resolve;
		plan->resolve_arg = rs;
	}
	return err;
}

/* --- one script of all --- */

struct build {
	struct record_script *rs;
	struct hist *h;
	struct hist_script *script;
	struct diags *diags;
};

void record_script_line(struct strbuf *out, const char *file, const char *text)
{
	strbuf_addstr(out, "echo '");
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_addstr(out, "'\\''");
		else
			strbuf_addch(out, *text);
	}
	strbuf_addf(out, "' >> %s\n", file);
}

/* The same for the file and for libhist. */
static int build_line(struct build *b, const char *origin, const char *file, const char *text)
{
	struct strbuf line = STRBUF_INIT;
	int err = HIST_NOMEM;

	record_script_line(&b->rs->text, file, text);
	strbuf_addf(&line, "%s\n", text);
	if (!line.failed)
		err = hist_script_write(b->script, origin, file, line.s, HIST_APPEND);
	strbuf_release(&line);
	return err;
}

static int build_trigger(struct build *b, const struct record_script_piece *piece)
{
	struct strbuf file = STRBUF_INIT;
	char *dir = NULL;
	int err = 0;

	if (strpbrk(piece->event, "*?[,"))
		return diags_error(b->diags, -HIST_EREJECTED,
				   "-R needs one event, and %s may be several", piece->event);
	err = record_find_event(piece->event, &dir, b->diags);
	if (err)
		return err;
	strbuf_addf(&file, "%s/trigger", dir);
	free(dir);
	err = file.failed ? HIST_NOMEM : build_line(b, "-R", file.s, piece->text);
	strbuf_release(&file);
	return err;
}

static int build_file(struct build *b, const struct record_script_piece *piece)
{
	struct strbuf *out = &b->rs->text;
	size_t said = b->diags->list.n;
	int err;

	strbuf_add(out, piece->file.s, piece->file.n);
	if (out->len && out->s[out->len - 1] != '\n')
		strbuf_addch(out, '\n');
	err = hist_script_parse(b->script, piece->text, piece->file.s, piece->file.n, b->diags);
	/* scan_script() has said its warnings */
	if (!err)
		b->diags->list.n = said;
	return err;
}

static int build_all(struct build *b)
{
	int err = 0;

	for (size_t i = 0; !err && i < b->rs->pieces.n; i++) {
		const struct record_script_piece *piece = &b->rs->pieces.v[i];

		if (piece->key == 'R')
			err = build_trigger(b, piece);
		else if (piece->key == 'S')
			err = build_file(b, piece);
		else
			err = build_line(b, "--synth", "synthetic_events", piece->text);
	}
	return !err && b->rs->text.failed ? HIST_NOMEM : err;
}

/* --- what it needs --- */

static int add_need(void *arg, enum hist_need need, const char *name)
{
	struct record_script *rs = arg;
	struct record_event ev = { .stack = need == HIST_NEED_STACK,
				   .optional = need == HIST_NEED_OPTIONAL };

	if (need == HIST_NEED_CLOCK) {
		if (!rs->plan->clock)
			rs->plan->clock = arena_strdup(&rs->arena, name);
		return 0;
	}
	/* events of this system cannot be switched on: texts of trace_marker come without */
	if (!strncmp(name, "ftrace:", 7)) {
		rs->plan->markers |= !strcmp(name, "ftrace:print");
		return 0;
	}
	ev.pattern = arena_strdup(&rs->arena, name);
	return ev.pattern ? array_push(&rs->events, ev) : HIST_NOMEM;
}

static int nothing(void *arg, const void *data, size_t len)
{
	(void)arg;
	(void)data;
	(void)len;
	return 0;
}

static int judge(struct build *b)
{
	const struct hist_run_options options = { .check_only = true,
						  .need = add_need,
						  .need_arg = b->rs };
	int err = build_all(b);

	if (!err)
		err = hist_run(b->h, b->script, &options, nothing, NULL, b->diags);
	if (!err && b->rs->plan->live)
		err = record_live_plan(b->rs, b->script, b->diags);
	return err;
}

int record_script_resolve(void *arg, const char *machine, struct diags *diags)
{
	struct record_script *rs = arg;
	const struct hist_options options = { .inputs = &machine, .n_inputs = 1 };
	struct build b = { .rs = rs, .script = hist_script_new(), .diags = diags };
	int err = b.script ? hist_open(&options, &b.h, diags) : HIST_NOMEM;

	strbuf_reset(&rs->text);
	if (!err)
		err = judge(&b);
	rs->plan->events = rs->events.v;
	rs->plan->n_events = rs->events.n;
	rs->plan->script = (struct span){ rs->text.s, rs->text.len };
	hist_close(b.h);
	hist_script_free(b.script);
	return err;
}

void record_script_release(struct record_script *rs)
{
	array_release(&rs->pieces);
	array_release(&rs->events);
	array_release(&rs->probes);
	array_release(&rs->gates);
	array_release(&rs->live);
	array_release(&rs->live_files);
	strbuf_release(&rs->text);
	strbuf_release(&rs->live_text);
	arena_release(&rs->arena);
}
