// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Demangles by libiberty, as perf does, without parameters of functions. A short mangled name may
 * stand for an immense one, each substitution may double it; so the demanglers that pass on pieces
 * are used, which keep no memory of their own, and are left by longjmp() if there are too many.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>

#undef ARRAY_SIZE /* of ansidecl.h */
#include "objects/demangle.h"

enum { MANGLED_MAX = 16384, DEMANGLED_MAX = 65536 };

struct demangling {
	struct strbuf *out;
	size_t max;
	jmp_buf too_long;
};

static void take_piece(const char *text, size_t n, void *arg)
{
	struct demangling *d = arg;

	if (d->out->failed || n > d->max - d->out->len)
		longjmp(d->too_long, 1);
	strbuf_add(d->out, text, n);
}

bool demangle(const char *name, struct strbuf *out)
{
	const size_t from = out->len;
	struct demangling d = { .out = out, .max = from + DEMANGLED_MAX };

	if ((strncmp(name, "_Z", 2) && strncmp(name, "_R", 2)) ||
	    strnlen(name, MANGLED_MAX + 1) > MANGLED_MAX)
		return false;
	if (!setjmp(d.too_long)) {
		if (rust_demangle_callback(name, 0, take_piece, &d))
			return true;
		strbuf_cut(out, from);
		if (cplus_demangle_v3_callback(name, DMGL_NO_OPTS, take_piece, &d))
			return true;
	}
	strbuf_cut(out, from);
	return false;
}
