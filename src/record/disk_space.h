/* SPDX-License-Identifier: LGPL-2.1-only */
/* Disk space reserved for writing the trace.dat while events are captured. */
#pragma once
#include <pthread.h>

#include "record/workdir.h"

struct reserve {
	int fd;           /* -1: not needed, or not supported by the file system */
	unsigned int per; /* reserve one byte for this many bytes of events */
	u64 rest;         /* part of @size for the data of the file that is not events */
	u64 size;
	u64 margin;            /* bytes that no allocation takes: a file is written meanwhile */
	pthread_mutex_t mutex; /* protects size and all allocations */
};

/* Reserve @rest bytes in @w. @compress: the trace.dat will be compressed. */
int reserve_open(struct reserve *reserve, const struct workdir *w, u64 rest, bool compress,
		 struct diags *diags);
void reserve_close(struct reserve *reserve);

/*
 * Allocate @n bytes of the file @out at @at, and reserve what their output needs; all or nothing.
 * Return: 0, -1 with errno
 */
int reserve_allocate(struct reserve *reserve, int out, u64 at, u64 n);

/*
 * A file is written meanwhile: release ->rest, then what @n bytes of events need when they are
 * written, and reserve ->rest again for the next file.
 */
void reserve_release_rest(struct reserve *reserve);
void reserve_spend(struct reserve *reserve, u64 n);
void reserve_restore_rest(struct reserve *reserve, u64 rest);

/* Whether an error means that no space is left. */
bool disk_is_full(int err);
