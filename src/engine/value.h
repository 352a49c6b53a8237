/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The number or the text that a value is for a record: private to the engine.
 */
#ifndef HIST_ENGINE_VALUE_H
#define HIST_ENGINE_VALUE_H

#include "engine/load.h"
#include "engine/prog.h"

/* What a load of that code finds at @p; a caller that names the code gets just that load. */
static inline u64 value_load(enum opcode code, const struct value *v, const u8 *p)
{
	switch (code) {
	case OP_LOAD_U8:
		return *p;
	case OP_LOAD_S8:
		return (u64)(s64)(s8)*p;
	case OP_LOAD_U16:
		return load_u16(p, false);
	case OP_LOAD_S16:
		return (u64)(s64)(s16)load_u16(p, false);
	case OP_LOAD_U32:
		return load_u32(p, false);
	case OP_LOAD_S32:
		return (u64)(s64)(s32)load_u32(p, false);
	case OP_LOAD_64:
		return load_u64(p, false);
	default:
		return load_int(p, v->size, v->is_signed, true);
	}
}

/* The number that @v is; @refs are the references that were read for this record. */
static inline u64 value_num(const struct value *v, const struct hit *hit, const u64 *refs)
{
	return v->num(v, hit, refs);
}

/* The text that it stands for; kernel: of a fixed array its declared size counts. */
static inline struct span value_text(const struct value *v, const struct hit *hit, bool big)
{
	if (v->kind == VALUE_TASK_COMM)
		return span_of(hit->source->comm(hit->source->arg, hit));
	if (v->kind == VALUE_STATIC)
		return load_bytes(hit, v->offset, v->size);
	return load_dynamic(hit, v->offset, v->kind == VALUE_RDYN, big);
}

#endif
