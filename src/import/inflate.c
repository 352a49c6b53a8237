// SPDX-License-Identifier: LGPL-2.1-only

#include <zlib.h>

#include "import/inflate.h"

enum { STEP = 1 << 18 };

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
