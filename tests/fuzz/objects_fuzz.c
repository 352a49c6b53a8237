// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A file as the program of a process: symbols contain the places that they are found for, texts are
 * texts, stacks that consist of addresses in it are unwound to at most as many as fit.
 */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "objects/objects.h"

enum { MAX_SIZE = 1 << 20, LINES = 16, FRAMES = 64, STACK_WORDS = 128 };

static size_t text_length(const char *text)
{
	return text ? strlen(text) : 0;
}

static void look_up(struct object *o, u64 place)
{
	const struct object_symbol *s = object_symbol(o, place);
	struct object_line lines[LINES];
	size_t n = object_lines(o, place, lines, LINES);

	if (s) {
		MUST(s->start <= place && place - s->start < s->size);
		MUST(text_length(s->raw_name) && text_length(s->name));
	}
	MUST(n <= LINES);
	for (size_t i = 0; i < n; i++)
		MUST(text_length(lines[i].function) + text_length(lines[i].file) < SIZE_MAX);
}

/* Registers and stack are addresses of the stack or of the code, in turns. */
static void unwind(struct objects *objects, struct object *o, size_t size)
{
	static const enum unwind_machine machines[] = { UNWIND_X86_64, UNWIND_ARM64 };
	const u64 base = 0x10000000, stack = 0x7fff0000;
	struct unwinder *u = unwinder_new(objects);
	u64 regs[33], words[STACK_WORDS], frames[FRAMES];

	MUST(u && !unwinder_map(u, &(struct unwind_map){ base, base + size, 0, o }));
	for (u64 place = 0; place < size; place += size / 16 + 1) {
		const size_t m = place % ARRAY_SIZE(machines);
		struct unwind_sample sample = { .machine = machines[m],
						.mask = m ? 0x1ffffffff : 0xff01ff,
						.regs = regs,
						.stack = (const u8 *)words,
						.n_stack = sizeof(words) };
		size_t n;

		for (size_t i = 0; i < ARRAY_SIZE(regs); i++)
			regs[i] = stack + 8 * i;
		regs[m ? 31 : 7] = stack;
		regs[m ? 32 : 8] = base + place;
		for (size_t i = 0; i < STACK_WORDS; i++)
			words[i] = i % 3 ? base + (place + 31 * i) % size : stack + 16 * i;
		n = unwinder_frames(u, &sample, frames, FRAMES);
		MUST(n && n <= FRAMES && frames[0] == base + place);
	}
	unwinder_free(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct objects_settings settings = { .id_cache = "/nonexistent",
						   .no_debug_files = true };
	struct objects *objects = objects_new(&settings);
	struct diags diags = DIAGS_INIT;
	struct object *o;
	char path[64];
	int fd = memfd_create("objects", MFD_CLOEXEC);

	MUST(objects && fd >= 0);
	if (size && size <= MAX_SIZE && write(fd, data, size) == (ssize_t)size) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		o = objects_find(objects, &(struct object_key){ .path = path });
		MUST(o);
		for (u64 place = 0; place < size; place += size / 256 + 1)
			look_up(o, place);
		look_up(o, UINT64_MAX);
		unwind(objects, o, size);
		objects_report(objects, &diags);
	}
	close(fd);
	objects_free(objects);
	diags_release(&diags);
	return 0;
}
