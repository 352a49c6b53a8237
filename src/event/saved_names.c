// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Two small files of the tracing directory: saved_cmdlines (lines "PID COMM") and printk_formats
 * (lines "0xADDR : "FORMAT""), which map a number to a string.
 *
 * Each is read once, at the first lookup, into an array sorted by number. Malformed lines are
 * skipped. If a number is repeated, its first line is used.
 */
#include "event/event_db.h"

struct name {
	u64 number;
	const char *text;
	size_t line; /* keeps file order for equal numbers */
};

struct event_names {
	ARRAY(struct name) list;
};

DEFINE_ORDER(compare_names, struct name, cmp_int(x->number, y->number) ?: cmp_int(x->line, y->line))

/* Parses a line: 0, 1 if malformed, -HIST_ENOMEM. */
typedef int (*read_line_fn)(struct event_db *db, struct span line, struct name *out);

/* If out of memory, there are no names, and the database has failed. */
static struct event_names *load_names(struct event_db *db, int (*source)(void *, struct span *),
				      read_line_fn read_line)
{
	struct event_names *names = calloc(1, sizeof(*names));
	struct span text = { NULL, 0 };
	int err = names ? 0 : HIST_NOMEM;

	if (!err && source)
		err = source(db->sources.arg, &text);
	while (err >= 0 && names && text.n) {
		struct name name = { .line = names->list.n };

		err = read_line(db, span_sep(&text, "\n"), &name);
		err = err ?: array_push(&names->list, name);
	}
	db->failed |= err == HIST_NOMEM;
	if (err < 0 && names)
		array_release(&names->list);
	else if (names && names->list.n)
		qsort(names->list.v, names->list.n, sizeof(struct name), compare_names);
	return names;
}

void event_names_free(struct event_names *names)
{
	if (names)
		array_release(&names->list);
	free(names);
}

static const char *find_name(const struct event_names *names, u64 number)
{
	size_t n = names ? names->list.n : 0;
	size_t at = partition_point(i, n, names->list.v[i].number < number);

	return at < n && names->list.v[at].number == number ? names->list.v[at].text : NULL;
}

/* kernel: "%d %s\n"; a comm may contain spaces */
static int read_comm(struct event_db *db, struct span line, struct name *out)
{
	const char *space = span_chr(line, ' ');

	if (!space || !is_digit(line.s[0]) || !span_u64(span_between(line.s, space), &out->number))
		return 1;
	line = span_skip(line, (size_t)(space - line.s) + 1);
	out->text = arena_strndup(&db->arena, line.s, line.n);
	return out->text ? 0 : HIST_NOMEM;
}

const char *event_saved_comm(struct event_db *db, s32 pid)
{
	if (!pid)
		return "<idle>";
	if (pid < 0)
		return NULL;
	if (!db->comms)
		db->comms = load_names(db, db->sources.cmdlines, read_comm);
	return find_name(db->comms, (u64)pid);
}

/* kernel: newline, tab and quote are written with a backslash, a backslash is not escaped */
static bool unescape(char c, char *out)
{
	*out = c == 'n' ? '\n' : c == 't' ? '\t' : c;
	return c == 'n' || c == 't' || c == '"';
}

static int read_printk(struct event_db *db, struct span line, struct name *out)
{
	const char *quote = span_chr(line, '"'), *last = span_rchr(line, '"');
	char *text, *p;

	if (!quote || last == quote || !span_u64(span_trim(span_sep(&line, ":")), &out->number))
		return 1;
	text = p = arena_alloc(&db->arena, (size_t)(last - quote));
	if (!text)
		return HIST_NOMEM;
	for (const char *s = quote + 1; s < last; s++) {
		if (*s == '\\' && s + 1 < last && unescape(s[1], p))
			s++;
		else
			*p = *s;
		p++;
	}
	*p = '\0';
	out->text = text;
	return 0;
}

const char *event_printk(struct event_db *db, u64 addr)
{
	if (!db->printk)
		db->printk = load_names(db, db->sources.printk, read_printk);
	return find_name(db->printk, addr);
}

size_t event_printk_count(struct event_db *db)
{
	event_printk(db, 0);
	return db->printk ? db->printk->list.n : 0;
}

const char *event_printk_at(const struct event_db *db, size_t i, u64 *addr)
{
	*addr = db->printk->list.v[i].number;
	return db->printk->list.v[i].text;
}
