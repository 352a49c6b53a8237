// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Scans the text of an event: finds the record that its print fmt prints as this text.
 *
 * The format is cut into literals and conversions once. Text is matched from left to right; if a
 * conversion can end at several positions, each is tried, the nearest first. The text of a
 * conversion is solved for the fields (scan_solve.c), and printing the result must give the same
 * text. The input is not trusted: the number of attempts is limited.
 */
#include <arpa/inet.h>

#include "event/scan.h"

enum { SYMBOLS = 64, ITEMS_MAX = 128, ATTEMPTS_MAX = 5000, MAC_BYTES = 6 };

enum scan_kind { SCAN_LITERAL, SCAN_NUMBER, SCAN_CHAR, SCAN_STRING, SCAN_POINTER };

struct scan_item {
	enum scan_kind kind;
	struct span literal;
	char conversion; /* d i u x X o; for a pointer the first letter after p, or NUL */
	bool padded;     /* blanks may surround it */
	bool quoted;     /* its text includes quotes, or is (fault) without quotes */
	u32 size;        /* bytes of a number */
	const struct print_expr *arg; /* NULL: there is none */
};

/* Cached address of a name: looking it up means searching all symbols. */
struct scan_symbol {
	char name[64];
	u64 addr;
	bool found;
};

struct event_scan {
	struct event_db *db;
	struct scan_symbol symbols[SYMBOLS];
	const struct event_print *print;
	struct scan_item *items;
	size_t n_items;
	u32 fixed;
	/* in the text that is being scanned */
	struct arena arena;
	struct scan_bytes bytes;
	u8 record[SCAN_FIXED_MAX + SCAN_LOCATED_MAX * (SCAN_LEN_MAX + 1)];
};

/* --- the format --- */

struct scan_cut {
	struct event_scan *scan;
	const char *p;
	size_t arg;
	struct strbuf literal;
	struct arena *arena;
	bool failed;
};

static const struct print_expr *next_arg(struct scan_cut *c)
{
	const struct event_print *print = c->scan->print;

	return c->arg < print->n_args ? print->args[c->arg++] : NULL;
}

static void push_item(struct scan_cut *c, struct scan_item item)
{
	if (c->scan->n_items == ITEMS_MAX)
		c->failed = true;
	else
		c->scan->items[c->scan->n_items++] = item;
}

static void end_literal(struct scan_cut *c)
{
	struct scan_item item = { .kind = SCAN_LITERAL };

	if (!c->literal.len)
		return;
	item.literal = (struct span){ arena_strndup(c->arena, c->literal.s, c->literal.len),
				      c->literal.len };
	c->failed |= c->literal.failed || !item.literal.s;
	push_item(c, item);
	strbuf_reset(&c->literal);
}

/* The letters after %p. */
static void cut_pointer(struct scan_cut *c, struct scan_item *item)
{
	item->kind = SCAN_POINTER;
	if (!*c->p || !strchr("sSBfFIimMhUbxKed", *c->p))
		return;
	item->conversion = *c->p++;
	if (strchr("Ii", item->conversion) && *c->p) {
		item->conversion = *c->p == '4' || *c->p == '6' ? *c->p : 'N';
		c->p++;
	}
	if (item->conversion == 'M' && *c->p == 'R')
		item->conversion = 'N';
	while (*c->p && strchr("cCDNRFlLBbpfsn", *c->p) && strchr("46NMmhUb", item->conversion))
		c->p++;
}

static void cut_conversion(struct scan_cut *c)
{
	struct scan_item item = { .kind = SCAN_NUMBER };
	struct printf_spec spec;

	c->p = printf_cut(c->p, c->scan->db->machine.long_size, &spec);
	if (spec.conversion == '%') {
		strbuf_addch(&c->literal, '%');
		return;
	}
	if (!spec.conversion || !strchr("diuxXocsp", spec.conversion)) {
		c->failed = true;
		return;
	}
	/* a width in an argument is not needed */
	for (int i = 0; i < spec.width_arg + spec.precision_arg; i++)
		next_arg(c);
	item.padded = spec.width >= 0 || spec.precision >= 0 || spec.zero;
	item.size = spec.size;
	item.conversion = spec.conversion;
	item.arg = next_arg(c);
	if (item.conversion == 'c') {
		item.kind = SCAN_CHAR;
	} else if (item.conversion == 's') {
		item.kind = SCAN_STRING;
		item.quoted = printf_may_fault(item.arg, &c->literal, c->p);
	} else if (item.conversion == 'p') {
		item.conversion = '\0';
		cut_pointer(c, &item);
	}
	if (item.quoted) {
		strbuf_cut(&c->literal, c->literal.len - 1);
		c->p++;
	}
	end_literal(c);
	push_item(c, item);
}

struct event_scan *event_scan_new(struct event_db *db, const struct event_format *fmt,
				  const char *print_fmt, struct arena *arena)
{
	struct event_scan *scan = arena_alloc(arena, sizeof(*scan));
	struct event_format *as = arena_alloc(arena, sizeof(*as));
	struct scan_cut c = { .scan = scan, .literal = STRBUF_INIT, .arena = arena };

	if (!scan || !as)
		return NULL;
	*as = *fmt;
	if (print_fmt)
		as->print_fmt = print_fmt;
	memset(scan, 0, sizeof(*scan));
	scan->db = db;
	scan->items = arena_alloc(arena, ITEMS_MAX * sizeof(*scan->items));
	scan->print = event_print_parse(db, as, arena);
	for (size_t i = 0; i < fmt->n_fields; i++)
		scan->fixed = max_t(u32, scan->fixed, fmt->fields[i].offset + fmt->fields[i].size);
	if (!scan->items || !scan->print || !scan->print->format || scan->fixed > SCAN_FIXED_MAX)
		return NULL;
	c.p = scan->print->format;
	while (*c.p && !c.failed) {
		size_t n = strcspn(c.p, "%");

		strbuf_add(&c.literal, c.p, n);
		c.p += n;
		if (!*c.p++)
			break;
		cut_conversion(&c);
	}
	end_literal(&c);
	strbuf_release(&c.literal);
	return c.failed ? NULL : scan;
}

/* --- a record --- */

/* The fixed part, then the data to which fields point. Returns the length. */
static u32 put_record(struct event_scan *scan, const struct scan_bytes *b)
{
	bool big = scan->db->machine.big_endian;
	u32 at = scan->fixed;

	memcpy(scan->record, b->value, scan->fixed);
	for (const struct scan_located *l = b->located; l < b->located + b->n_located; l++) {
		u32 n = (u32)l->data.n + l->is_text;

		if (l->field->size)
			store_u32(scan->record + l->from,
				  n << 16 | (strstr(l->field->type, "__rel_loc") ? at - l->from - 4
										 : at),
				  big);
		memcpy(scan->record + at, l->data.s, l->data.n);
		scan->record[at + l->data.n] = 0;
		at += n;
	}
	return at;
}

/* --- the extent of a conversion --- */

struct scan_run {
	struct event_scan *scan;
	struct scan_solver solver;
	struct span text;
	u32 attempts, found;
	bool differs;
};

/* Digits in the base of a conversion, with a sign or 0x before them. */
static bool take_digits(const struct scan_item *item, struct span text, u64 *v)
{
	bool hex = item->kind == SCAN_POINTER || item->conversion == 'x' || item->conversion == 'X';
	unsigned int base = hex ? 16 : item->conversion == 'o' ? 8 : 10;
	bool minus = text.n && *text.s == '-' && base == 10;

	if (minus || (text.n && *text.s == '+' && base == 10))
		text = span_skip(text, 1);
	if (hex && (span_starts(text, "0x") || span_starts(text, "0X")) && text.n > 2)
		text = span_skip(text, 2);
	if (!span_digits(text, base, v))
		return false;
	if (minus)
		*v = 0 - *v;
	return true;
}

/* Whether the argument is printed as @text in the record as it is; NULL: as the number @v. */
static bool prints_same(const struct scan_run *r, const struct scan_item *item,
			const struct span *text, u64 v, u64 mask)
{
	struct print_ctx ctx = { .db = r->scan->db,
				 .rec = r->scan->record,
				 .len = put_record(r->scan, r->solver.bytes),
				 .text = STRBUF_INIT };
	struct print_value value;
	bool same = true;

	print_eval(&ctx, item->arg, &value);
	if (!text) {
		same = value.kind != PRINTED_NUMBER || !((value.number ^ v) & mask);
	} else if (value.kind == PRINTED_TEXT || value.kind == PRINTED_MEMORY) {
		if (value.bytes.s)
			value.bytes.n = strnlen(value.bytes.s, value.bytes.n);
		same = (!value.bytes.n && !text->n) || span_same(value.bytes, *text);
	}
	strbuf_release(&ctx.text);
	return same;
}

static bool solve_integer(struct scan_run *r, const struct scan_item *item, struct span text)
{
	u32 size = item->kind == SCAN_POINTER ? 8 : item->size;
	u64 mask = size < 8 ? (1ull << 8 * size) - 1 : ~0ull, v;
	enum scan_solved solved;

	if (!take_digits(item, text, &v))
		return false;
	if (!item->arg)
		return true;
	solved = scan_solve_number(&r->solver, item->arg, v, mask);
	return solved == SOLVE_OPEN ||
	       (solved == SOLVE_DONE && prints_same(r, item, NULL, v, mask));
}

static bool find_symbol(struct event_scan *scan, struct span name, u64 *addr)
{
	struct scan_symbol *cached = &scan->symbols[hash_bytes(0, name.s, name.n) % SYMBOLS];
	struct event_symbol sym;

	if (!span_eq(name, cached->name)) {
		if (name.n >= sizeof(cached->name))
			return false;
		memcpy(cached->name, name.s, name.n);
		cached->name[name.n] = '\0';
		cached->found = event_symbol_find(scan->db, name, &sym);
		cached->addr = cached->found ? sym.addr : 0;
	}
	*addr = cached->addr;
	return cached->found;
}

/*
 * NAME, NAME+0xOFFSET/0xSIZE, 0xADDRESS, each perhaps with [MODULE]; unknown names determine
 * nothing.
 */
static bool solve_symbol(struct scan_run *r, const struct scan_item *item, struct span text)
{
	struct span rest = text, name = span_sep(&rest, " "), offset;
	u64 addr = 0, by = 0;

	if (!name.n || (rest.s && (rest.n < 2 || *rest.s != '[' || rest.s[rest.n - 1] != ']')))
		return false;
	if (!item->arg)
		return true;
	if (!span_starts(name, "0x") || !span_u64(name, &addr)) {
		offset = name;
		name = span_sep(&offset, "+");
		if (offset.s && !span_u64(span_sep(&offset, "/"), &by))
			return false;
		if (!find_symbol(r->scan, name, &addr))
			return true;
		addr += by;
	}
	return scan_solve_number(&r->solver, item->arg, addr, ~0ull) != SOLVE_FAIL;
}

/* XX:XX:XX:XX:XX:XX, or the same without colons */
static bool take_mac(struct span text, u8 *mac)
{
	size_t each = text.n == (size_t)2 * MAC_BYTES ? 2 : 3;
	bool ok = text.n == MAC_BYTES * each - (each - 2);
	u64 v;

	for (size_t i = 0; i < MAC_BYTES && ok; i++) {
		ok = span_digits((struct span){ text.s + i * each, 2 }, 16, &v);
		mac[i] = (u8)v;
	}
	return ok;
}

static bool solve_address(struct scan_run *r, const struct scan_item *item, struct span text)
{
	u8 *bytes = arena_alloc(&r->scan->arena, 16);
	char word[64];
	size_t n = item->conversion == '4' ? 4 : item->conversion == '6' ? 16 : MAC_BYTES;

	if (!bytes || text.n >= sizeof(word))
		return false;
	memcpy(word, text.s, text.n);
	word[text.n] = '\0';
	if (n == MAC_BYTES ? !take_mac(text, bytes)
			   : !inet_pton(n == 4 ? AF_INET : AF_INET6, word, bytes))
		return false;
	return !item->arg || scan_solve_memory(&r->solver, item->arg,
					       (struct span){ (char *)bytes, n }) != SOLVE_FAIL;
}

static bool solve_string(struct scan_run *r, const struct scan_item *item, struct span text)
{
	enum scan_solved solved = SOLVE_OPEN;

	if (item->quoted && span_eq(text, "(fault)"))
		return scan_solve_memory(&r->solver, item->arg, span_of("")) != SOLVE_FAIL;
	if (item->quoted) {
		if (text.n < 2 || *text.s != '"' || text.s[text.n - 1] != '"')
			return false;
		text = (struct span){ text.s + 1, text.n - 2 };
	}
	if (item->arg)
		solved = scan_solve_text(&r->solver, item->arg, text);
	return solved == SOLVE_OPEN || (solved == SOLVE_DONE && prints_same(r, item, &text, 0, 0));
}

static bool solve_item(struct scan_run *r, const struct scan_item *item, struct span text)
{
	if (item->padded)
		text = span_trim(text);
	switch (item->kind) {
	case SCAN_NUMBER:
		return solve_integer(r, item, text);
	case SCAN_CHAR:
		return text.n == 1 &&
		       (!item->arg || scan_solve_number(&r->solver, item->arg, (u8)*text.s, 0xff));
	case SCAN_STRING:
		return solve_string(r, item, text);
	case SCAN_POINTER:
		if (item->conversion && strchr("sSBfF", item->conversion))
			return solve_symbol(r, item, text);
		if (item->conversion && strchr("46Mm", item->conversion))
			return solve_address(r, item, text);
		if (item->conversion && strchr("NhUbe", item->conversion))
			return text.n > 0;
		return span_eq(text, "(null)") || span_eq(text, "(____ptrval____)") ||
		       solve_integer(r, item, text);
	default:
		return false;
	}
}

/* --- matching --- */

/* The whole text has been matched: a possible record. */
static void found_one(struct scan_run *r)
{
	struct event_scan *scan = r->scan;
	const struct scan_bytes *b = r->solver.bytes;

	if (!r->found++) {
		scan_bytes_copy(&scan->bytes, b);
		return;
	}
	for (u32 i = 0; i < scan->fixed && !r->differs; i++)
		r->differs = b->value[i] != scan->bytes.value[i] ||
			     b->known[i] != scan->bytes.known[i];
	for (u32 i = 0; i < b->n_located && !r->differs; i++)
		r->differs = b->n_located != scan->bytes.n_located ||
			     b->located[i].is_text != scan->bytes.located[i].is_text ||
			     !span_same(b->located[i].data, scan->bytes.located[i].data);
}

/* The end of a number: the next character is not a digit. */
static size_t number_end(const struct scan_item *item, struct span text)
{
	bool hex = item->kind == SCAN_POINTER || item->conversion == 'x' || item->conversion == 'X';
	size_t i = 0;

	while (item->padded && i < text.n && text.s[i] == ' ')
		i++;
	if (i < text.n && (text.s[i] == '-' || text.s[i] == '+'))
		i++;
	if (hex && i + 2 < text.n && text.s[i] == '0' && (text.s[i + 1] | 0x20) == 'x')
		i += 2;
	while (i < text.n && (is_digit(text.s[i]) ||
			      (hex && (text.s[i] | 0x20) >= 'a' && (text.s[i] | 0x20) <= 'f')))
		i++;
	return i;
}

/*
 * The next possible end of a conversion that begins at @from, at or after @from + @n: the start
 * of the literal that follows; false if there is none.
 */
static bool next_end(const struct scan_run *r, size_t i, size_t from, size_t *n)
{
	const struct scan_item *next = i + 1 < r->scan->n_items ? &r->scan->items[i + 1] : NULL;
	struct span rest = span_skip(r->text, from);
	const char *at;

	if (*n > rest.n)
		return false;
	if (!next)
		*n = rest.n;
	if (!next || next->kind != SCAN_LITERAL)
		return true;
	at = span_find(span_skip(rest, *n), next->literal);
	if (at)
		*n = (size_t)(at - rest.s);
	return at != NULL;
}

static void match(struct scan_run *r, size_t i, size_t from);

static void try_end(struct scan_run *r, size_t i, size_t from, size_t n)
{
	struct scan_bytes *now = r->solver.bytes, next;

	if (r->attempts++ > ATTEMPTS_MAX || r->differs)
		return;
	scan_bytes_copy(&next, now);
	r->solver.bytes = &next;
	if (solve_item(r, &r->scan->items[i], (struct span){ r->text.s + from, n }))
		match(r, i + 1, from + n);
	r->solver.bytes = now;
}

static void match_conversion(struct scan_run *r, size_t i, size_t from)
{
	const struct scan_item *item = &r->scan->items[i];
	bool number = item->kind == SCAN_NUMBER ||
		      (item->kind == SCAN_POINTER && !item->conversion);
	struct span rest = span_skip(r->text, from);
	size_t n;

	if (item->kind == SCAN_CHAR || (number && rest.n && *rest.s != '(')) {
		n = item->kind == SCAN_CHAR ? 1 : number_end(item, rest);
		while (n < rest.n && item->padded && rest.s[n] == ' ' &&
		       (i + 1 == r->scan->n_items || r->scan->items[i + 1].kind == SCAN_LITERAL) &&
		       (i + 1 == r->scan->n_items || *r->scan->items[i + 1].literal.s != ' '))
			n++;
		if (n <= rest.n)
			try_end(r, i, from, n);
		return;
	}
	for (n = 0; next_end(r, i, from, &n) && r->attempts <= ATTEMPTS_MAX && !r->differs; n++)
		try_end(r, i, from, n);
}

static void match(struct scan_run *r, size_t i, size_t from)
{
	const struct scan_item *item = &r->scan->items[i];

	if (i == r->scan->n_items) {
		if (from == r->text.n)
			found_one(r);
	} else if (item->kind != SCAN_LITERAL) {
		match_conversion(r, i, from);
	} else if (r->text.n - from >= item->literal.n &&
		   !memcmp(r->text.s + from, item->literal.s, item->literal.n)) {
		match(r, i + 1, from + item->literal.n);
	}
}

enum event_scanned event_scan(struct event_scan *scan, struct span text,
			      struct event_scanned_record *rec)
{
	struct scan_bytes empty;
	struct scan_run run = { .scan = scan, .text = text };

	empty.fixed = scan->fixed;
	empty.n_located = 0;
	memset(empty.value, 0, empty.fixed);
	memset(empty.known, 0, empty.fixed);
	run.solver = (struct scan_solver){
		.db = scan->db,
		.bytes = &empty,
		.constants = { .db = scan->db, .text = STRBUF_INIT },
		.arena = &scan->arena,
	};
	match(&run, 0, 0);
	strbuf_release(&run.solver.constants.text);
	if (run.found) {
		rec->len = put_record(scan, &scan->bytes);
		rec->bytes = scan->record;
		rec->known = scan->bytes.known;
		rec->fixed = scan->fixed;
	}
	arena_release(&scan->arena);
	if (!run.found)
		return SCANNED_NONE;
	return run.differs || run.attempts > ATTEMPTS_MAX ? SCANNED_SEVERAL : SCANNED_ONE;
}
