// SPDX-License-Identifier: LGPL-2.1-only
/* The words for the states of tasks, from the print fmt of sched_switch. */
#include "derive/sched_tasks.h"

static const struct derive_comm *state_word(char letter)
{
	static const struct derive_comm other = { "other" };
	static const struct {
		char letter;
		struct derive_comm word;
	} words[] = {
		{ 'D', { "disk" } }, { 'T', { "stopped" } }, { 't', { "traced" } },
		{ 'I', { "idle" } }, { 'P', { "parked" } },  { 'K', { "disk" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].letter == letter)
			return &words[i].word;
	return letter == 'S' ? &sched_sleeping : strchr("XZx", letter) ? &sched_dead : &other;
}

void sched_read_states(struct sched *s, const char *fmt)
{
	static const char usual[] = "{ 0x01, \"S\" }, { 0x02, \"D\" }, { 0x04, \"T\" }, "
				    "{ 0x08, \"t\" }, { 0x10, \"X\" }, { 0x20, \"Z\" }, "
				    "{ 0x40, \"P\" }, { 0x80, \"I\" }";

	if (!fmt || !strstr(fmt, "\"S\""))
		fmt = usual;
	while ((fmt = strchr(fmt, '{')) && s->n_blocked < ARRAY_SIZE(s->blocked)) {
		char *end;
		u64 bit = strtoull(++fmt, &end, 0);

		if (bit && end[0] == ',' && end[1] == ' ' && end[2] == '"' && end[3] &&
		    end[4] == '"') {
			s->any_blocked |= bit;
			s->blocked[s->n_blocked].bit = bit;
			s->blocked[s->n_blocked++].word = state_word(end[3]);
		}
	}
}

const struct derive_comm *sched_blocked_word(const struct sched *s, u64 state)
{
	for (size_t i = 0; i < s->n_blocked && state & s->any_blocked; i++)
		if (state & s->blocked[i].bit)
			return s->blocked[i].word;
	return NULL;
}
