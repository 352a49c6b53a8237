/* SPDX-License-Identifier: LGPL-2.1-only */
/* Access to the tracing directory of this machine, through libtracefs. */
#pragma once
#include "trace_dat/trace_dat.h"

struct tracefs_instance;

/**
 * tracedir_open() - find tracefs, mount it if needed
 * @mounted: set to the mount point, which the caller unmounts at the end and frees; set to NULL if
 *           it was mounted already. NULL: do not mount, and do not report an error.
 *
 * Return: 0, -HIST_ENOENT, -HIST_EIO with a remedy
 */
int tracedir_open(char **mounted, struct diags *diags);

/* Read any file; NULL with errno. The caller frees the text. */
char *file_read(const char *path, size_t *n);

/* Read a file of @instance (NULL: the top level); NULL with errno. The caller frees the text. */
char *tracedir_read(struct tracefs_instance *instance, const char *file, size_t *n);

/* The text of the statistics of @cpu's buffer. */
char *tracedir_stats(struct tracefs_instance *instance, u32 cpu);

/* Open trace_pipe_raw of @cpu, to be read without waiting; -1 with errno. @diags: or NULL */
int tracedir_raw_open(struct tracefs_instance *instance, u32 cpu, struct diags *diags);

/**
 * tracedir_raw_read() - read the rest of a sub-buffer of @size bytes, of which there are *@have
 *
 * kernel: all of it leaves the buffer with its first byte, and the next read() continues it.
 *
 * Return: 1; 0 if the buffer is empty; -1 with errno, @have: what has arrived
 */
int tracedir_raw_read(int raw, void *page, size_t size, size_t *have);

/* Write or append @text; 0 or -1 with errno. */
int tracedir_write(struct tracefs_instance *instance, const char *file, const char *text);
int tracedir_append(struct tracefs_instance *instance, const char *file, const char *text);

/* The same unless this kernel does not have @file. */
int tracedir_write_if(struct tracefs_instance *instance, const char *file, const char *text);

/**
 * tracedir_error() - report why tracefs refused an operation, with a remedy
 * @doing: the operation, such as "cannot create an instance"
 * @err:   errno
 *
 * Return: -HIST_EIO
 */
int tracedir_error(struct diags *diags, int err, const char *doing, const char *file);

/* 1 or 0; -1 with errno if it cannot be determined. */
int tracedir_has_instance(const char *name);

/* Remove an instance; waits briefly if it is still in use. 0 or -1 with errno. */
int tracedir_rmdir_instance(const char *name);

/* --- why the kernel rejected a write, in its words --- */

/**
 * error_log_last() - parse the last entry of an error_log
 * @pos: position of the caret in @command
 *
 * Return: whether there is an entry (before 5.2 there is no such file); the results are spans of
 *         @text
 */
bool error_log_last(struct span text, struct span *message, struct span *command,
		    unsigned int *pos);

enum refusal { REFUSAL_NONE, REFUSAL_FIELD, REFUSAL_OTHER };

/* Whether the last entry is about @text, and whether an event lacks a field of a filter. */
enum refusal error_log_find(struct tracefs_instance *instance, const char *text);

/**
 * error_log_report() - report why @text was refused, with the kernel's caret
 * @instance: the instance with the error_log; NULL: the top level
 * @what:     start of the message
 *
 * Return: -HIST_EREJECTED
 */
int error_log_report(struct tracefs_instance *instance, const char *what, const char *text,
		     struct diags *diags);

/* --- the contents of small files --- */

/* Read the counters of @cpu's ring buffer; false: they cannot be read, and are 0. */
bool ring_stats_read(struct tracefs_instance *instance, u32 cpu, struct ring_stats *stats);

/* Whether @clock is in the text of trace_clock. */
bool clock_offered(struct span text, const char *clock);

/* Whether symbols may be needed: a field of this format can contain an address. */
bool format_has_address(struct span text);

/*
 * --- process ids ---
 *
 * tracefs only uses the ids of the initial namespace, and its instances are visible from all
 * namespaces: a process in a container has another id there, and its own id is that of another
 * process. A namespace is identified by the inode of /proc/self/ns/pid.
 */

/* Whether process ids here are those of the kernel; true if that cannot be determined. */
bool pid_namespace_is_initial(void);

/* Whether paths of cgroups here are those of the kernel; true if that cannot be determined. */
bool cgroup_namespace_is_initial(void);

/*
 * Append an id of this process that is unique on the machine: "PID", or "PID.NAMESPACE" in a
 * container.
 */
void pid_namespace_add_id(struct strbuf *sb);

/* Whether @id was made by a process of this namespace that has ended. */
bool pid_namespace_id_is_dead(struct span id);
