// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The kernel's printf on the arguments of a print fmt: produces the text, without the newline that
 * the kernel adds.
 *
 * An argument has the width of its conversion (h, l, ll), whatever its type. Differences from C:
 * %#x of 0 has its prefix, and 0 pads even with a precision.
 *
 * Corresponds to vsnprintf(), format_decode(), number() in lib/vsprintf.c.
 */
#include "event/btf.h"
#include "event/print_fmt.h"

enum { WIDTH_MAX = 4096 };

/* --- strings --- */

/*
 * A pointer to a string outside the record is known only if the kernel exported the string. Returns
 * false if the string is unknown.
 */
static bool print_string(struct strbuf *out, const struct print_ctx *ctx,
			 const struct printf_spec *spec, const struct print_value *v)
{
	struct span text = v->bytes;

	if (v->kind == PRINTED_NUMBER) {
		const char *known = v->number ? event_printk(ctx->db, v->number) : "(null)";

		text = known ? span_of(known) : (struct span){ NULL, 0 };
	}
	if (v->kind == PRINTED_UNKNOWN || (v->kind == PRINTED_NUMBER && !text.s))
		return false;
	printf_text(out, spec, text);
	return true;
}

/* --- the format --- */

static const char *cut_number(const char *p, int *n, bool *is_arg)
{
	*n = 0;
	*is_arg = *p == '*';
	p += *is_arg;
	for (; !*is_arg && is_digit(*p); p++)
		*n = min_t(int, *n * 10 + (*p - '0'), WIDTH_MAX);
	return p;
}

static bool is_flag(char c)
{
	return c == '-' || c == '+' || c == ' ' || c == '#' || c == '0';
}

static bool is_size(char c)
{
	return c == 'l' || c == 'h' || c == 'L' || c == 'z' || c == 'Z' || c == 't' || c == 'j';
}

const char *printf_cut(const char *p, u32 long_size, struct printf_spec *spec)
{
	*spec = (struct printf_spec){ .width = -1, .precision = -1, .base = 10, .size = 4 };
	for (; is_flag(*p); p++) {
		spec->left |= *p == '-';
		spec->plus |= *p == '+';
		spec->space |= *p == ' ';
		spec->alternate |= *p == '#';
		spec->zero |= *p == '0';
	}
	if (is_digit(*p) || *p == '*')
		p = cut_number(p, &spec->width, &spec->width_arg);
	if (*p == '.')
		p = cut_number(p + 1, &spec->precision, &spec->precision_arg);
	if (is_size(*p)) {
		char c = *p++;

		spec->size = c == 'h' ? 2 : c == 'L' || c == 'j' ? 8 : (u8)long_size;
		if (*p == c && (c == 'h' || c == 'l')) {
			spec->size = c == 'h' ? 1 : 8;
			p++;
		}
	}
	spec->conversion = *p;
	spec->is_signed = *p == 'd' || *p == 'i';
	spec->base = *p == 'o' ? 8 : *p == 'x' || *p == 'X' ? 16 : 10;
	spec->upper = *p == 'X';
	spec->plain = spec->width <= 0 && spec->precision < 0 && !spec->width_arg &&
		      !spec->precision_arg && !spec->plus && !spec->space && !spec->alternate;
	return p + (*p != 0);
}

struct printing {
	struct strbuf *out;
	struct print_ctx *ctx;
	const struct event_print *print; /* NULL: the arguments are packed */
	size_t arg;                      /* the next argument, or its position if they are packed */
	const char *p;
	bool lost; /* the first %s was passed */
};

enum { ARG_TEXT = 0, ARG_POINTER = 1 << 8 }; /* otherwise the size of a number in bytes */

/*
 * kernel: vbin_printf() aligns numbers to their size, numbers of 8 bytes to 4, and does not
 * align strings.
 */
static void take_packed(struct printing *pr, unsigned int size, struct print_value *v)
{
	size_t at = pr->arg, left, align;
	const u8 *p;

	if (size == ARG_POINTER)
		size = pr->ctx->db->machine.long_size;
	align = size ? min_t(size_t, size, 4) : 1;
	at = (at + align - 1) / align * align;
	if (at > pr->ctx->len)
		return;
	left = pr->ctx->len - at;
	p = pr->ctx->rec + at;
	if (!size) {
		v->kind = PRINTED_TEXT;
		v->bytes = (struct span){ (const char *)p, strnlen((const char *)p, left) };
		pr->arg = at + min_t(size_t, v->bytes.n + 1, left);
		return;
	}
	if (left < size)
		return;
	v->kind = PRINTED_NUMBER;
	v->number = load_uint(p, size, pr->ctx->db->machine.big_endian);
	pr->arg = at + size;
}

/* The next argument, which is in a print fmt; NULL: there is none */
static const struct print_expr *next_expr(const struct printing *pr)
{
	return pr->print && pr->arg < pr->print->n_args ? pr->print->args[pr->arg] : NULL;
}

/* The next argument, which has the given size if arguments are packed; unknown if there is none. */
static void take_arg(struct printing *pr, unsigned int size, struct print_value *v)
{
	const struct print_expr *e = next_expr(pr);

	strbuf_reset(&pr->ctx->text);
	if (likely(e != NULL)) {
		pr->arg++;
		print_eval(pr->ctx, e, v);
		return;
	}
	*v = (struct print_value){ .kind = PRINTED_UNKNOWN };
	if (!pr->print)
		take_packed(pr, size, v);
}

/* A width or a precision that is an argument. */
static int take_number(struct printing *pr)
{
	struct print_value v;

	take_arg(pr, 4, &v);
	return v.kind == PRINTED_NUMBER
		       ? max_t(int, min_t(int, (s32)v.number, WIDTH_MAX), -WIDTH_MAX)
		       : 0;
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool print_pointer(struct printing *pr, const struct printf_spec *spec)
{
	struct event_db *db = pr->ctx->db;
	u32 from, size = db->machine.long_size;
	struct event_symbol sym = { .name = { "", 0 } };
	struct print_value v;

	/* kernel: the target of a pointer was printed when it was packed */
	if (!pr->print && is_word(*pr->p) && !strchr("sSxKe", *pr->p)) {
		take_arg(pr, ARG_TEXT, &v);
		while (is_word(*pr->p))
			pr->p++;
		return print_string(pr->out, pr->ctx, spec, &v);
	}
	take_arg(pr, ARG_POINTER, &v);
	pr->p += printf_pointer(pr->out, pr->ctx, *spec, pr->p, &v);
	if (!pr->print || !pr->print->call || pr->arg != 1)
		return true;
	/* the arguments of the function, if they were recorded */
	from = pr->print->call->offset;
	if (pr->ctx->len < from + size)
		return true;
	event_symbol_at(db, v.number, &sym);
	strbuf_addch(pr->out, '(');
	event_btf_args(db, sym.name, pr->ctx->rec + from, (pr->ctx->len - from) / size, pr->out);
	strbuf_addch(pr->out, ')');
	return true;
}

bool printf_may_fault(const struct print_expr *arg, const struct strbuf *before, const char *after)
{
	return arg && arg->op == PRINT_DYNAMIC && *after == '"' && before->len &&
	       before->s[before->len - 1] == '"';
}

static bool print_text(struct printing *pr, const struct printf_spec *spec)
{
	struct print_value v;

	take_arg(pr, ARG_TEXT, &v);
	if (pr->print && pr->print->loses_text && !spec->left && !pr->lost) {
		pr->lost = true;
		return true;
	}
	if (!pr->print || v.kind != PRINTED_MEMORY || v.bytes.n ||
	    !printf_may_fault(pr->print->args[pr->arg - 1], pr->out, pr->p))
		return print_string(pr->out, pr->ctx, spec, &v);
	strbuf_cut(pr->out, pr->out->len - 1);
	strbuf_addstr(pr->out, "(fault)");
	pr->p++;
	return true;
}

/* Its value is shifted out and in again, so that it has the size of the conversion. */
static bool print_integer(struct printing *pr, const struct printf_spec *spec)
{
	const struct print_expr *e = next_expr(pr);
	const unsigned int shift = 64 - 8u * spec->size;
	struct print_value v;

	if (likely(e && print_field_number(pr->ctx, e, &v.number))) {
		pr->arg++;
	} else {
		take_arg(pr, spec->size, &v);
		if (v.kind != PRINTED_NUMBER)
			return false;
	}
	v.number <<= shift;
	printf_number(pr->out, spec,
		      spec->is_signed ? (u64)((s64)v.number >> shift) : v.number >> shift);
	return true;
}

/* Widths that are arguments are taken first. */
static struct printf_spec take_widths(struct printing *pr, const struct printf_spec *cut)
{
	struct printf_spec spec = *cut;

	if (spec.width_arg)
		spec.width = take_number(pr);
	if (spec.width_arg && spec.width < 0) {
		spec.left = true;
		spec.width = -spec.width;
	}
	if (spec.precision_arg)
		spec.precision = max_t(int, take_number(pr), 0);
	return spec;
}

static const char *cut_piece(const char *p, u32 long_size, struct printf_piece *piece)
{
	piece->percent = strchrnul(p, '%');
	piece->after = printf_cut(piece->percent + (*piece->percent != 0), long_size, &piece->spec);
	return piece->after;
}

int printf_cut_all(struct event_print *print, struct arena *arena)
{
	const char *p = print->format;
	struct printf_piece *pieces;
	size_t n = 1;

	for (const char *q = p; *q; q++)
		n += *q == '%';
	print->pieces = pieces = arena_alloc(arena, n * sizeof(*pieces));
	for (n = 0; pieces && *p; n++)
		p = cut_piece(p, print->db->machine.long_size, &pieces[n]);
	print->n_pieces = n;
	return pieces ? 0 : HIST_NOMEM;
}

static inline bool print_piece(struct printing *pr, const struct printf_piece *piece)
{
	const struct printf_spec *spec;
	struct printf_spec with;
	struct print_value v;
	char c;

	strbuf_add(pr->out, pr->p, (size_t)(piece->percent - pr->p));
	pr->p = piece->after;
	/* The conversion after a '%'. */
	spec = &piece->spec;
	if (unlikely(spec->width_arg || spec->precision_arg)) {
		with = take_widths(pr, spec);
		spec = &with;
	}
	switch (spec->conversion) {
	case '\0':
		return true;
	case '%':
		strbuf_addch(pr->out, '%');
		return true;
	case 'c':
		take_arg(pr, 1, &v);
		c = (char)v.number;
		if (v.kind == PRINTED_NUMBER)
			printf_padded(pr->out, spec, (struct span){ &c, 1 });
		return v.kind == PRINTED_NUMBER;
	case 's':
		return print_text(pr, spec);
	case 'p':
		return print_pointer(pr, spec);
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		return print_integer(pr, spec);
	default:
		return false;
	}
}

void event_print_lose_text(struct event_print *print)
{
	struct printf_spec spec = { .conversion = '\0' };

	print->loses_text = true;
	if (print->format && print->format[0] == '%')
		printf_cut(print->format + 1, print->db->machine.long_size, &spec);
	if (spec.conversion == 's' && !spec.left)
		print->n_pieces = 0;
}

bool event_print_packed(struct event_db *db, const char *fmt, const void *args, u32 len,
			struct strbuf *out)
{
	struct print_ctx ctx = { .db = db, .rec = args, .len = len, .text = STRBUF_INIT };
	struct printing pr = { .out = out, .ctx = &ctx, .p = fmt };
	const size_t start = out->len;
	struct printf_piece piece;
	bool ok = true;

	while (ok && *pr.p) {
		cut_piece(pr.p, db->machine.long_size, &piece);
		ok = print_piece(&pr, &piece);
	}
	if (!ok)
		strbuf_cut(out, start);
	strbuf_release(&ctx.text);
	return ok;
}

bool event_print(const struct event_print *print, const void *rec, u32 len, struct strbuf *out)
{
	struct print_ctx ctx = { .db = print->db, .rec = rec, .len = len, .text = STRBUF_INIT };
	struct printing pr = { .out = out, .ctx = &ctx, .print = print, .p = print->format };
	const size_t start = out->len;
	bool ok = print->format;

	if (print->handled && len >= print->min_size &&
	    event_tep_print(print->db, print->handled, rec, len, out))
		return true;
	for (size_t i = 0; ok && i < print->n_pieces; i++)
		ok = print_piece(&pr, &print->pieces[i]);
	if (!ok)
		strbuf_cut(out, start);
	strbuf_release(&ctx.text);
	return ok;
}
