// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Types of the recorded kernel (BTF): names of the arguments of functions, values of enumerators.
 *
 * BTF is a header, a list of types, in which the first has the id 1, and a list of texts. A type
 * is three words and what its kind adds. At the first lookup one pass stores the offset of each
 * type and the names of the functions. A kind that is unknown, or damage, ends the list: the types
 * before it are used. A reference to a later or missing type leads to no type.
 *
 * Specification: Documentation/bpf/btf.rst of the kernel.
 */
#include "event/btf.h"

enum { MAGIC = 0xeb9f, MIN_HEADER = 24, MAX_CHAIN = 32 };

enum kind {
	KIND_VOID, /* no type at all */
	KIND_INT,
	KIND_PTR,
	KIND_ARRAY,
	KIND_STRUCT,
	KIND_UNION,
	KIND_ENUM,
	KIND_FWD,
	KIND_TYPEDEF,
	KIND_VOLATILE,
	KIND_CONST,
	KIND_RESTRICT,
	KIND_FUNC,
	KIND_FUNC_PROTO,
	KIND_VAR,
	KIND_DATASEC,
	KIND_FLOAT,
	KIND_DECL_TAG,
	KIND_TYPE_TAG,
	KIND_ENUM64,
	N_KINDS,
};

/* Sizes of the data after the three words of a type: fixed, and for each member. ORDER kind */
static const struct {
	const char *name;
	u8 more, member;
} kinds[N_KINDS] = {
	[KIND_VOID] = { "UNKNOWN", 0, 0 },      [KIND_INT] = { "INT", 4, 0 },
	[KIND_PTR] = { "PTR", 0, 0 },           [KIND_ARRAY] = { "ARRAY", 12, 0 },
	[KIND_STRUCT] = { "STRUCT", 0, 12 },    [KIND_UNION] = { "UNION", 0, 12 },
	[KIND_ENUM] = { "ENUM", 0, 8 },         [KIND_FWD] = { "FWD", 0, 0 },
	[KIND_TYPEDEF] = { "TYPEDEF", 0, 0 },   [KIND_VOLATILE] = { "VOLATILE", 0, 0 },
	[KIND_CONST] = { "CONST", 0, 0 },       [KIND_RESTRICT] = { "RESTRICT", 0, 0 },
	[KIND_FUNC] = { "FUNC", 0, 0 },         [KIND_FUNC_PROTO] = { "FUNC_PROTO", 0, 8 },
	[KIND_VAR] = { "VAR", 4, 0 },           [KIND_DATASEC] = { "DATASEC", 0, 12 },
	[KIND_FLOAT] = { "FLOAT", 0, 0 },       [KIND_DECL_TAG] = { "DECL_TAG", 4, 0 },
	[KIND_TYPE_TAG] = { "TYPE_TAG", 0, 0 }, [KIND_ENUM64] = { "ENUM64", 0, 12 },
};

struct type {
	struct span name;
	enum kind kind;
	u32 n_members;
	bool bitfields; /* offsets of members have a size in the upper byte */
	u32 of;         /* size, or id of the type that it refers to */
	u32 more;       /* bytes after it */
	struct bytes data;
};

struct event_btf {
	bool big_endian;
	struct span types, texts;
	ARRAY(u32) offsets;          /* of the types in ->types; id - 1 */
	struct hash_table functions; /* index in ->offsets, by name */
};

/* --- reading --- */

/* A text of the list; empty if there is none. */
static struct span text_at(const struct event_btf *btf, u32 at)
{
	struct span text = { "", 0 };

	if (at < btf->texts.n) {
		text = span_skip(btf->texts, at);
		text.n = strnlen(text.s, text.n);
	}
	return text;
}

/* The type at @b, which is moved after it; false at the end. */
static bool read_type(const struct event_btf *btf, struct bytes *b, struct type *t)
{
	u32 name = bytes_u32(b), info = bytes_u32(b);

	t->of = bytes_u32(b);
	t->kind = (info >> 24) & 0x1f;
	t->n_members = info & 0xffff;
	t->bitfields = info >> 31;
	if (b->bad || !t->kind || t->kind >= N_KINDS)
		return false;
	t->more = kinds[t->kind].more + kinds[t->kind].member * t->n_members;
	t->data = bytes_of(b->p, min_t(size_t, t->more, bytes_left(b)), b->big);
	t->name = text_at(btf, name);
	return bytes_take(b, t->more) || !t->more;
}

static bool get_type(const struct event_btf *btf, u32 id, struct type *t)
{
	struct bytes b;

	if (!id || id > btf->offsets.n)
		return false;
	b = bytes_of(btf->types.s, btf->types.n, btf->big_endian);
	b.p += btf->offsets.v[id - 1];
	return read_type(btf, &b, t);
}

/* The parts of the file, as far as they are in it. */
static bool read_header(struct event_btf *btf, struct span file)
{
	u32 header, types, n_types, texts, n_texts;
	struct bytes b = bytes_of(file.s, file.n, false);

	if (file.n < MIN_HEADER || file.n > UINT32_MAX)
		return false;
	btf->big_endian = bytes_u16(&b) != MAGIC;
	b.big = btf->big_endian;
	if (load_u16(file.s, b.big) != MAGIC)
		return false;
	bytes_take(&b, 2); /* version, flags */
	header = bytes_u32(&b);
	types = bytes_u32(&b);
	n_types = bytes_u32(&b);
	texts = bytes_u32(&b);
	n_texts = bytes_u32(&b);
	if (header > file.n || types > file.n - header || texts > file.n - header)
		return false;
	btf->types = span_skip(file, header + types);
	btf->types.n = min_t(size_t, btf->types.n, n_types);
	btf->texts = span_skip(file, header + texts);
	btf->texts.n = min_t(size_t, btf->texts.n, n_texts);
	return true;
}

static int read_types(struct event_btf *btf, struct span file)
{
	struct bytes b;
	const u8 *start;
	struct type t;
	int err = 0;

	if (!read_header(btf, file))
		return 0;
	b = bytes_of(btf->types.s, btf->types.n, btf->big_endian);
	start = b.p;
	for (u32 at = 0; !err && read_type(btf, &b, &t); at = (u32)(b.p - start)) {
		if (t.kind == KIND_FUNC && t.name.n)
			err = hash_add(&btf->functions, hash_bytes(0, t.name.s, t.name.n),
				       btf->offsets.n);
		err = err ?: array_push(&btf->offsets, at);
	}
	return err;
}

struct event_btf *event_btf_new(struct span file)
{
	struct event_btf *btf = calloc(1, sizeof(*btf));

	if (btf && read_types(btf, file)) {
		event_btf_free(btf);
		return NULL;
	}
	return btf;
}

/* NULL if out of memory; without BTF it has no types. */
static const struct event_btf *btf_of(struct event_db *db)
{
	struct span file = { NULL, 0 };
	int err = 0;

	if (db->btf)
		return db->btf;
	db->btf = calloc(1, sizeof(*db->btf));
	if (!db->btf)
		err = HIST_NOMEM;
	else if (db->sources.btf)
		err = db->sources.btf(db->sources.arg, &file);
	if (!err && file.n)
		err = read_types(db->btf, file);
	db->failed |= err == HIST_NOMEM;
	return db->btf;
}

void event_btf_load(struct event_db *db)
{
	btf_of(db);
}

void event_btf_free(struct event_btf *btf)
{
	if (!btf)
		return;
	array_release(&btf->offsets);
	hash_release(&btf->functions);
	free(btf);
}

/* --- functions --- */

static bool find_function(const struct event_btf *btf, struct span name, struct type *t)
{
	hash_each(i, &btf->functions, hash_bytes(0, name.s, name.n))
		if (get_type(btf, (u32)i + 1, t) && span_same(t->name, name))
			return true;
	return false;
}

/* The type without names and qualifiers; KIND_VOID if there is none. */
static void resolve(const struct event_btf *btf, u32 id, struct type *t)
{
	for (int i = 0; i < MAX_CHAIN && get_type(btf, id, t); i++) {
		bool named = t->kind == KIND_TYPEDEF || t->kind == KIND_VOLATILE ||
			     t->kind == KIND_CONST || t->kind == KIND_RESTRICT ||
			     t->kind == KIND_TYPE_TAG;

		if (!named)
			return;
		id = t->of;
	}
	*t = (struct type){ .kind = KIND_VOID };
}

struct words {
	const u8 *p;
	size_t n, next;
	u32 size;
	bool big_endian;
};

static u64 next_word(struct words *w)
{
	const u8 *p = w->p + w->next++ * w->size;

	return w->size == 8 ? load_u64(p, w->big_endian) : load_u32(p, w->big_endian);
}

static void add_int(struct strbuf *out, struct type *t, u64 v)
{
	u32 word = bytes_u32(&t->data), bits = word & 0xff, shift = (word >> 16) & 0xff;
	bool is_signed = word >> 24 & 1;

	v = shift < 64 ? v >> shift : 0;
	if (bits < 64)
		v &= (1ull << bits) - 1;
	/* kernel: the sign of a narrow number is not extended */
	strbuf_addf(out, is_signed ? "%lld" : "0x%llx", v);
}

/* The next enumerator of @t; false after the last one. */
static bool next_enumerator(const struct event_btf *btf, struct type *t, struct span *name, u64 *v)
{
	u32 text, low, high;

	if (!t->n_members)
		return false;
	t->n_members--;
	text = bytes_u32(&t->data);
	low = bytes_u32(&t->data);
	high = t->kind == KIND_ENUM64 ? bytes_u32(&t->data) : 0;
	*name = text_at(btf, text);
	*v = t->kind == KIND_ENUM64 ? (u64)high << 32 | low : (u64)(s32)low;
	return true;
}

/* One argument: a number, or the words of a structure. */
static void add_arg(const struct event_btf *btf, struct type *t, struct words *w,
		    struct strbuf *out)
{
	u64 v = next_word(w), value;
	struct span name = { NULL, 0 };

	switch (t->kind) {
	case KIND_INT:
		add_int(out, t, v);
		return;
	case KIND_ENUM:
		strbuf_addf(out, "%lld", v);
		while (next_enumerator(btf, t, &name, &value) && (u32)value != (u32)v)
			name.n = 0;
		if (name.n)
			strbuf_addf(out, " [%.*s]", (int)name.n, name.s);
		return;
	case KIND_VOID:
	case KIND_PTR:
		strbuf_addf(out, "%s0x%llx", t->kind == KIND_PTR ? "" : "?", v);
		return;
	default:
		break;
	}
	strbuf_addf(out, "(%s)[0x%llx", kinds[t->kind].name, v);
	for (u64 done = w->size; done < t->of; done += w->size) {
		if (w->next == w->n) {
			strbuf_addstr(out, ":...");
			break;
		}
		strbuf_addf(out, ":0x%llx", next_word(w));
	}
	strbuf_addch(out, ']');
}

void event_btf_args(struct event_db *db, struct span func, const u8 *args, size_t n,
		    struct strbuf *out)
{
	struct words w = { args, n, 0, db->machine.long_size, db->machine.big_endian };
	const struct event_btf *btf = btf_of(db);
	/* GCC names variants of a function NAME.isra.0 and the like */
	struct span rest = func, stem = span_sep(&rest, ".");
	struct type of, proto;
	bool known = btf &&
		     (find_function(btf, func, &of) || (rest.s && find_function(btf, stem, &of))) &&
		     get_type(btf, of.of, &proto) && proto.kind == KIND_FUNC_PROTO;

	for (size_t i = 0; i < n && !known; i++)
		strbuf_addf(out, "%s0x%llx", i ? ", " : "", next_word(&w));
	for (u32 i = 0; known && i < proto.n_members; i++) {
		struct span name = text_at(btf, bytes_u32(&proto.data));
		u32 id = bytes_u32(&proto.data);

		if (i)
			strbuf_addstr(out, ", ");
		if (w.next == n || !id) {
			strbuf_addstr(out, "...");
			return;
		}
		if (name.n)
			strbuf_addf(out, "%.*s=", (int)name.n, name.s);
		resolve(btf, id, &of);
		add_arg(btf, &of, &w, out);
	}
}

/* --- enumerators --- */

bool event_btf_enumerator(struct event_db *db, struct span name, u64 *value)
{
	const struct event_btf *btf = btf_of(db);
	bool found = false;
	struct span of;
	struct type t;
	u64 v;

	for (u32 id = 1; btf && id <= btf->offsets.n; id++) {
		if (!get_type(btf, id, &t) || (t.kind != KIND_ENUM && t.kind != KIND_ENUM64))
			continue;
		while (next_enumerator(btf, &t, &of, &v)) {
			if (!span_same(of, name))
				continue;
			if (found && *value != v)
				return false;
			*value = v;
			found = true;
			break;
		}
	}
	return found;
}

/* --- members --- */

/* Add the offset of a member, maybe of a part without a name; @id: its type */
static bool add_offset(const struct event_btf *btf, struct type of, struct span name, u32 *offset,
		       u32 *id)
{
	for (u32 i = 0; i < of.n_members; i++) {
		const struct span is = text_at(btf, bytes_u32(&of.data));
		const u32 type = bytes_u32(&of.data), at = bytes_u32(&of.data);
		const u32 bits = of.bitfields ? at & 0xffffff : at;
		struct type part;

		*id = type;
		if (!span_same(is, name)) {
			u32 inner = 0;

			if (is.n)
				continue;
			resolve(btf, type, &part);
			if ((part.kind != KIND_STRUCT && part.kind != KIND_UNION) ||
			    !add_offset(btf, part, name, &inner, id))
				continue;
			*offset += inner;
		}
		*offset += bits / 8;
		return true;
	}
	return false;
}

long event_btf_offset(const struct event_btf *btf, const char *of, const char *path)
{
	struct type t;

	for (u32 id = 1; get_type(btf, id, &t); id++) {
		struct span rest = span_of(path);
		u32 offset = 0, type = id;
		bool found = t.kind == KIND_STRUCT && span_eq(t.name, of);

		while (found && rest.s) {
			resolve(btf, type, &t);
			found = (t.kind == KIND_STRUCT || t.kind == KIND_UNION) &&
				add_offset(btf, t, span_sep(&rest, "."), &offset, &type);
		}
		if (found)
			return offset;
	}
	return -1;
}
