// SPDX-License-Identifier: GPL-2.0-only
/*
 * The script of a verb, from whatever mixture the command line gives.
 *
 * In: SCRIPT files, -x lines, --synth definitions and -e groups, in their order. Out: one
 * hist_script. -e EVENT is echo 1 > EVENT/enable, -R adds a line to its trigger file, -f
 * writes its filter, --synth adds a line to synthetic_events.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"

enum { KEY_SYNTH = 0x300 };

static const struct argp_option options[] = {
	{ NULL, 'x', "LINE", 0, "A line of the script", 2 },
	{ "event", 'e', "EVENT", 0, "Enable this event: system:event, system/event, or event", 2 },
	{ "trigger", 'R', "TRIGGER", 0, "Write TRIGGER to the trigger file of the -e before it",
	  2 },
	{ "filter", 'f', "FILTER", 0, "Write FILTER to the filter file of the -e before it", 2 },
	{ "synth", KEY_SYNTH, "DEFINITION", 0, "Define a synthetic event", 2 },
	{ NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct cmd_script *cs = state->input;
	struct cmd_script_piece piece = { .key = key, .name = arg, .text = arg };

	switch (key) {
	case 'e':
		cs->event = true;
		break;
	case 'R':
	case 'f':
		if (!cs->event)
			argp_error(state, "-%c needs an -e EVENT before it", key);
		break;
	case 'x':
	case KEY_SYNTH:
	case ARGP_KEY_ARG:
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	piece.len = strlen(arg);
	return array_push(&cs->pieces, piece) ? ENOMEM : 0;
}

const struct argp cmd_script_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[SCRIPT...]",
};
const struct argp cmd_line_argp = { .options = options, .parser = parse };

/* --- SCRIPT arguments --- */

/* Something more than any script, so that what is no script is not read to its end. */
enum { MAX_READ = (4 << 20) + 1 };

static int read_script(struct cmd_script *cs, struct cmd_script_piece *piece, int fd,
		       struct diags *diags)
{
	struct strbuf sb = STRBUF_INIT;
	ssize_t n = 1;

	while (n > 0 && sb.len < MAX_READ && strbuf_grow(&sb, 1 << 14)) {
		n = read(fd, sb.s + sb.len, 1 << 14);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			sb.len += (size_t)n;
		if (sb.len >= CMD_MAGIC_SIZE && cmd_is_recording(sb.s, sb.len))
			break;
	}
	piece->text = n < 0 ? NULL : arena_strndup(&cs->input->arena, sb.s, sb.len);
	piece->len = sb.len;
	strbuf_release(&sb);
	if (n < 0)
		return diags_error(diags, -HIST_EIO, "%s: %s", piece->name, strerror(errno));
	return piece->text ? 0 : HIST_NOMEM;
}

static int add_recording(struct cmd_input *in, const struct cmd_script_piece *piece, int fd,
			 struct diags *diags)
{
	struct span head = { piece->text, piece->len };
	struct stat st;

	if (fd != STDIN_FILENO && !fstat(fd, &st) && S_ISREG(st.st_mode))
		return array_push(&in->paths, piece->name);
	return cmd_input_add_fd(in, piece->name, fd, head, diags);
}

/* The trigger itself in the place of a script is an easy mistake. */
static int cannot_open(const char *name, struct diags *diags)
{
	int err = errno;

	if (!strncmp(name, "hist:", 5))
		return diags_error(diags, -HIST_ENOENT,
				   "%s: no such script; a trigger goes behind -e EVENT -R", name);
	if (strchr(name, ' '))
		return diags_error(diags, -HIST_ENOENT,
				   "%s: no such script; a line of a script goes behind -x", name);
	return diags_error(diags, -HIST_ENOENT, "%s: %s", name, strerror(err));
}

static int load_piece(struct cmd_script *cs, struct cmd_script_piece *piece, struct diags *diags)
{
	struct cmd_input *in = cs->input;
	int fd = STDIN_FILENO, err;

	if (strcmp(piece->name, "-")) {
		fd = open(piece->name, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return cannot_open(piece->name, diags);
	} else if (in->stdin_taken) {
		return diags_error(diags, -HIST_EINVAL, "standard input can be used only once");
	} else {
		in->stdin_taken = true;
		piece->name = "<stdin>";
	}
	err = read_script(cs, piece, fd, diags);
	if (!err && cmd_is_recording(piece->text, piece->len)) {
		err = add_recording(in, piece, fd, diags);
		piece->text = NULL;
	}
	if (fd != STDIN_FILENO)
		close(fd);
	return err;
}

int cmd_script_load(struct cmd_script *cs, struct diags *diags)
{
	size_t n = 0;

	for (size_t i = 0; i < cs->pieces.n; i++) {
		struct cmd_script_piece *piece = &cs->pieces.v[i];
		int err = piece->key == (int)ARGP_KEY_ARG ? load_piece(cs, piece, diags) : 0;

		if (err)
			return err;
		if (piece->text)
			cs->pieces.v[n++] = *piece;
	}
	cs->pieces.n = n;
	return 0;
}

/* --- one script of all --- */

struct build {
	struct hist *h;
	struct hist_script *script;
	struct diags *diags;
	char *dir; /* events/SYSTEM/EVENT of the last -e; NULL if there is no such event */
};

/* One write of @text and a newline, as echo makes it, to @file of the last -e, if it has a name. */
static int build_line(struct build *b, const char *origin, const char *file, const char *text,
		      enum hist_write_mode mode)
{
	struct strbuf path = STRBUF_INIT, line = STRBUF_INIT;
	int err = HIST_NOMEM;

	strbuf_addf(&path, "%s%s", *file == '/' ? b->dir : "", file);
	strbuf_addf(&line, "%s\n", text);
	if (!path.failed && !line.failed)
		err = hist_script_write(b->script, origin, path.s, line.s, mode);
	strbuf_release(&path);
	strbuf_release(&line);
	return err;
}

/* Whether the -e at @i has both -f and -R, of which one is mostly meant for the other. */
static bool filters_beside_trigger(const struct cmd_script *cs, size_t i)
{
	bool filter = false, trigger = false;

	while (++i < cs->pieces.n && cs->pieces.v[i].key != 'e') {
		filter |= cs->pieces.v[i].key == 'f';
		trigger |= cs->pieces.v[i].key == 'R';
	}
	return filter && trigger;
}

static int build_event(struct build *b, const struct cmd_script *cs, size_t i)
{
	int err;

	free(b->dir);
	b->dir = NULL;
	err = hist_find_event(b->h, cs->pieces.v[i].text, &b->dir, b->diags);
	if (err) {
		b->dir = NULL;
		return err == HIST_NOMEM ? err : -HIST_EREJECTED;
	}
	if (filters_beside_trigger(cs, i))
		diags_add(b->diags, DIAG_NOTE,
			  "-f does not limit what the trigger of -R sees: use "
			  "'hist:... if FILTER'");
	return build_line(b, "-e", "/enable", "1", HIST_TRUNCATE);
}

static int build_piece(struct build *b, const struct cmd_script *cs, size_t i)
{
	const struct cmd_script_piece *piece = &cs->pieces.v[i];

	switch (piece->key) {
	case 'e':
		return build_event(b, cs, i);
	case 'R':
		return b->dir ? build_line(b, "-R", "/trigger", piece->text, HIST_APPEND) : 0;
	case 'f':
		return b->dir ? build_line(b, "-f", "/filter", piece->text, HIST_TRUNCATE) : 0;
	case KEY_SYNTH:
		return build_line(b, "--synth", "synthetic_events", piece->text, HIST_APPEND);
	case 'x':
		return hist_script_parse(b->script, "-x", piece->text, piece->len, b->diags);
	default:
		return hist_script_parse(b->script, piece->name, piece->text, piece->len, b->diags);
	}
}

/* Nothing was asked for, and the recording does not say what it is for. */
static int suggest(const struct cmd_script *cs, struct hist *h, struct diags *diags)
{
	enum { SHOWN = 8 };
	const char *first = hist_recorded_event(h, 0), *event;
	const char *input = cs->input->paths.v[0];
	struct strbuf names = STRBUF_INIT;
	size_t n = 0;

	diags_error(diags, -HIST_EINVAL,
		    "nothing to replay: give a SCRIPT, or -e EVENT -R TRIGGER");
	while ((event = hist_recorded_event(h, n)))
		if (n++ < SHOWN)
			strbuf_addf(&names, "%s%s", n > 1 ? ", " : "", event);
	if (n > SHOWN)
		strbuf_addf(&names, " and %zu more; see hist list", n - SHOWN);
	diags_add(diags, DIAG_NOTE, "%s%s",
		  n ? "the recording has events of " : "the recording has no events", names.s);
	if (first)
		diags_add(diags, DIAG_NOTE,
			  "an example: hist report%s%s -e %s -R "
			  "'hist:keys=common_pid:sort=hitcount.descending'",
			  strcmp(input, "trace.dat") ? " -i " : "",
			  strcmp(input, "trace.dat") ? input : "", first);
	strbuf_release(&names);
	return -HIST_EINVAL;
}

static int build_stored(const struct cmd_script *cs, struct hist *h, struct hist_script *script,
			struct diags *diags)
{
	const char *text = hist_stored_script(h);
	int err;

	if (!text)
		return suggest(cs, h, diags);
	err = hist_script_parse(script, "stored script", text, strlen(text), diags);
	return err == -HIST_EINVAL ? -HIST_EREJECTED : err;
}

int cmd_script_build(const struct cmd_script *cs, struct hist *h, struct hist_script *script,
		     struct diags *diags)
{
	struct build b = { .h = h, .script = script, .diags = diags };
	int result = 0;

	if (!cs->pieces.n)
		return build_stored(cs, h, script, diags);
	for (size_t i = 0; i < cs->pieces.n && (!result || result == -HIST_EREJECTED); i++) {
		int err = build_piece(&b, cs, i);

		if (err)
			result = err == -HIST_EINVAL ? -HIST_EREJECTED : err;
	}
	free(b.dir);
	return result;
}

void cmd_script_release(struct cmd_script *cs)
{
	array_release(&cs->pieces);
}
