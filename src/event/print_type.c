// SPDX-License-Identifier: LGPL-2.1-only
/* Types of C in print fmts and formats, by their names. */
#include "event/print_fmt.h"

static const struct {
	u8 size; /* 0: a long of the kernel */
	bool is_signed;
	const char *names[16];
} types[] = {
	{ 1, true, { "char", "signed char", "s8", "__s8" } },
	{ 1, false, { "unsigned char", "u8", "__u8", "bool", "_Bool", "uint8_t" } },
	{ 2, true, { "short", "s16", "__s16" } },
	{ 2,
	  false,
	  { "unsigned short", "u16", "__u16", "__be16", "__le16", "umode_t", "uint16_t" } },
	{ 4, true, { "int", "s32", "__s32", "pid_t", "__kernel_rwf_t" } },
	{ 4,
	  false,
	  { "unsigned int", "unsigned", "u32", "__u32", "__be32", "__le32", "gfp_t", "uid_t",
	    "gid_t", "dev_t", "fmode_t", "blk_opf_t", "isolate_mode_t", "uint32_t" } },
	{ 8, true, { "long long", "s64", "__s64", "loff_t", "ktime_t" } },
	{ 8,
	  false,
	  { "unsigned long long", "u64", "__u64", "__be64", "__le64", "uint64_t", "sector_t",
	    "phys_addr_t", "dma_addr_t", "resource_size_t" } },
	{ 0, true, { "long", "ssize_t", "ptrdiff_t", "clock_t" } },
	{ 0, false, { "unsigned long", "size_t", "pgoff_t", "ino_t", "uintptr_t" } },
};

struct print_type print_type_named(const struct event_db *db, struct span name)
{
	static const char *const before[] = { "const ", "volatile " };

	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		if (span_starts(name, before[i]))
			name = span_skip(name, strlen(before[i]));
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		for (const char *const *is = types[i].names; *is; is++)
			if (span_eq(name, *is))
				return (struct print_type){
					.size = types[i].size ? types[i].size
							      : (u8)db->machine.long_size,
					.is_signed = types[i].is_signed
				};
	return (struct print_type){ .size = 0 };
}

struct print_type print_type_of(const struct event_db *db, const struct event_field *field)
{
	const char *bracket = strchr(field->type, '[');
	struct print_type t = { .size = (u8)field->size, .is_signed = field->is_signed };
	u64 n = 0;

	if (!bracket)
		return t;
	t = print_type_named(db, span_between(field->type, bracket));
	/* kernel: TASK_COMM_LEN; other names are unknown */
	if (!t.size && span_u64(span_between(bracket + 1, bracket + strcspn(bracket, "]")), &n) &&
	    n)
		t.size = (u8)(field->size / n);
	t.is_signed = field->is_signed;
	return t;
}

struct print_type print_element_type(const struct event_db *db, const struct event_field *array)
{
	const char *bracket = strchrnul(array->type, '[');

	if (!strstr(array->type, "__data_loc") && !strstr(array->type, "__rel_loc"))
		return print_type_of(db, array);
	return print_type_named(db, span_trim(span_between(strchrnul(array->type, ' '), bracket)));
}

u32 event_element_size(const struct event_db *db, const struct event_field *array)
{
	return print_element_type(db, array).size;
}
