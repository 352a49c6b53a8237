// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Values of CTF: numbers and texts are stored as such; arrays, structures and floating point
 * numbers, which fields of the kernel cannot be, become texts as babeltrace2 prints them.
 */
#include "import/ctf.h"

enum { DEPTH_MAX = 8 };

bool ctf_number(const struct babeltrace *bt, const void *field, u64 *v)
{
	const u64 type = bt->bt_field_get_class_type(field);

	if (type & BT_UNSIGNED)
		*v = bt->bt_field_integer_unsigned_get_value(field);
	else if (type & BT_SIGNED)
		*v = (u64)bt->bt_field_integer_signed_get_value(field);
	else if (type & BT_BOOL)
		*v = (u64)bt->bt_field_bool_get_value(field);
	else if (type & BT_BITS)
		*v = bt->bt_field_bit_array_get_value_as_integer(field);
	else
		return false;
	return true;
}

/* libbabeltrace2 2.0: an empty text has the value of that before it. */
struct span ctf_text(const struct babeltrace *bt, const void *field)
{
	const char *text = bt->bt_field_string_get_value(field);

	return (struct span){ text, strnlen(text, bt->bt_field_string_get_length(field)) };
}

static void print_field(const struct babeltrace *bt, const void *field, int depth,
			struct strbuf *sb);

static void print_number(const struct babeltrace *bt, const void *field, u64 v, struct strbuf *sb)
{
	const u64 type = bt->bt_field_get_class_type(field);
	const void *class = bt->bt_field_borrow_class_const(field);

	if (type & (BT_UNSIGNED | BT_SIGNED) &&
	    bt->bt_field_class_integer_get_preferred_display_base(class) == 16)
		strbuf_addf(sb, "0x%llX", (unsigned long long)v);
	else if (type & BT_SIGNED)
		strbuf_addf(sb, "%lld", v);
	else
		strbuf_addf(sb, "%llu", v);
}

static void print_array(const struct babeltrace *bt, const void *field, int depth,
			struct strbuf *sb)
{
	const u64 n = bt->bt_field_array_get_length(field);

	strbuf_addstr(sb, "[");
	for (u64 i = 0; i < n && sb->len < MADE_RECORD_MAX; i++) {
		strbuf_addf(sb, "%s[%llu] = ", i ? ", " : " ", i);
		print_field(bt, bt->bt_field_array_borrow_element_field_by_index_const(field, i),
			    depth, sb);
	}
	strbuf_addstr(sb, " ]");
}

static void print_structure(const struct babeltrace *bt, const void *field, int depth,
			    struct strbuf *sb)
{
	const void *class = bt->bt_field_borrow_class_const(field);
	const u64 n = bt->bt_field_class_structure_get_member_count(class);

	strbuf_addstr(sb, "{");
	for (u64 i = 0; i < n; i++) {
		strbuf_addf(sb, "%s%s = ", i ? ", " : " ",
			    bt->bt_field_class_structure_member_get_name(
				    bt->bt_field_class_structure_borrow_member_by_index_const(class,
											      i)));
		print_field(bt, bt->bt_field_structure_borrow_member_field_by_index_const(field, i),
			    depth, sb);
	}
	strbuf_addstr(sb, " }");
}

static void print_field(const struct babeltrace *bt, const void *field, int depth,
			struct strbuf *sb)
{
	const u64 type = field ? bt->bt_field_get_class_type(field) : 0;
	const struct span text = type & BT_STRING ? ctf_text(bt, field) : (struct span){ NULL, 0 };
	u64 v;

	if (!field || depth > DEPTH_MAX)
		return;
	if (type & BT_STRING)
		strbuf_addf(sb, depth ? "\"%.*s\"" : "%.*s", (int)text.n, text.s);
	else if (type & BT_FLOAT)
		strbuf_addf(sb, "%g", (double)bt->bt_field_real_single_precision_get_value(field));
	else if (type & BT_DOUBLE)
		strbuf_addf(sb, "%g", bt->bt_field_real_double_precision_get_value(field));
	else if (type & BT_ARRAY)
		print_array(bt, field, depth + 1, sb);
	else if (type & BT_STRUCTURE)
		print_structure(bt, field, depth + 1, sb);
	else if (type & BT_OPTION)
		print_field(bt, bt->bt_field_option_borrow_field_const(field), depth, sb);
	else if (type & BT_VARIANT)
		print_field(bt, bt->bt_field_variant_borrow_selected_option_field_const(field),
			    depth, sb);
	else if (ctf_number(bt, field, &v))
		print_number(bt, field, v, sb);
}

/* The kernel's letters of a request: a flush before it, the operation, then flags. */
static void put_rwbs(struct ctf *c, const struct made_field *f, u64 v, bool old)
{
	enum {
		WRITE = 1,
		DISCARD = 2,
		READ = 4,
		AHEAD = 8,
		SYNC = 32,
		META = 64,
		SECURE = 128,
		FLUSH = 256,
		FUA = 512,
		PREFLUSH = 1024,
		COMMON = 15
	};
	char text[16];

	if (old)
		v = (v & COMMON) | (v & ~(u64)COMMON) << 1;
	snprintf(text, sizeof(text), "%s%s%s%s%s%s", v & (FLUSH | PREFLUSH) ? "F" : "",
		 v & DISCARD ? (v & SECURE ? "DE" : "D")
		 : v & WRITE ? "W"
		 : v & READ  ? "R"
			     : "N",
		 v & FUA ? "F" : "", v & AHEAD ? "A" : "", v & SYNC ? "S" : "",
		 v & META ? "M" : "");
	made_text(&c->rec, f, span_of(text));
}

static void put_field(struct ctf *c, const struct ctf_type *t, size_t i, const void *field)
{
	const struct made_field *f = &t->event.fields[i];
	const struct ctf_source *source = &t->sources[i];
	const struct babeltrace *bt = &c->bt;
	u64 v;

	if (source->rwbs && ctf_number(bt, field, &v)) {
		put_rwbs(c, f, v, t->trace->old_rwbs);
		return;
	}
	if (f->type != 's') {
		if (ctf_number(bt, field, &v))
			made_number(&c->rec, f, v + (u64)(s64)source->add);
		return;
	}
	if (bt->bt_field_get_class_type(field) & BT_STRING) {
		made_text(&c->rec, f, ctf_text(bt, field));
		return;
	}
	strbuf_reset(&c->text);
	print_field(bt, field, 0, &c->text);
	if (c->text.len)
		made_text(&c->rec, f, strbuf_span(&c->text));
}

const void *ctf_part(const struct babeltrace *bt, const void *event, enum ctf_part part)
{
	return part == CTF_PAYLOAD    ? bt->bt_event_borrow_payload_field_const(event)
	       : part == CTF_SPECIFIC ? bt->bt_event_borrow_specific_context_field_const(event)
	       : part == CTF_COMMON   ? bt->bt_event_borrow_common_context_field_const(event)
				      : NULL;
}

void ctf_put_fields(struct ctf *c, const struct ctf_type *type, const void *event)
{
	const void *part = NULL;

	for (size_t i = 0; i < type->event.n; i++) {
		const struct ctf_source *source = &type->sources[i];

		if (!i || source->part != source[-1].part)
			part = ctf_part(&c->bt, event, source->part);
		if (part)
			put_field(c, type, i,
				  c->bt.bt_field_structure_borrow_member_field_by_index_const(
					  part, source->member));
	}
	made_end(&c->rec, type->event.fields, type->event.n);
}
