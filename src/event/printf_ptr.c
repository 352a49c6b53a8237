// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The kernel's output for %p and the letters after it: symbols, network addresses, bytes. The value
 * is a number or memory of the record.
 *
 * kernel: a plain %p prints a hash that changes with every boot; here it is the pointer itself,
 * which the kernel prints if options/hash-ptr is off. Such pointers are counted.
 *
 * Corresponds to pointer() in lib/vsprintf.c.
 */
#include "event/print_fmt.h"

enum {
	IP4_LEN = 4,
	IP6_LEN = 16,
	MAC_LEN = 6,
	UUID_LEN = 16,
	HEX_MAX = 64,
	FAMILY_INET = 2,
	FAMILY_INET6 = 10,
	MAX_ERRNO = 4095
};

/* --- network addresses --- */

static void add_ip4(struct strbuf *out, const u8 *p, bool leading_zeros)
{
	strbuf_addf(out, leading_zeros ? "%03u.%03u.%03u.%03u" : "%u.%u.%u.%u", p[0], p[1], p[2],
		    p[3]);
}

/* The longest run of zero words, at least two; returns its length, 0 if there is none. */
static size_t longest_zeros(const u8 *p, size_t n, size_t *first)
{
	size_t best = 1, run = 0;

	for (size_t i = 0; i < n; i++) {
		run = p[2 * i] || p[2 * i + 1] ? 0 : run + 1;
		if (run > best) {
			best = run;
			*first = i + 1 - run;
		}
	}
	return best > 1 ? best : 0;
}

/* kernel: the last four bytes of mapped and ISATAP addresses are shown as IPv4 */
static bool ends_in_ip4(const u8 *p)
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(p, mapped, sizeof(mapped)) ||
	       ((p[8] | 2) == 2 && !p[9] && p[10] == 0x5e && p[11] == 0xfe);
}

static void add_ip6_compressed(struct strbuf *out, const u8 *p)
{
	bool ip4 = ends_in_ip4(p), colon = false;
	size_t n = ip4 ? 6 : 8, first = 0, zeros = longest_zeros(p, n, &first);

	for (size_t i = 0; i < n; i++) {
		if (zeros && i == first) {
			strbuf_addstr(out, "::");
			colon = false;
			i += zeros - 1;
			continue;
		}
		strbuf_addf(out, "%s%x", colon ? ":" : "", p[2 * i] << 8 | p[2 * i + 1]);
		colon = true;
	}
	if (!ip4)
		return;
	if (colon)
		strbuf_addch(out, ':');
	add_ip4(out, p + 12, false);
}

static void add_ip6(struct strbuf *out, const u8 *p, bool colons)
{
	for (size_t i = 0; i < 8; i++)
		strbuf_addf(out, "%s%02x%02x", i && colons ? ":" : "", p[2 * i], p[2 * i + 1]);
}

/* A struct sockaddr; false if it has another family or is too short. */
static bool add_sockaddr(struct strbuf *out, const struct print_ctx *ctx, struct span mem,
			 const char *letters)
{
	const u8 *p = (const u8 *)mem.s;
	size_t n = strspn(letters, "pfsch");
	bool port = memchr(letters, 'p', n), compressed = memchr(letters, 'c', n);
	u16 family = mem.n >= 2 ? load_u16(p, ctx->db->machine.big_endian) : 0;

	if (family == FAMILY_INET && mem.n >= 8) {
		add_ip4(out, p + 4, false);
		if (port)
			strbuf_addf(out, ":%u", load_u16(p + 2, true));
		return true;
	}
	if (family != FAMILY_INET6 || mem.n < 24)
		return false;
	strbuf_addstr(out, port ? "[" : "");
	if (compressed)
		add_ip6_compressed(out, p + 8);
	else
		add_ip6(out, p + 8, true);
	if (port)
		strbuf_addf(out, "]:%u", load_u16(p + 2, true));
	return true;
}

/* I4 i4 I6 i6 I6c IS...: returns the number of letters used */
static size_t add_host(struct strbuf *out, const struct print_ctx *ctx, const char *letters,
		       struct span mem)
{
	bool colons = letters[0] == 'I';
	const u8 *p = (const u8 *)mem.s;

	if (letters[1] == 'S') {
		if (!add_sockaddr(out, ctx, mem, letters + 2))
			strbuf_addstr(out, "(einval)");
		return 2 + strspn(letters + 2, "pfschnbl");
	}
	if (letters[1] == '4' && mem.n >= IP4_LEN)
		add_ip4(out, p, !colons);
	else if (letters[1] == '6' && mem.n >= IP6_LEN && colons && letters[2] == 'c')
		add_ip6_compressed(out, p);
	else if (letters[1] == '6' && mem.n >= IP6_LEN)
		add_ip6(out, p, colons);
	else
		strbuf_addstr(out, "(efault)");
	return 2 + strspn(letters + 2, "chnbl");
}

/* --- bytes --- */

static size_t add_hex(struct strbuf *out, const struct printf_spec *spec, const char *letters,
		      struct span mem)
{
	char between = letters[1] == 'C'   ? ':'
		       : letters[1] == 'D' ? '-'
		       : letters[1] == 'N' ? 0
					   : ' ';
	size_t n = spec->width >= 0 ? min_t(size_t, (size_t)spec->width, HEX_MAX) : 1;

	for (size_t i = 0; i < n && i < mem.n; i++) {
		if (i && between)
			strbuf_addch(out, between);
		strbuf_addf(out, "%02x", (u8)mem.s[i]);
	}
	return 1 + (letters[1] && strchr("CDN", letters[1]) != NULL);
}

static size_t add_mac(struct strbuf *out, const char *letters, struct span mem)
{
	bool reversed = letters[1] == 'R', separated = letters[0] == 'M';
	char between = letters[1] == 'F' ? '-' : ':';

	for (size_t i = 0; i < MAC_LEN && mem.n >= MAC_LEN; i++) {
		if (i && separated)
			strbuf_addch(out, between);
		strbuf_addf(out, "%02x", (u8)mem.s[reversed ? MAC_LEN - 1 - i : i]);
	}
	return 1 + (letters[1] && strchr("FR", letters[1]) != NULL);
}

static size_t add_uuid(struct strbuf *out, const char *letters, struct span mem)
{
	static const u8 big[UUID_LEN] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const u8 little[UUID_LEN] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	char c = letters[1];
	const u8 *order = c == 'l' || c == 'L' ? little : big;

	for (size_t i = 0; i < UUID_LEN && mem.n >= UUID_LEN; i++)
		strbuf_addf(out, c == 'L' || c == 'B' ? "%s%02X" : "%s%02x",
			    i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", (u8)mem.s[order[i]]);
	return 1 + (c && strchr("lLbB", c) != NULL);
}

/* --- bitmaps: longs of the recording's machine --- */

static bool bit_at(const struct print_ctx *ctx, struct span mem, size_t i)
{
	size_t size = ctx->db->machine.long_size, at = i / 8;

	if (ctx->db->machine.big_endian)
		at = at / size * size + (size - 1 - at % size);
	return at < mem.n && (u8)mem.s[at] >> (i % 8) & 1;
}

static size_t add_bitmap(struct strbuf *out, const struct print_ctx *ctx,
			 const struct printf_spec *spec, const char *letters, struct span mem)
{
	size_t n = spec->width > 0 ? min_t(size_t, (size_t)spec->width, mem.n * 8) : 0;
	size_t chunk = n % 32 ? n % 32 : 32;

	if (letters[1] == 'l') {
		const char *between = "";

		for (size_t i = 0; i < n; i++) {
			size_t first = i;

			if (!bit_at(ctx, mem, i))
				continue;
			while (i + 1 < n && bit_at(ctx, mem, i + 1))
				i++;
			strbuf_addf(out, "%s%zu", between, first);
			if (i > first)
				strbuf_addf(out, "-%zu", i);
			between = ",";
		}
		return 2;
	}
	for (size_t end = n; end; end -= chunk, chunk = 32) {
		u32 v = 0;

		for (size_t i = 0; i < chunk; i++)
			v |= (u32)bit_at(ctx, mem, end - chunk + i) << i;
		strbuf_addf(out, "%s%0*x", end < n ? "," : "", (int)((chunk + 3) / 4), v);
	}
	return 1;
}

/* --- all conversions --- */

u64 event_db_unhashed(const struct event_db *db)
{
	return db->n_unhashed;
}

static size_t add_plain(struct strbuf *out, const struct print_ctx *ctx, struct printf_spec spec,
			const char *letters, const struct print_value *v)
{
	size_t used = letters[0] && strchr("xKedsSBfF", letters[0]) ? 1 : 0;
	u64 top = ctx->db->machine.long_size == 4 ? UINT32_MAX : UINT64_MAX;

	if (v->kind != PRINTED_NUMBER) {
		/* the address of the record in the kernel's memory, and other addresses */
		spec.precision = -1;
		printf_text(out, &spec, span_of("(____ptrval____)"));
		return used;
	}
	/* kernel: ptr_to_id() does not hash values that are not addresses */
	if (letters[0] != 'x' && v->number && v->number <= top - MAX_ERRNO)
		__atomic_fetch_add(&ctx->db->n_unhashed, 1, __ATOMIC_RELAXED);
	spec.base = 16;
	spec.plain = false;
	if (spec.width == -1) {
		spec.width = (int)ctx->db->machine.long_size * 2;
		spec.zero = true;
	}
	printf_number(out, &spec, v->number);
	return used;
}

size_t printf_pointer(struct strbuf *out, const struct print_ctx *ctx, struct printf_spec spec,
		      const char *letters, const struct print_value *v)
{
	if (letters[0] && strchr("sSBfF", letters[0]) && v->kind == PRINTED_NUMBER) {
		const bool offset = letters[0] == 'S' || letters[0] == 'B' || letters[0] == 'F';
		struct strbuf name = STRBUF_INIT;

		if (spec.plain) {
			event_print_symbol(ctx->db, v->number, offset, out);
		} else {
			event_print_symbol(ctx->db, v->number, offset, &name);
			printf_text(out, &spec, strbuf_span(&name));
			strbuf_release(&name);
		}
		return 1 + (letters[1] && strchr("Rb", letters[1]) != NULL);
	}
	if (v->kind != PRINTED_MEMORY)
		return add_plain(out, ctx, spec, letters, v);
	switch (letters[0]) {
	case 'I':
	case 'i':
		return add_host(out, ctx, letters, v->bytes);
	case 'h':
		return add_hex(out, &spec, letters, v->bytes);
	case 'M':
	case 'm':
		return add_mac(out, letters, v->bytes);
	case 'U':
		return add_uuid(out, letters, v->bytes);
	case 'b':
		return add_bitmap(out, ctx, &spec, letters, v->bytes);
	default:
		break;
	}
	return add_plain(out, ctx, spec, letters, v);
}
