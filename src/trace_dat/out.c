// SPDX-License-Identifier: LGPL-2.1-only
/* Buffered output to a new file, which gets its name when it is complete and synced. */
#include "trace_dat/writer_internal.h"

enum { BUF_SIZE = 1 << 18 };

void trace_dat_out_abort(struct trace_dat_out *out)
{
	if (out->borrowed)
		out->file.fd = -1;
	new_file_close(&out->file);
	free(out->buf);
	*out = (struct trace_dat_out)TRACE_DAT_OUT_INIT;
}

int trace_dat_out_open(struct trace_dat_out *out, const struct out_dest *dest, struct diags *diags)
{
	int why;

	*out = (struct trace_dat_out)TRACE_DAT_OUT_INIT;
	out->buf = malloc(BUF_SIZE);
	if (out->buf && !new_file_open(&out->file, dest))
		return 0;
	why = out->buf ? errno : ENOMEM;
	trace_dat_out_abort(out);
	return diags_error(diags, why == ENOMEM ? HIST_NOMEM : -HIST_EIO, "%s: cannot create: %s",
			   dest->path, strerror(why));
}

int trace_dat_out_borrow(struct trace_dat_out *out, int fd, const char *name)
{
	*out = (struct trace_dat_out)TRACE_DAT_OUT_INIT;
	out->file.fd = fd;
	out->borrowed = true;
	out->file.dest.path = strdup(name);
	out->buf = malloc(BUF_SIZE);
	if (out->file.dest.path && out->buf)
		return 0;
	trace_dat_out_abort(out);
	return HIST_NOMEM;
}

static void write_all(struct trace_dat_out *out, const void *data, size_t n, u64 at)
{
	if (!out->error && !fd_pwrite(out->file.fd, data, n, at))
		out->error = errno;
}

int trace_dat_out_flush(struct trace_dat_out *out)
{
	write_all(out, out->buf, out->used, out->pos - out->used);
	out->used = 0;
	return out->error ? -HIST_EIO : 0;
}

void trace_dat_out_write(struct trace_dat_out *out, const void *data, size_t n)
{
	if (n > BUF_SIZE - out->used)
		trace_dat_out_flush(out);
	if (n >= BUF_SIZE) {
		write_all(out, data, n, out->pos);
	} else if (n) {
		memcpy(out->buf + out->used, data, n);
		out->used += n;
	}
	out->pos += n;
}

void trace_dat_out_align(struct trace_dat_out *out, u64 align)
{
	static const u8 zeros[4096];
	u64 over = out->pos % align;

	for (u64 n = over ? align - over : 0; n; n -= min_t(u64, n, sizeof(zeros)))
		trace_dat_out_write(out, zeros, min_t(u64, n, sizeof(zeros)));
}

void trace_dat_out_patch(struct trace_dat_out *out, u64 pos, const void *data, size_t n)
{
	u64 flushed = out->pos - out->used;

	if (pos < flushed && pos + n > flushed)
		trace_dat_out_flush(out);
	flushed = out->pos - out->used;
	if (pos >= flushed && out->used)
		memcpy(out->buf + (pos - flushed), data, n);
	else
		write_all(out, data, n, pos);
}

void trace_dat_out_copy(struct trace_dat_out *out, struct trace_dat_out *from, u64 pos, u64 n)
{
	trace_dat_out_flush(out);
	if (trace_dat_out_flush(from))
		out->error = out->error ? out->error : from->error;
	while (n && !out->error) {
		ssize_t r = fd_pread(from->file.fd, out->buf, min_t(u64, n, BUF_SIZE), pos);

		if (r <= 0) {
			out->error = r ? errno : EIO;
			break;
		}
		write_all(out, out->buf, (size_t)r, out->pos);
		out->pos += (u64)r;
		pos += (u64)r;
		n -= (u64)r;
	}
}

int trace_dat_out_commit(struct trace_dat_out *out, struct diags *diags)
{
	int err;

	if (!trace_dat_out_flush(out) && !out->borrowed &&
	    (fsync(out->file.fd) || new_file_commit(&out->file)))
		out->error = errno;
	if (!out->error) {
		if (!out->borrowed) /* sync the new name; if this fails, no data is lost */
			fsync(out->file.dest.dir);
		trace_dat_out_abort(out);
		return 0;
	}
	err = diags_error(diags, -HIST_EIO, "%s: cannot write: %s", out->file.dest.path,
			  strerror(out->error));
	trace_dat_out_abort(out);
	return err;
}
