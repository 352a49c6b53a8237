// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The blocks of metadata: located at open, inflated when first needed and kept until the file is
 * closed. A block may inflate at most 256-fold: texts do not reach a tenth of that, and memory must
 * stay in proportion to the file.
 */
#include "trace_dat/internal.h"
#include "trace_dat/kernel_text.h"

enum { TEXT_RATIO = 256, TEXT_FLOOR = 1 << 20, MAX_HEADER_TEXT = 1 << 16 };

static const char *const meta_name[] = {
	"header_page and header_event",
	"formats of the ftrace system",
	"event formats",
	"kallsyms",
	"printk formats",
	"saved command lines",
};

const char *trace_dat_meta_name(unsigned int id)
{
	return meta_name[id - META_FIRST];
}

int trace_dat_inflate_block(const struct trace_dat *td, u64 pos, u64 size, u8 **out, size_t *len)
{
	const struct codec_ops *codec = codec_ops_of(td->info.codec);
	struct bytes b = trace_dat_at(td, pos);
	struct bytes block = bytes_of(b.p, min_t(u64, size, bytes_left(&b)), b.big);
	u32 csize = bytes_u32(&block);
	u32 usize = bytes_u32(&block);
	const u8 *src = bytes_take(&block, csize);
	void *decoder;
	int err = -HIST_EFORMAT;

	if (block.bad || !codec || usize > TEXT_FLOOR + (u64)csize * TEXT_RATIO)
		return -HIST_EFORMAT;
	decoder = codec->decoder_new();
	*out = malloc(usize ? usize : 1);
	*len = usize;
	if (!decoder || !*out)
		err = HIST_NOMEM;
	else
		err = codec->decode(decoder, (struct span){ (const char *)src, csize }, *out,
				    usize);
	codec->decoder_free(decoder);
	if (err) {
		free(*out);
		*out = NULL;
	}
	return err;
}

int trace_dat_meta_body(struct trace_dat *td, unsigned int id, struct bytes *body,
			struct diags *diags)
{
	struct trace_dat_meta *m = trace_dat_meta(td, id);
	int err;

	if (!m->found || !m->compressed) {
		*body = bytes_of(td->map + m->pos, m->found ? m->size : 0, td->info.big_endian);
		return 0;
	}
	if (m->damaged)
		return -HIST_EFORMAT;
	if (!m->inflated) {
		err = trace_dat_inflate_block(td, m->pos, m->size, &m->inflated, &m->len);
		m->damaged = err == -HIST_EFORMAT;
		if (m->damaged)
			return trace_dat_corrupt(td, diags, m->pos, "the %s cannot be inflated",
						 trace_dat_meta_name(id));
		if (err)
			return err;
	}
	*body = bytes_of(m->inflated, m->len, td->info.big_endian);
	return 0;
}

/* The text of a whole section: /proc/modules, BTF. */
static int whole_section(struct trace_dat *td, enum trace_dat_option_id id, struct span *text,
			 struct diags *diags)
{
	struct trace_dat_section_header sh;
	bool found = false;
	u8 *inflated;
	size_t len;
	int err;

	array_each_while(const struct trace_dat_option, o, &td->options, !found) {
		struct bytes b = bytes_of(o->data, o->size, td->info.big_endian);
		u64 offset = o->id == id ? bytes_u64(&b) : 0;

		found = offset && !b.bad && trace_dat_section_header(td, offset, &sh) &&
			sh.id == id;
	}
	if (found && !sh.compressed)
		*text = (struct span){ (const char *)td->map + sh.body, sh.has };
	if (!found || !sh.compressed)
		return 0;
	err = trace_dat_inflate_block(td, sh.body, sh.has, &inflated, &len);
	if (err == -HIST_EFORMAT)
		return trace_dat_corrupt(td, diags, sh.body, "the %s cannot be inflated",
					 id == TRACE_DAT_BTF ? "BTF" : "list of modules");
	if (err)
		return err;
	*text = (struct span){ arena_strndup(&td->arena, (char *)inflated, len), len };
	free(inflated);
	return text->s ? 0 : HIST_NOMEM;
}

int trace_dat_section(struct trace_dat *td, enum trace_dat_option_id id, struct span *text,
		      struct diags *diags)
{
	struct trace_dat_meta *m;
	struct bytes b;
	u64 n;
	int err;

	*text = (struct span){ NULL, 0 };
	if (id == TRACE_DAT_MODULES || id == TRACE_DAT_BTF)
		return whole_section(td, id, text, diags);
	if (id < TRACE_DAT_KALLSYMS || id > TRACE_DAT_CMDLINES)
		return -HIST_EINVAL;
	m = trace_dat_meta(td, id);
	if (!m->found)
		return 0;
	err = trace_dat_meta_body(td, id, &b, diags);
	if (err)
		return err;
	n = id == TRACE_DAT_CMDLINES ? bytes_u64(&b) : bytes_u32(&b);
	if (!b.bad && n <= bytes_left(&b)) {
		*text = (struct span){ (const char *)b.p, n };
		return 0;
	}
	if (m->damaged)
		return -HIST_EFORMAT;
	m->damaged = true;
	return trace_dat_corrupt(td, diags, m->pos, "the %s have a wrong size",
				 trace_dat_meta_name(id));
}

bool trace_dat_subbuf_sane(u64 size)
{
	return size >= MIN_SUBBUF && size <= MAX_SUBBUF && !(size & 3);
}

int trace_dat_header_info(struct trace_dat *td, struct diags *diags)
{
	const struct trace_dat_meta *m = trace_dat_meta(td, TRACE_DAT_HEADER_INFO);
	struct span text;
	struct bytes b;
	const char *s;
	u64 n;
	int err = m->found ? trace_dat_meta_body(td, TRACE_DAT_HEADER_INFO, &b, diags) : 1;

	if (err)
		return err > 0 ? 0 : err;
	s = bytes_str(&b);
	if (!s || strcmp(s, "header_page"))
		return trace_dat_corrupt(td, diags, m->pos, "header_page expected");
	n = bytes_u64(&b);
	text = (struct span){ (const char *)bytes_take(&b, n), n };
	if (b.bad)
		return trace_dat_corrupt(td, diags, m->pos, "header_page has a wrong size");
	if (!text.n)
		return diags_error(
			diags, -HIST_EUNSUPPORTED,
			"%s: was recorded on a kernel before 2.6.31, with another format of the ring buffer",
			td->info.path);
	if (text.n > MAX_HEADER_TEXT)
		return trace_dat_corrupt(td, diags, m->pos, "header_page is %zu bytes long",
					 text.n);
	td->info.header_page = arena_strndup(&td->arena, text.s, text.n);
	if (!td->info.header_page)
		return HIST_NOMEM;
	/* the copy: what follows a NUL would be missing where the text is written again */
	header_page_parse(span_of(td->info.header_page), &td->header_subbuf, &td->info.long_size);
	if (!td->info.long_size)
		return trace_dat_corrupt(td, diags, m->pos,
					 "header_page does not describe the commit field");
	if (!td->header_subbuf)
		return trace_dat_corrupt(td, diags, m->pos,
					 "header_page does not describe a sub-buffer");
	return 0;
}
