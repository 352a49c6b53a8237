// SPDX-License-Identifier: LGPL-2.1-only
/* The texts of answers about tasks. */
#include "event/event.h"
#include "program/who.h"

const char *who_text(const struct who_texts *texts, enum who_what what, u64 answer,
		     char buf[static WHO_TEXT_MAX])
{
	const s32 pid = (s32)(u32)answer;
	const char *saved;

	if (texts && answer < texts->n)
		return texts->v[answer];
	if (texts && answer >> 32 == WHO_SAVED >> 32) {
		saved = event_saved_comm(texts->db, pid);
		saved = saved ? saved : "<...>";
		if (what == WHO_CMDLINE)
			snprintf(buf, WHO_TEXT_MAX, "[%s]", saved);
		else
			snprintf(buf, WHO_TEXT_MAX, "%s-%d", saved, pid);
		return buf;
	}
	if (what == WHO_CGROUP)
		return "?";
	snprintf(buf, WHO_TEXT_MAX, "? (thread %d)", pid);
	return buf;
}
