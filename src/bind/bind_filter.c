// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Binds a filter: compiles its text to a program of predicates and jumps, or logs an error at the
 * kernel's position. Predicates are bound from left to right; errors in the text after them are
 * reported last.
 *
 * Corresponds to create_filter(), parse_pred(), append_filter_err() in trace_events_filter.c.
 */
#include "bind/binding.h"
#include "bind/filter_word.h"
#include "program/value.h"

/* kernel: the bytes that it records of longer texts, before "...", unless it was configured. */
enum { USER_TEXT_KNOWN = 63 };

struct filter_bind {
	const struct event_file *file;
	const struct machine *machine;
	const struct kernel_quirks *rules;
	enum event_generics generics;
	struct filter *filter;
	struct filter_text text;
	struct cmd_log *log;
	bool question; /* as in struct cmd_log */
	bool bad;
	enum filt_err err;
	size_t err_at;              /* the kernel's column */
	size_t true_at;             /* the actual column */
	struct strbuf names;        /* of the numbers of ->unknown.field */
	struct filter_word unknown; /* its field has no number for it; .field NULL: none */
	const struct event_field *without_sign; /* compared with a number below 0; NULL: none */
	u64 positive;                           /* that number, as the field has it */
	const struct event_field *timed; /* in ns, compared with a plain number; NULL: none */
};

/* kernel: errors of predicates are reported one column to the right of the error. */
static int bad_pred(struct filter_bind *b, enum filt_err err, size_t at)
{
	b->bad = true;
	b->err = err;
	b->err_at = at + 1;
	b->true_at = at;
	return -HIST_EREJECTED;
}

/* --- binding one predicate --- */

static bool is_string_field(const struct event_field *f)
{
	return f->filter_type == FILTER_STATIC_STRING || f->filter_type == FILTER_DYN_STRING ||
	       f->filter_type == FILTER_RDYN_STRING || f->filter_type == FILTER_PTR_STRING ||
	       f->filter_type == FILTER_COMM;
}

static bool loadable(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* What a question cannot compare: an array, or a number of other sizes. */
static bool is_no_number(const struct filter_bind *b, const struct event_field *f)
{
	return b->question &&
	       (event_field_is_array(f) || (f->filter_type == FILTER_OTHER && !loadable(f->size)));
}

static int bind_function(struct filter_bind *b, const struct filter_pred_text *pt,
			 const struct event_field *f, struct filter_pred *pred)
{
	struct event_symbol sym;
	u64 ip = 0;

	if (f->size != b->machine->long_size)
		return bad_pred(b, FILT_ERR_ILLEGAL_FIELD_OP, pt->operand_at);
	if (pt->op != OP_EQ && pt->op != OP_NE)
		return bad_pred(b, FILT_ERR_INVALID_OP, pt->operand_at);
	if (pt->err != FILT_ERR_NONE)
		return bad_pred(b, pt->err, pt->err_at);
	if (pt->operand == OPERAND_FUNCTION_NUMBER && !span_u64(pt->value, &ip))
		return bad_pred(b, FILT_ERR_INVALID_VALUE, pt->operand_at + pt->value.n);
	if (pt->operand == OPERAND_FUNCTION && event_symbol_find(b->machine->db, pt->value, &sym))
		ip = sym.addr;
	if (!ip || !event_symbol_at(b->machine->db, ip, &sym))
		return bad_pred(b, FILT_ERR_NO_FUNCTION, pt->operand_at + pt->value.n);
	pred->kind = PRED_FUNCTION;
	pred->val = sym.addr;
	pred->val2 = sym.addr + sym.size;
	return 0;
}

/* kernel: a set of one CPU is treated as that number. */
static bool only_cpu(const u64 *cpus, u32 nr_cpus, u64 *cpu)
{
	unsigned int n = 0;

	for (u32 i = 0; i < nr_cpus; i++) {
		if (bits_has(cpus, i)) {
			*cpu = i;
			n++;
		}
	}
	return n == 1;
}

static void choose_cpus(const struct event_field *f, bool single, struct filter_pred *pred)
{
	pred->is_signed = false;
	if (f->filter_type == FILTER_CPUMASK) {
		pred->kind = single ? PRED_MASK_CPU : PRED_MASK_CPUS;
		return;
	}
	if (single && pred->op == OP_BAND)
		pred->op = OP_EQ;
	if (f->filter_type == FILTER_CPU)
		pred->kind = single ? PRED_CPU : PRED_CPU_CPUS;
	else if (loadable(f->size))
		pred->kind = single ? PRED_NUM : PRED_NUM_CPUS;
}

static int bind_cpus(struct filter_bind *b, const struct filter_pred_text *pt,
		     const struct event_field *f, struct filter_pred *pred)
{
	size_t words = bits_words(b->machine->nr_cpus);
	u64 *cpus = arena_alloc(&b->filter->arena, words * sizeof(*cpus));

	if (!cpus)
		return HIST_NOMEM;
	if (f->filter_type != FILTER_CPUMASK && f->filter_type != FILTER_CPU &&
	    (f->filter_type != FILTER_OTHER || is_no_number(b, f)))
		return bad_pred(b, FILT_ERR_ILLEGAL_FIELD_OP, pt->operand_at);
	if (pt->op != OP_EQ && pt->op != OP_NE && pt->op != OP_BAND)
		return bad_pred(b, FILT_ERR_ILLEGAL_FIELD_OP, pt->operand_at);
	if (pt->err != FILT_ERR_NONE)
		return bad_pred(b, pt->err, pt->err_at);
	if (!cpu_list_parse(pt->value, cpus, b->machine->nr_cpus))
		return bad_pred(b, FILT_ERR_INVALID_CPULIST,
				(size_t)(pt->value.s + pt->value.n - b->text.text.s));
	pred->cpus = cpus;
	pred->nr_cpus = b->machine->nr_cpus;
	choose_cpus(f, only_cpu(cpus, pred->nr_cpus, &pred->val), pred);
	return 0;
}

/*
 * A recording does not contain the string that a pointer points to, except for those of
 * printk_formats, which include the strings of the kernel's own tracepoints (rcu_utilization).
 */
static int bind_pointer(struct filter_bind *b, struct filter_pred *pred)
{
	struct event_db *db = b->machine->db;
	size_t n = event_printk_count(db);
	u64 *addrs = arena_alloc(&b->filter->arena, (n ? n : 1) * sizeof(*addrs));

	if (!addrs)
		return HIST_NOMEM;
	pred->kind = PRED_POINTER;
	pred->addrs = addrs;
	for (size_t i = 0; i < n; i++) {
		u64 addr;
		const char *text = event_printk_at(db, i, &addr);
		/* kernel: the length includes the NUL */
		struct span s = { text, strlen(text) + 1 };

		if (event_printk(db, addr) == text &&
		    filter_text_match(&pred->pattern, s, s.n, b->filter->glob_class_ends) !=
			    pred->negated)
			addrs[pred->nr_addrs++] = addr;
	}
	b->filter->unknowable =
		"of the strings that a pointer points to, a recording contains at most those in printk_formats: this part of the filter never matches others";
	return 0;
}

/*
 * Whether the kernel recorded enough of all texts for this predicate; for bytes whose number is an
 * argument, the filter also reads what follows them.
 */
static bool sees_all(const struct filter_bind *b, const struct event_field *text,
		     const struct filter_pattern *pattern)
{
	char get[128];

	snprintf(get, sizeof(get), "__get_str(%s)", text->name);
	return strstr(b->file->format->print_fmt, get) && pattern->text.n <= USER_TEXT_KNOWN &&
	       (pattern->match == MATCH_FULL || pattern->match == MATCH_FRONT_ONLY);
}

static int bind_user_text(struct filter_bind *b, const struct event_field *text,
			  struct filter_pred *pred)
{
	if (!text) {
		b->filter->unknowable =
			"a recording of this kernel does not contain the texts of programs: this part of the filter never matches";
		return 0;
	}
	pred->kind = PRED_USER;
	pred->offset = text->offset;
	b->filter->min_size = max_t(u32, b->filter->min_size, text->offset + text->size);
	if (!sees_all(b, text, &pred->pattern))
		b->filter->unknowable =
			"of the texts of programs, a recording contains at most syscall_user_buf_size bytes: this part of the filter does not see the rest of longer ones";
	return 0;
}

static int bind_string(struct filter_bind *b, const struct filter_pred_text *pt,
		       const struct event_field *f, struct filter_pred *pred)
{
	if (pt->op != OP_NE && pt->op != OP_EQ && pt->op != OP_GLOB)
		return bad_pred(b, FILT_ERR_ILLEGAL_FIELD_OP, pt->operand_at);
	if (!is_string_field(f))
		return bad_pred(b, FILT_ERR_EXPECT_DIGIT, pt->operand_at);
	if (pt->err != FILT_ERR_NONE)
		return bad_pred(b, pt->err, pt->err_at);
	pred->negated = pt->op == OP_NE;
	pred->pattern = (struct filter_pattern){ .match = MATCH_FULL,
						 .text = pt->value,
						 .ends_at_nul = b->rules->exact };
	if (pt->op == OP_GLOB) {
		filter_pattern_cut(pt->value, b->rules->exact, &pred->pattern);
		pred->negated = pred->pattern.negated;
	}
	switch (f->filter_type) {
	case FILTER_COMM:
		pred->kind = PRED_COMM;
		b->filter->needs_comm = true;
		return 0;
	case FILTER_STATIC_STRING:
		pred->kind = PRED_STRING;
		return 0;
	case FILTER_DYN_STRING:
		pred->kind = PRED_DYN;
		return 0;
	case FILTER_RDYN_STRING:
		pred->kind = PRED_RDYN;
		return 0;
	default:
		return pt->ustring
			       ? bind_user_text(b, event_user_text(b->file->format, f->name), pred)
			       : bind_pointer(b, pred);
	}
}

static int bind_number(struct filter_bind *b, const struct filter_pred_text *pt,
		       const struct event_field *f, struct filter_pred *pred)
{
	s64 sval = 0;
	bool ok;

	if (is_string_field(f))
		return bad_pred(b, FILT_ERR_EXPECT_STRING, pt->operand_at);
	if (pt->op == OP_GLOB)
		return bad_pred(b, FILT_ERR_ILLEGAL_FIELD_OP, pt->operand_at);
	if (pt->err != FILT_ERR_NONE)
		return bad_pred(b, pt->err, pt->err_at);
	if (is_no_number(b, f))
		return bad_pred(b, FILT_ERR_ILLEGAL_FIELD_OP, pt->operand_at);
	ok = f->is_signed ? span_s64(pt->value, &sval) : span_u64(pt->value, &pred->val);
	if (!ok && !f->is_signed && loadable(f->size) && span_s64(pt->value, &sval)) {
		b->without_sign = f;
		b->positive = (u64)sval;
		if (f->size < 8)
			b->positive &= (1ULL << 8 * f->size) - 1;
	}
	if (!ok)
		return bad_pred(b, FILT_ERR_ILLEGAL_INTVAL, pt->operand_at);
	if (f->is_signed)
		pred->val = (u64)sval;
	if (pred->val && b->question)
		b->timed = filter_word_is_ns(b->file->format, f) ? f : b->timed;
	if (f->filter_type == FILTER_CPU) {
		pred->kind = PRED_CPU;
		pred->val2 = b->rules->exact ? pred->val : 0;
	} else if (loadable(f->size))
		pred->kind = PRED_NUM;
	return 0;
}

static int bind_word(struct filter_bind *b, const struct filter_pred_text *pt,
		     const struct event_field *f, struct filter_pred *pred)
{
	const struct filter_word word = { f, pt->value };
	int err;

	if (f->filter_type != FILTER_OTHER || !loadable(f->size))
		return bad_pred(b, FILT_ERR_INVALID_VALUE, pt->operand_at);
	err = filter_word(b->machine, b->file->format, &word, &pred->val, &b->names);
	if (err == -HIST_ENOENT) {
		b->unknown = word;
		return bad_pred(b, FILT_ERR_INVALID_VALUE, pt->operand_at);
	}
	if (!err && pt->op == OP_GLOB)
		return bad_pred(b, FILT_ERR_ILLEGAL_FIELD_OP, pt->operand_at);
	pred->kind = PRED_NUM;
	return err;
}

/* A question about the task of a pid field, or NULL. */
static const struct event_field *find_who(const struct filter_bind *b,
					  const struct filter_pred_text *pt, enum who_what *who)
{
	const struct event_field *f;

	*who = pt->who;
	if (b->file->tr->tracing->options.strict_kernel)
		return NULL;
	if (*who == N_WHO)
		*who = who_find_common(pt->field);
	f = event_find_field(b->file->format, pt->who < N_WHO ? pt->field : span_of("common_pid"),
			     b->generics);
	return *who < N_WHO && f && f->filter_type == FILTER_OTHER && (f->size == 4 || f->size == 8)
		       ? f
		       : NULL;
}

static int bind_who(struct filter_bind *b, const struct filter_pred_text *pt,
		    const struct event_field *f, enum who_what who, struct filter_pred *pred)
{
	struct event_field answer = { .size = 4,
				      .is_signed = true,
				      .name = f->name,
				      .type = "int",
				      .filter_type = FILTER_OTHER };
	int err;

	*pred = (struct filter_pred){
		.op = pt->op, .offset = f->offset, .size = f->size, .who = who, .is_signed = true
	};
	b->filter->min_size = max_t(u32, b->filter->min_size, f->offset + f->size);
	b->filter->needs_comm = b->filter->needs_who = true;
	if (pt->op == OP_NONE)
		return bad_pred(b, FILT_ERR_INVALID_OP, pt->op_at);
	if (!who_is_number(who))
		answer.filter_type = FILTER_STATIC_STRING;
	if (who_is_number(who) ? pt->operand != OPERAND_NUMBER
			       : pt->operand != OPERAND_STRING && pt->operand != OPERAND_WORD)
		return bad_pred(b,
				who_is_number(who) ? FILT_ERR_EXPECT_DIGIT : FILT_ERR_EXPECT_STRING,
				pt->operand_at);
	err = who_is_number(who) ? bind_number(b, pt, &answer, pred)
				 : bind_string(b, pt, &answer, pred);
	pred->kind = PRED_WHO;
	return err;
}

/* A question about code, whose answers are texts. Return: 1 if it is none; as bind_pred() */
static int bind_code(struct filter_bind *b, const struct filter_pred_text *pt,
		     struct filter_pred *pred)
{
	const struct event_field answer = { .filter_type = FILTER_STATIC_STRING };
	struct code_question *q;
	int err;

	if (b->file->tr->tracing->options.strict_kernel ||
	    (pt->code == N_CODE && code_find_stack(pt->field) == N_CODE))
		return 1;
	q = arena_alloc(&b->filter->arena, sizeof(*q));
	if (!q)
		return HIST_NOMEM;
	if (!code_question_find(b->machine, b->file->format, pt->field, pt->code, q))
		return pt->code == N_CODE ? 1
					  : bad_pred(b, FILT_ERR_ILLEGAL_FIELD_OP, pt->field_end);
	*pred = (struct filter_pred){ .op = pt->op, .question = q };
	b->filter->min_size = max_t(u32, b->filter->min_size, q->addr_at ? q->addr_at + 8 : 0);
	b->filter->needs_code = true;
	b->filter->needs_stacks |= q->what >= CODE_USTACK;
	if (pt->op == OP_NONE)
		return bad_pred(b, FILT_ERR_INVALID_OP, pt->op_at);
	if (pt->operand != OPERAND_STRING && pt->operand != OPERAND_WORD)
		return bad_pred(b, FILT_ERR_EXPECT_STRING, pt->operand_at);
	err = bind_string(b, pt, &answer, pred);
	pred->kind = PRED_CODE;
	return err;
}

static int bind_operand(struct filter_bind *b, const struct filter_pred_text *pt,
			const struct event_field *f, struct filter_pred *pred)
{
	/* a text without quotes */
	if (pt->operand == OPERAND_WORD && is_string_field(f))
		return bind_string(b, pt, f, pred);
	switch (pt->operand) {
	case OPERAND_FUNCTION:
	case OPERAND_FUNCTION_NUMBER:
		return bind_function(b, pt, f, pred);
	case OPERAND_CPUS:
		return bind_cpus(b, pt, f, pred);
	case OPERAND_STRING:
		return bind_string(b, pt, f, pred);
	case OPERAND_NUMBER:
		return bind_number(b, pt, f, pred);
	case OPERAND_WORD:
		return bind_word(b, pt, f, pred);
	default:
		return bad_pred(b, FILT_ERR_INVALID_VALUE, pt->operand_at);
	}
}

static int bind_pred(struct filter_bind *b, const struct filter_pred_text *pt,
		     struct filter_pred *pred)
{
	const struct event_field *f;
	enum who_what who;
	int err;

	if (!pt->field.n) {
		bad_pred(b, FILT_ERR_ERRNO, 0);
		b->true_at = pt->start;
		return -HIST_EREJECTED;
	}
	err = bind_code(b, pt, pred);
	if (err <= 0)
		return err;
	f = event_find_field(b->file->format, pt->field, b->generics);
	if (!f && b->question)
		f = event_find_shown(b->machine->db, b->file->format, pt->field);
	if (f)
		b->filter->reads |= f->asks;
	if (!f || pt->who < N_WHO) {
		const struct event_field *pid = find_who(b, pt, &who);

		if (pid)
			return bind_who(b, pt, pid, who, pred);
	}
	if (!f || pt->who < N_WHO) {
		bad_pred(b, FILT_ERR_FIELD_NOT_FOUND, pt->field_end);
		b->true_at = pt->start;
		return -HIST_EREJECTED;
	}
	if (pt->op == OP_NONE)
		return bad_pred(b, FILT_ERR_INVALID_OP, pt->op_at);
	*pred = (struct filter_pred){ .kind = PRED_NEVER,
				      .op = pt->op,
				      .offset = f->offset,
				      .size = f->size,
				      .is_signed = f->is_signed };
	if (f->size || f->filter_type == FILTER_OTHER)
		b->filter->min_size = max_t(u32, b->filter->min_size, f->offset + f->size);
	return bind_operand(b, pt, f, pred);
}

/* --- the whole --- */

static int bind_text(struct filter_bind *b)
{
	struct filter_pred *preds;
	int err;

	preds = arena_alloc(&b->filter->arena, (b->text.n_preds + 1) * sizeof(*preds));
	if (!preds)
		return HIST_NOMEM;
	for (size_t i = 0; i < b->text.n_preds; i++) {
		err = bind_pred(b, &b->text.preds[i], &preds[i]);
		if (err)
			return err;
	}
	if (!b->text.bad)
		return filter_compile(b->filter, &b->text, preds);
	b->bad = true;
	b->err = b->text.err;
	b->err_at = b->true_at = b->text.err_at;
	return -HIST_EREJECTED;
}

/* The contents of the filter file after an error: the text, a caret, the message. */
static int write_error_text(struct filter_bind *b, struct span text)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t pos = min_t(size_t, b->err_at, text.n);

	strbuf_add(&sb, text.s, text.n);
	if (b->err == FILT_ERR_ERRNO)
		strbuf_addstr(&sb, "\nError: (0)\n");
	else
		strbuf_addf(&sb, "\n%*s\nparse_error: %s\n", pos ? (int)pos + 1 : 0, "^",
			    filt_err_text[b->err]);
	b->filter->text = sb.failed ? NULL : arena_strndup(&b->filter->arena, sb.s, sb.len);
	return b->filter->text ? 0 : HIST_NOMEM;
}

/* "us > 100" of an event whose length is in its field ns */
static void note_length(const struct cmd_log *log, const struct event_file *file, struct span text)
{
	const struct event_field *ns;

	ns = event_find_field(file->format, span_of("ns"), GENERICS_6_3);
	while (ns && ns->time_unit && text.s) {
		struct span word = span_sep(&text, " (!&|<>=~");

		if (!span_eq(word, "us") && !span_eq(word, "ms") && !span_eq(word, "usecs"))
			continue;
		diags_add(log->diags, DIAG_NOTE,
			  "the length is in the field ns, and times have units: 'ns > 100us'");
		return;
	}
}

/* @text: as it was written */
static int report(struct filter_bind *b, struct span text)
{
	struct cmd_log log = *b->log;
	struct span where = { text.s + min_t(size_t, b->true_at, text.n), 1 };
	bool negation = false;
	int err;

	log.loc = "event filter parse error";
	log.cmd = b->filter->text;
	err = log_kernel_err(&log, filt_err_text[b->err], where,
			     b->err == FILT_ERR_ERRNO ? 0 : (unsigned int)b->err_at);
	if (b->err == FILT_ERR_FIELD_NOT_FOUND) {
		struct span rest = span_skip(text, min_t(size_t, b->true_at, text.n));
		struct span word = span_sep(&rest, " \t(!&|<>=~)");

		negation = span_eq(word, "NOT") || span_eq(word, "not");
		if (!negation)
			note_fields(&log, b->file, word);
		note_length(&log, b->file, text);
	}
	if (b->without_sign)
		diags_add(log.diags, DIAG_NOTE, "%s has no sign; there, this number is %llu",
			  b->without_sign->name, b->positive);
	if (b->unknown.field)
		filter_word_note(b->machine, b->file->format, &b->unknown, &b->names, log.diags);
	else if (b->err == FILT_ERR_INVALID_VALUE || b->err == FILT_ERR_EXPECT_STRING ||
		 b->err == FILT_ERR_EXPECT_DIGIT || b->err == FILT_ERR_ILLEGAL_FIELD_OP)
		diags_add(log.diags, DIAG_NOTE,
			  "strings: comm == \"bash\", comm ~ \"kworker*\"; numbers: pid == 7, "
			  "prev_state & 2; names of numbers (prev_state == D) are for -f of hist "
			  "report, kernels take numbers");
	if (negation || b->err == FILT_ERR_INVALID_OP || b->err == FILT_ERR_TOO_MANY_PREDS)
		diags_add(log.diags, DIAG_NOTE,
			  "operators: == != < <= > >= &, and ~ for globs; && || ! and parentheses "
			  "combine: prev_comm ~ \"kworker*\" && prev_pid > 10");
	return err;
}

/* A number without a unit, which may have been meant otherwise. */
static void note_ns(struct diags *diags, const struct event_field *f)
{
	static const char text[] = "is in ns: numbers without a unit are, too; with one: 5us, 10ms";

	for (size_t i = 0; i < diags->list.n; i++)
		if (strstr(diags->list.v[i].text, text))
			return;
	diags_add(diags, DIAG_NOTE, "%s %s", f->name, text);
}

int filter_new(const struct event_file *file, struct span text, bool keep_text, struct cmd_log *log,
	       struct filter **out)
{
	const struct machine *m = &file->tr->tracing->machine;
	const bool strict = file->tr->tracing->options.strict_kernel;
	const bool question = log && log->question;
	const struct kernel_quirks *rules = rules_of_write(file, question);
	struct filter_syntax syntax = { .words = question && !strict,
					.cpus = rules->filter_cpus,
					.function = rules->filter_function,
					.who = !strict,
					.open_end = !rules->filter_needs_end };
	struct filter_bind b = { .file = file,
				 .machine = m,
				 .rules = rules,
				 .generics = kernel_generics(rules),
				 .log = log,
				 .question = question,
				 .names = STRBUF_INIT };
	struct span copy = text;
	int err = HIST_NOMEM;

	*out = NULL;
	b.filter = calloc(1, sizeof(*b.filter));
	if (!b.filter)
		return HIST_NOMEM;
	b.filter->big_endian = m->big_endian;
	b.filter->glob_class_ends = rules->glob_class_ends;
	b.filter->long_size = m->long_size;
	b.filter->beyond = &file->tr->tracing->beyond;
	/* patterns are spans of the text, which lives as long as the filter */
	copy.s = b.filter->text = arena_strndup(&b.filter->arena, text.s, text.n);
	if (copy.s)
		err = filter_cut(&b.filter->arena, copy, &syntax, &b.text);
	err = err ?: bind_text(&b);
	if (b.bad) {
		b.filter->failed = true;
		err = log ? report(&b, text) : -HIST_EREJECTED;
		if (keep_text && write_error_text(&b, copy))
			err = HIST_NOMEM;
	}
	if (!err && b.timed && log && !log->in_file)
		note_ns(log->diags, b.timed);
	strbuf_release(&b.names);
	if (!err || (keep_text && err == -HIST_EREJECTED))
		*out = b.filter;
	else
		filter_free(b.filter);
	return err;
}
