/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * lang: cuts text into pieces.
 *
 * The user's text is cut where the kernel cuts it, but nothing is bound: no event, field or
 * variable is looked up. Cutting never fails. A malformed piece becomes a piece with a
 * complaint, and bind reports the complaint when it reaches that piece, because the kernel binds
 * while it cuts and reports the first error that it finds.
 */
#pragma once
#include "lang/script.h"
#include "lang/action_text.h"
#include "lang/filter_text.h"
#include "lang/synth_text.h"
#include "lang/probe_text.h"
