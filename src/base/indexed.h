/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * An array whose elements are found by a hash of their key. INDEXED(struct task) tasks; is an
 * ARRAY() for all that reads, but elements are added only like this:
 *
 *	t = indexed_by(&tasks, pid, 7);		the one whose ->pid is 7; NULL: there is none
 *	t = indexed_get(&tasks, pid, 7, ((struct task){ .pid = 7 }));	or it is added
 *
 *	t = indexed_find(&tasks, hash_text(name), e, !strcmp(e->name, name));	other keys
 *	t = t ?: indexed_add(&tasks, hash_text(name), ((struct task){ .name = name }));
 *
 * The results are pointers to elements, or NULL: out of memory; elements move when one is added.
 */
#pragma once
#include "base/array.h"
#include "base/hash.h"

#define INDEXED(type)                    \
	struct {                         \
		type *v;                 \
		size_t n, cap;           \
		struct hash_table index; \
	}

#define indexed_release(a)                 \
	do {                               \
		array_release(a);          \
		hash_release(&(a)->index); \
	} while (0)

/* NOLINTBEGIN(bugprone-macro-parentheses): @e is the name of an element in the expression @is */
#define indexed_find(a, of_hash, e, is)                     \
	({                                                  \
		__typeof__(&*(a)->v) found_ = NULL;         \
		hash_each(i_, &(a)->index, of_hash) {       \
			__typeof__(found_) e = &(a)->v[i_]; \
			if (is) {                           \
				found_ = e;                 \
				break;                      \
			}                                   \
		}                                           \
		found_;                                     \
	})
/* NOLINTEND(bugprone-macro-parentheses) */

/* Several elements may have one key. */
#define indexed_add(a, of_hash, item)                               \
	(array_reserve(a) || hash_add(&(a)->index, of_hash, (a)->n) \
		 ? NULL                                             \
		 : ((a)->v[(a)->n] = (item), &(a)->v[(a)->n++]))

/* The key is the number @member of an element. */
#define indexed_by(a, member, key) indexed_find(a, hash_number((u64)(key)), e_, e_->member == (key))

/* Whether a list of numbers has @v. */
#define indexed_has(a, v) (indexed_find(a, hash_number((u64)(v)), e_, *e_ == (v)) != NULL)

#define indexed_get(a, member, key, item)                                 \
	({                                                                \
		__typeof__(&*(a)->v) known_ = indexed_by(a, member, key); \
		known_ ?: indexed_add(a, hash_number((u64)(key)), item);  \
	})
