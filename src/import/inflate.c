// SPDX-License-Identifier: LGPL-2.1-only

#include <zlib.h>

#include "import/inflate.h"
#include "trace_dat/trace_dat.h"

enum { STEP = 1 << 18 };

int inflated_open(struct inflated *to, u64 packed)
{
	enum { RATIO = 8, MAX_RATIO = 512, FLOOR = 1 << 24 };
	int fd = spool_open(packed * RATIO);

	*to = (struct inflated){ .file = fd < 0 ? NULL : fdopen(fd, "w"),
				 .limit = max_t(u64, packed * MAX_RATIO, FLOOR) };
	if (to->file)
		return 0;
	fd_close(fd);
	return -HIST_EIO;
}

int inflated_put(void *to, const void *p, size_t n)
{
	struct inflated *out = to;

	out->n += n;
	if (out->n > out->limit)
		return -HIST_EFORMAT;
	return fwrite(p, 1, n, out->file) == n ? 0 : -HIST_EIO;
}

int inflate_stream(struct span from, enum inflate_format format,
		   int (*put)(void *arg, const void *p, size_t n), void *arg, bool *complete)
{
	const char *end = from.s + from.n;
	z_stream z = { .next_in = (void *)from.s };
	u8 *out = malloc(STEP);
	int result = out ? inflateInit2(&z, format) : Z_MEM_ERROR, err = 0;

	*complete = false;
	if (result != Z_OK) {
		free(out);
		return HIST_NOMEM;
	}
	while (result == Z_OK && !err) {
		z.avail_in = (uInt)min_t(size_t, (size_t)(end - (const char *)z.next_in), STEP);
		z.next_out = out;
		z.avail_out = STEP;
		result = inflate(&z, Z_NO_FLUSH);
		err = put(arg, out, STEP - z.avail_out);
		/* a file of gzip may have several streams */
		if (result == Z_STREAM_END && !err && format == INFLATE_GZIP &&
		    end - (const char *)z.next_in > 2 && !memcmp(z.next_in, "\x1f\x8b", 2))
			result = inflateReset(&z);
	}
	free(out);
	inflateEnd(&z);
	*complete = result == Z_STREAM_END;
	return err ?: result == Z_MEM_ERROR ? HIST_NOMEM : 0;
}
