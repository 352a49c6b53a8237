// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Arbitrary bytes as a file of gzip. What is inflated is what zlib reads from the file, and is
 * imported as the same file without compression: with the same result, and the same bytes.
 */
#include "fuzz.h"

#include <sys/mman.h>
#include <zlib.h>

#include "import/import.h"
#include "import/inflate.h"
#include "mutator.h"

enum { MAX = 1 << 16 };

struct contents {
	u8 bytes[MAX];
	size_t n;
};

static int add(void *arg, const void *p, size_t n)
{
	struct contents *c = arg;

	if (n > MAX - c->n)
		return 1;
	memcpy(c->bytes + c->n, p, n);
	c->n += n;
	return 0;
}

/* One call for each stream; true: the last one is complete. */
static bool model(const uint8_t *data, size_t size, struct contents *c)
{
	z_stream z = { .next_in = (void *)data, .avail_in = (uInt)size };
	int result = inflateInit2(&z, 15 + 16);

	MUST(result == Z_OK);
	for (c->n = 0; result == Z_OK;) {
		z.next_out = c->bytes + c->n;
		z.avail_out = (uInt)(MAX - c->n);
		result = inflate(&z, Z_FINISH);
		c->n = MAX - z.avail_out;
		if (result == Z_STREAM_END && z.avail_in > 2 && z.next_in[0] == 0x1f &&
		    z.next_in[1] == 0x8b)
			result = inflateReset(&z);
	}
	inflateEnd(&z);
	return result == Z_STREAM_END;
}

static int open_file(const uint8_t *data, size_t size, char path[64])
{
	const int fd = memfd_create("input", MFD_CLOEXEC);

	MUST(fd >= 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

/* Import the bytes to a new file; *@out is -1 if that fails. */
static struct import_result import(const uint8_t *data, size_t size, int *out)
{
	static const struct import_options options = { .codec = CODEC_NONE, .range = 512 };
	struct import_output to = { NULL, memfd_create("output", MFD_CLOEXEC) };
	struct import_result result = { .what = NULL };
	struct diags diags = DIAGS_INIT;
	char path[64];
	const int in = open_file(data, size, path);
	const struct import_input input = { path, "input" };
	const int err = import_file(&input, &options, &to, &result, &diags);

	MUST(!err || diags_has_error(&diags, 0));
	diags_release(&diags);
	close(in);
	if (err)
		close(to.fd);
	*out = err ? -1 : to.fd;
	return result;
}

static void same_files(int a, int b)
{
	static u8 of_a[1 << 12], of_b[1 << 12];
	ssize_t n;
	off_t at = 0;

	while ((n = pread(a, of_a, sizeof(of_a), at)) > 0) {
		MUST(pread(b, of_b, sizeof(of_b), at) == n && !memcmp(of_a, of_b, (size_t)n));
		at += n;
	}
	MUST(pread(b, of_b, sizeof(of_b), at) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct contents want, got;
	const struct span whole = { (const char *)data, size };
	bool complete, all;
	int packed, plain;

	if (size < 3 || data[0] != 0x1f || data[1] != 0x8b)
		return 0;
	all = model(data, size, &want);
	got.n = 0;
	if (inflate_stream(whole, INFLATE_GZIP, add, &got, &complete) == 1)
		return 0; /* more than there is room for */
	MUST(complete == all && got.n == want.n && !memcmp(got.bytes, want.bytes, got.n));
	/* a text of trace.dat is refused, a packed one is inflated */
	if (!got.n || !import_recognises((struct span){ (char *)got.bytes, got.n }) ||
	    (got.bytes[0] == 0x1f && got.n > 1 && got.bytes[1] == 0x8b))
		return 0;
	(void)import(data, size, &packed);
	(void)import(got.bytes, got.n, &plain);
	MUST((packed < 0) == (plain < 0));
	if (packed >= 0 && all)
		same_files(packed, plain);
	close(packed);
	close(plain);
	return 0;
}

/* Most inputs are inflated, changed and compressed again, as one stream or two. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	static struct contents c;
	size_t parts, n = 0;

	mutator_state = seed;
	if (!mutator_random(4) || !model(data, size, &c) || !c.n)
		return LLVMFuzzerMutate(data, size, max);
	c.n = LLVMFuzzerMutate(c.bytes, c.n, min_t(size_t, MAX, max));
	parts = 1 + !mutator_random(3);
	for (size_t i = 0, from = 0; i < parts; i++) {
		const size_t to = i + 1 < parts ? mutator_random(c.n + 1) : c.n;
		z_stream z = { .next_in = c.bytes + from, .avail_in = (uInt)(to - from) };

		MUST(deflateInit2(&z, (int)mutator_random(3), Z_DEFLATED, 15 + 16, 8,
				  Z_DEFAULT_STRATEGY) == Z_OK);
		z.next_out = data + n;
		z.avail_out = (uInt)(max - n);
		if (deflate(&z, Z_FINISH) == Z_STREAM_END)
			n = max - z.avail_out;
		deflateEnd(&z);
		from = to;
	}
	return n ? n : size;
}
