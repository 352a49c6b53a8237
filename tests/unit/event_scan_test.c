// SPDX-License-Identifier: LGPL-2.1-only
/*
 * event: addresses, bytes, bitmaps and arithmetic in the text of a record, and the record that is
 * found from that text, which is printed as the same text.
 */
#include "unit.h"

#include "event/event.h"

#define FIELD(decl, offset, size) \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:0;\n"

/* clang-format off */
static const char fields[] =
	"name: e\nID: 7\nformat:\n"
	FIELD("unsigned short common_type", 0, 2)
	FIELD("unsigned char common_flags", 2, 1)
	FIELD("unsigned char common_preempt_count", 3, 1)
	FIELD("int common_pid", 4, 4)
	"\n"
	FIELD("u32 n", 8, 4)
	FIELD("u64 d", 16, 8)
	FIELD("u8 ip4[4]", 24, 4)
	FIELD("u8 ip6[16]", 28, 16)
	FIELD("u8 uuid[16]", 44, 16)
	FIELD("__data_loc u8[] sa", 60, 4)
	FIELD("__data_loc unsigned long[] mask", 64, 4)
	FIELD("u16 half", 68, 2)
	FIELD("u16 words[3]", 70, 6)
	FIELD("u8 sa4[8]", 76, 8)
	FIELD("__data_loc char[][3] texts", 84, 12)
	"\nprint fmt: ";

static const u8 rec[] = {
	7, 0, 0, 0, 1, 0, 0, 0,
	0x45, 0x23, 1, 0, 0, 0, 0, 0,                        /* n 74565 */
	0x7b, 0xf2, 0x05, 0x2a, 1, 0, 0, 0,                  /* d 5000000123 */
	10, 0, 200, 1,                                       /* ip4 */
	0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, /* ip6 2001:db8::1 */
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,    /* uuid */
	96, 0, 28, 0, 124, 0, 8, 0,                          /* sa, mask */
	0x34, 0x12, 1, 0, 2, 0, 0xff, 0xff,                  /* half, words */
	2, 0, 0, 80, 10, 0, 200, 1,                          /* sa4: AF_INET, port 80 */
	132, 0, 4, 0, 136, 0, 0, 0, 136, 0, 2, 0,            /* texts */
	10, 0, 1, 0xbb, 0, 0, 0, 0,                          /* AF_INET6, port 443 */
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0x5e, 0xfe, 192, 168, 0, 1, 0, 0, 0, 0,
	0x23, 0, 0, 0, 0, 0, 0, 0x80,                        /* bits 0, 1, 5, 63 */
	'a', '"', ',', 0, 'b', 0,
};
/* clang-format on */

/* Whether a record is found from the text, or only the text is checked. */
enum back { TEXT, BACK };

static void check_back(struct event_db *db, const struct event_format *format,
		       struct event_print *print, struct arena *arena, const char *text)
{
	struct event_scan *scan = event_scan_new(db, format, NULL, arena);
	struct event_scanned_record found;
	struct strbuf again = STRBUF_INIT;

	assert_non_null(scan);
	assert_int_equal(event_scan(scan, span_of(text), &found), SCANNED_ONE);
	assert_true(event_print(print, found.bytes, found.len, &again));
	assert_string_equal(again.s, text);
	assert_int_equal(event_scan(scan, span_of("another text"), &found), SCANNED_NONE);
	strbuf_release(&again);
}

static void check(const char *print_fmt, const char *want, enum back back)
{
	const struct event_machine machine = { .long_size = 8 };
	struct event_text event = { .system = "s", .name = span_of("e"), .id = 7 };
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
	const struct event_format *format;
	struct arena arena = ARENA_INIT;
	struct event_print *print;
	struct event_db *db;

	print_message("# %s\n", print_fmt);
	strbuf_addf(&text, "%s%s\n", fields, print_fmt);
	event.text = (struct span){ text.s, text.len };
	assert_int_equal(event_db_new(&db, &event, 1, machine, NULL), 0);
	assert_int_equal(event_db_find(db, "s", "e", &format), 0);
	print = event_print_parse(db, format, &arena);
	assert_non_null(print);
	assert_true(event_print(print, rec, sizeof(rec), &out));
	assert_string_equal(out.s, want);
	if (back == BACK)
		check_back(db, format, print, &arena, want);
	strbuf_release(&text);
	strbuf_release(&out);
	arena_release(&arena);
	event_db_free(db);
}

static void test_addresses(void **state)
{
	(void)state;
	check("\"%pI4\", REC->ip4", "10.0.200.1", BACK);
	check("\"%pi4\", REC->ip4", "010.000.200.001", TEXT);
	check("\"%pI4\", REC->sa4 + 4", "10.0.200.1", TEXT);
	check("\"%pI4\", &REC->ip4[0]", "10.0.200.1", TEXT);
	check("\"%pI6c\", REC->ip6", "2001:db8::1", BACK);
	check("\"%pI6\", REC->ip6", "2001:0db8:0000:0000:0000:0000:0000:0001", BACK);
	check("\"%pi6\", REC->ip6", "20010db8000000000000000000000001", TEXT);
	check("\"%pI6\", REC->ip4", "(efault)", TEXT);
	check("\"%pM %pMF %pMR\", REC->uuid, REC->uuid, REC->uuid",
	      "00:01:02:03:04:05 00-01-02-03-04-05 05:04:03:02:01:00", TEXT);
	check("\"%pM\", REC->uuid", "00:01:02:03:04:05", BACK);
}

static void test_sockaddr(void **state)
{
	(void)state;
	check("\"%pISpc\", __get_sockaddr(sa)", "[fe80::5efe:192.168.0.1]:443", TEXT);
	check("\"%pISc\", __get_sockaddr(sa)", "fe80::5efe:192.168.0.1", TEXT);
	check("\"%pIS\", __get_sockaddr(sa)", "fe80:0000:0000:0000:0000:5efe:c0a8:0001", TEXT);
	check("\"%pISpc\", REC->sa4", "10.0.200.1:80", TEXT);
	check("\"%pISc\", REC->uuid", "(einval)", TEXT);
}

static void test_bytes(void **state)
{
	(void)state;
	check("\"%*ph|%4phC\", 4, REC->ip4, REC->ip4", "0a 00 c8 01|0a:00:c8:01", TEXT);
	check("\"%4phD|%4phN\", REC->ip4, REC->ip4", "0a-00-c8-01|0a00c801", TEXT);
	check("\"%pU\", REC->uuid", "00010203-0405-0607-0809-0a0b0c0d0e0f", TEXT);
	check("\"%pUL\", REC->uuid", "03020100-0504-0706-0809-0A0B0C0D0E0F", TEXT);
	check("\"%s\", __get_bitmask(mask)", "80000000,00000023", TEXT);
	check("\"%*pbl\", 64, __get_dynamic_array(mask)", "0-1,5,63", TEXT);
	check("\"%s\", __print_dynamic_array(mask, 8)", "{0x8000000000000023}", BACK);
	check("\"%s\", __print_hex(REC->ip4, 4)", "0a 00 c8 01", BACK);
	check("\"%s\", __print_hex_str(REC->ip4, 4)", "0a00c801", BACK);
	check("\"%s\", __print_array(REC->words, 3, 2)", "{0x1,0x2,0xffff}", BACK);
}

static void test_numbers(void **state)
{
	(void)state;
	check("\"%u %u\", REC->n + 7, 5 + REC->n", "74572 74570", BACK);
	check("\"%u\", REC->n - 7", "74558", BACK);
	check("\"%u\", 80000 - REC->n", "5435", BACK);
	check("\"%u\", REC->n * 4", "298260", BACK);
	check("\"%x\", REC->n ^ 5", "12340", BACK);
	check("\"%x\", ~REC->n", "fffedcba", BACK);
	check("\"%d\", -REC->n", "-74565", BACK);
	check("\"%u\", +REC->n", "74565", BACK);
	check("\"%llu\", REC->d >> 12", "1220703", BACK);
	check("\"%llu\", REC->d << 3", "40000000984", BACK);
	check("\"%x\", REC->n & 0xff00", "2300", BACK);
	check("\"%x\", REC->n | 0xff", "123ff", BACK);
	check("\"%x\", __builtin_bswap16(REC->half)", "3412", BACK);
	check("\"%u\", __builtin_expect(REC->n, 1)", "74565", BACK);
	check("\"%s\", !REC->half ? \"yes\" : \"no\"", "no", TEXT); /* any value but 0 */
	check("\"%c\", REC->sa4[3]", "P", BACK);
}

/* Arrays of strings; the second could not be read. */
static void test_probes(void **state)
{
	(void)state;
	check("\"t={\\\"%s\\\",\\\"%s\\\"} n=%u\", __get_str(texts[1]), __get_str(texts[2]), REC->n",
	      "t={(fault),\"b\"} n=74565", BACK);
	check("\"{\\\"%s\\\",\\\"%s\\\"}\", __get_str(texts[0]), __get_str(texts[1])",
	      "{\"a\",\",(fault)}", BACK);
	check("\"\\\"%s\\\"\", __get_str(texts)", "\"a\",\"", BACK);
	check("\"%s \\\"%s\", __get_str(texts[1]), __get_str(texts[1])", " \"", BACK);
}

static void test_more_expressions(void **state)
{
	(void)state;
	check("\"%llu.%09llu\", __print_ns_to_secs(REC->d), __print_ns_without_secs(REC->d)",
	      "5.000000123", TEXT);
	check("\"%d %d\", sizeof(REC->ip6), sizeof(long)", "16 8", TEXT);
	check("\"%d\", sizeof(unsigned short)", "2", TEXT);
	check("\"%d%d%d\", REC->n > 5, REC->n >= 74565, REC->n <= 74564", "110", TEXT);
	check("\"%d %d\", REC->n % 10, REC->n != 5", "5 1", TEXT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_addresses), TEST(test_sockaddr), TEST(test_bytes),
		TEST(test_numbers),   TEST(test_probes),   TEST(test_more_expressions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
