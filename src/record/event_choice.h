/* SPDX-License-Identifier: LGPL-2.1-only */
/* The events of this machine that a plan selects. */
#pragma once
#include "record/record.h"

struct event_name {
	const char *system, *name;
};

/* The events of the kernel. */
struct event_list {
	struct arena arena;
	ARRAY(struct event_name) all;
};

#define EVENT_LIST_INIT                \
	{                              \
		ARENA_INIT, ARRAY_INIT \
	}

/* Parse the text of available_events: lines SYSTEM:NAME. */
int event_list_parse(struct event_list *list, struct span text);
/* Read the events of this machine. Return: 0 or a negative code, with a diagnosis in @diags. */
int event_list_read(struct event_list *list, struct diags *diags);
void event_list_release(struct event_list *list);

/* One event to record. */
struct selected_event {
	const char *system, *name; /* borrowed from the list */
	const char *filter;        /* borrowed from the plan; NULL: none */
	bool try_filter;           /* without it if the kernel refuses it */
	bool stack;
	bool by_name; /* requested by its own name, not by a pattern */
};

struct selection {
	ARRAY(struct selected_event) events; /* sorted by system and name, without duplicates */
	/* ftrace:print, which is not in available_events, was requested or excluded */
	bool markers, no_markers;
};

#define SELECTION_INIT                   \
	{                                \
		ARRAY_INIT, false, false \
	}

/**
 * selection_make() - apply the requests of a plan in order
 *
 * Return: 0; -HIST_ENOENT with the nearest names, -HIST_EINVAL if a name is ambiguous,
 *         -HIST_ENOMEM
 */
int selection_make(struct selection *sel, const struct event_list *list,
		   const struct record_event *requests, size_t n, struct diags *diags);
void selection_release(struct selection *sel);

/* Whether an event is selected; @name NULL: any of the system. */
bool selection_has(const struct selection *sel, const char *system, const char *name);
