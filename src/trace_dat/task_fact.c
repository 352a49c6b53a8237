// SPDX-License-Identifier: LGPL-2.1-only
/* The only place that reads and writes the lines of the journal of tasks. */
#include "trace_dat/task_fact.h"

/* ORDER enum task_fact_kind */
static const struct {
	const char *word;
	bool timed, of_task;
	u8 numbers, texts;
} words[N_TASK_FACTS] = {
	{ "tasks", false, false, 1, 0 },    { "begin", true, false, 0, 0 },
	{ "is", false, true, 3, 1 },        { "of", false, true, 1, 0 },
	{ "args", false, true, 0, 1 },      { "in", false, true, 1, 1 },
	{ "scanned", true, false, 0, 0 },   { "new", true, true, 2, 1 },
	{ "name", true, true, 0, 2 },       { "exec", true, true, 1, 1 },
	{ "argv", true, true, 0, 1 },       { "moved", true, true, 1, 1 },
	{ "exit", true, true, 0, 1 },       { "from", false, false, 0, 1 },
	{ "unread", false, false, 1, 0 },   { "unseen", false, false, 1, 0 },
	{ "lost", false, false, 1, 0 },     { "lacks", false, false, 0, 1 },
	{ "end", true, false, 0, 0 },       { "map", true, true, 3, 2 },
	{ "code", false, false, 1, 2 },     { "cgroup", false, false, 1, 1 },
	{ "quota", false, false, 3, 2 },    { "steal", false, false, 2, 0 },
	{ "pressure", false, false, 3, 1 }, { "uid", true, true, 1, 0 },
};

/*
 * kernel: the name of a worker is followed by its work, "kworker/CPU:N" or "kworker/uPOOL:N", then
 * H or I, then "-WORK" or "+WORK"; names of other kernel threads can be longer than those of tasks.
 */
struct span task_comm(struct span name)
{
	const struct span worker = span_of("kworker/");
	size_t n = worker.n;

	if (!span_starts(name, worker.s))
		return (struct span){ name.s, min_t(size_t, name.n, 15) };
	while (n < name.n && strchr("u0123456789:HI", name.s[n]))
		n++;
	if (n > worker.n && (n == name.n || name.s[n] == '-' || name.s[n] == '+'))
		return (struct span){ name.s, min_t(size_t, n, 15) };
	return (struct span){ NULL, 0 };
}

/* --- writing --- */

static bool is_escaped(u8 c)
{
	return c <= ' ' || c == '\\' || c == 0x7f;
}

static void add_text(struct strbuf *out, struct span text)
{
	strbuf_addch(out, ' ');
	for (size_t i = 0; i < text.n; i++) {
		const u8 c = (u8)text.s[i];
		const char octal[] = { '\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)),
				       (char)('0' + (c & 7)) };

		strbuf_add(out, is_escaped(c) ? octal : &text.s[i], is_escaped(c) ? 4 : 1);
	}
}

void task_fact_print(const struct task_fact *fact, struct strbuf *out)
{
	strbuf_addstr(out, words[fact->kind].word);
	if (words[fact->kind].timed)
		strbuf_addf(out, " %llu", fact->ts);
	if (words[fact->kind].of_task)
		strbuf_addf(out, " %d", fact->pid);
	for (size_t i = 0; i < words[fact->kind].numbers; i++)
		strbuf_addf(out, " %llu", fact->n[i]);
	for (size_t i = 0; i < words[fact->kind].texts; i++)
		add_text(out, fact->text[i]);
	if (fact->id)
		strbuf_addf(out, " %llu", fact->id);
	strbuf_addch(out, '\n');
}

/* --- reading --- */

static bool take_number(struct span *line, u64 max, u64 *n)
{
	struct span word = line->s ? span_sep(line, " ") : *line;

	return word.n && word.s[0] >= '0' && word.s[0] <= '9' && span_u64(word, n) && *n <= max;
}

static bool parse(struct span line, struct task_fact *fact)
{
	const struct span all = line;
	struct span word = span_sep(&line, " ");
	unsigned int kind = 0;
	u64 pid = 0;

	while (kind < N_TASK_FACTS && !span_eq(word, words[kind].word))
		kind++;
	*fact = (struct task_fact){ .kind = kind, .line = all };
	if (kind == N_TASK_FACTS ||
	    (words[kind].timed && !take_number(&line, UINT64_MAX, &fact->ts)) ||
	    (words[kind].of_task && !take_number(&line, INT32_MAX, &pid)))
		return false;
	fact->pid = (s32)pid;
	for (size_t i = 0; i < words[kind].numbers; i++)
		if (!take_number(&line, UINT64_MAX, &fact->n[i]))
			return false;
	for (size_t i = 0; i < words[kind].texts; i++) {
		if (!line.s)
			return false;
		fact->text[i] = span_sep(&line, " ");
	}
	if (kind == TASK_MOVED && !take_number(&line, UINT64_MAX, &fact->id))
		fact->id = 0;
	return true;
}

bool task_fact_next(struct span *lines, struct task_fact *fact)
{
	while (lines->s)
		if (parse(span_sep(lines, "\n"), fact))
			return true;
	return false;
}

static bool is_octal(struct span text)
{
	return text.n >= 4 && text.s[0] == '\\' && text.s[1] >= '0' && text.s[1] <= '3' &&
	       text.s[2] >= '0' && text.s[2] <= '7' && text.s[3] >= '0' && text.s[3] <= '7';
}

size_t task_text(struct span text, char *out, size_t max)
{
	size_t n = 0;

	while (text.n && n < max) {
		bool octal = is_octal(text);

		out[n++] = octal ? (char)((text.s[1] - '0') << 6 | (text.s[2] - '0') << 3 |
					  (text.s[3] - '0'))
				 : text.s[0];
		text = span_skip(text, octal ? 4 : 1);
	}
	return n;
}

/* --- the journal of a file --- */

static bool next_line(struct task_facts *f, struct task_fact *fact)
{
	while (!task_fact_next(&f->rest, fact)) {
		while (f->n && f->options->id != TRACE_DAT_HIST_TASKS)
			f->options++, f->n--;
		if (!f->n)
			return false;
		f->rest = (struct span){ (const char *)f->options->data, f->options->size };
		f->options++, f->n--;
	}
	return true;
}

static u64 open_facts(struct task_facts *f, const struct trace_dat *td)
{
	struct task_fact first;

	*f = (struct task_facts){ .n = 0 };
	f->options = trace_dat_options(td, &f->n);
	return next_line(f, &first) && first.kind == TASK_VERSION ? first.n[0] : 0;
}

void task_facts_init(struct task_facts *f, const struct trace_dat *td)
{
	if (open_facts(f, td) != TASK_JOURNAL_VERSION)
		*f = (struct task_facts){ .n = 0 };
}

bool task_facts_next(struct task_facts *f, struct task_fact *fact)
{
	return next_line(f, fact) &&
	       (fact->kind != TASK_VERSION || fact->n[0] == TASK_JOURNAL_VERSION);
}

void task_journal_read(const struct trace_dat *td, struct task_journal *journal)
{
	bool begun = false, scanned = false, ended = false, lacks = false;
	struct task_facts f;
	struct task_fact fact;

	*journal = (struct task_journal){ .version = open_facts(&f, td) };
	while (journal->version == TASK_JOURNAL_VERSION && task_facts_next(&f, &fact)) {
		journal->n_tasks += fact.kind == TASK_IS || fact.kind == TASK_NEW ||
				    fact.kind == TASK_OF;
		if (fact.kind == TASK_LOST)
			journal->lost = add_saturated(journal->lost, max_t(u64, fact.n[0], 1));
		else if (fact.kind == TASK_UNSEEN)
			journal->unseen = add_saturated(journal->unseen, max_t(u64, fact.n[0], 1));
		else if (fact.kind == TASK_UNREAD)
			journal->unread = add_saturated(journal->unread, fact.n[0]);
		else if (fact.kind == TASK_FROM)
			journal->from = fact.text[0];
		else if (fact.kind == TASK_BEGIN)
			begun = true, journal->begin = fact.ts;
		else if (fact.kind == TASK_END)
			ended = true, journal->end = fact.ts;
		scanned |= fact.kind == TASK_SCANNED;
		lacks |= fact.kind == TASK_LACKS;
	}
	journal->complete = begun && scanned && ended && !lacks && !journal->lost &&
			    !journal->unseen;
}
