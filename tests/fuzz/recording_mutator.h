/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A mutator for inputs that are a recording after RECORDING_AT arbitrary bytes. It changes records,
 * sub-buffers, texts, options, codec and version, and updates all sizes, so that inputs are
 * replayed and not just rejected; some inputs are changed without updating sizes.
 */
#ifndef TESTS_RECORDING_MUTATOR_H
#define TESTS_RECORDING_MUTATOR_H

#include "page_mutator.h"

#ifndef RECORDING_AT
#define RECORDING_AT 0
#endif

static inline struct span mutate_text(struct draft *d, struct span text)
{
	enum { MORE = 32 };
	u8 *copy = text.n ? arena_alloc(&d->arena, text.n + MORE) : NULL;

	if (!copy)
		return text;
	memcpy(copy, text.s, text.n);
	return (struct span){ (char *)copy, LLVMFuzzerMutate(copy, text.n, text.n + MORE) };
}

static inline void mutate_format(struct draft *d)
{
	struct trace_dat_format *format;

	if (!d->formats.n)
		return;
	format = &d->formats.v[mutator_random(d->formats.n)];
	format->text = mutate_text(d, format->text);
}

static inline void mutate_option(struct draft *d)
{
	struct trace_dat_option *option;
	struct span data;

	if (!d->options.n)
		return;
	option = &d->options.v[mutator_random(d->options.n)];
	data = mutate_text(d, (struct span){ (const char *)option->data, option->size });
	option->data = (const u8 *)data.s;
	option->size = (u32)data.n;
}

static inline void mutate_part(struct draft *d)
{
	u32 what = mutator_random(16), section = TRACE_DAT_KALLSYMS + mutator_random(3);

	if (what < 7 && d->pages.n)
		mutate_entry(d, &d->pages.v[mutator_random(d->pages.n)]);
	else if (what < 11 && d->pages.n)
		mutate_page(d, mutator_random(d->pages.n));
	else if (what == 11)
		mutate_format(d);
	else if (what == 12)
		d->sections[section] = mutate_text(d, d->sections[section]);
	else if (what == 13)
		mutate_option(d);
	else if (what == 14)
		d->machine.codec = (enum codec)mutator_random(3);
	else
		d->machine.version = mutator_random(4) ? 7 : 6;
}

/* Read the file at @path; returns its size, or 0 if that is more than @max. */
static inline size_t read_back(const char *path, uint8_t *data, size_t max)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	size_t n = 0;

	if (size > 0 && (size_t)size <= max && pread(fd, data, (size_t)size, 0) == size)
		n = (size_t)size;
	if (fd >= 0)
		close(fd);
	return n;
}

/* Returns the size of the changed recording; 0 if @data cannot be read as one. */
static inline size_t mutate_recording(uint8_t *data, size_t size, size_t max)
{
	static int fd = -1;
	static char in[64], out[256];
	struct draft d;
	size_t n = 0;

	if (fd < 0) {
		fd = memfd_create("draft", MFD_CLOEXEC);
		snprintf(in, sizeof(in), "/proc/self/fd/%d", fd);
		fuzz_path(out, sizeof(out), "draft");
	}
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	if (!draft_read(&d, in)) {
		for (u32 i = 0; i <= mutator_random(4); i++)
			mutate_part(&d);
		if (!draft_write(&d, out))
			n = read_back(out, data, max);
		unlink(out);
	}
	draft_release(&d);
	return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	size_t n = 0;

	mutator_state = seed;
	if (size > RECORDING_AT && mutator_random(4))
		n = mutate_recording(data + RECORDING_AT, size - RECORDING_AT, max - RECORDING_AT);
	if (!n)
		return LLVMFuzzerMutate(data, size, max);
	if (RECORDING_AT && !mutator_random(8))
		data[mutator_random(RECORDING_AT)] = (uint8_t)mutator_random(256);
	return RECORDING_AT + n;
}

#endif
