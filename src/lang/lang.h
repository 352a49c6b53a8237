/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * lang: text to pieces.
 *
 * Cuts what the user wrote where the kernel cuts it and binds nothing: no event, field or
 * variable is looked up here. Cutting never fails. A malformed piece becomes a piece with
 * a complaint, and bind reports it when it comes to that piece, because the kernel
 * reports the first thing that it stumbles over and it binds while it cuts.
 */
#ifndef HIST_LANG_LANG_H
#define HIST_LANG_LANG_H

#include "lang/complaint.h"
#include "lang/script.h"
#include "lang/trigger_text.h"
#include "lang/expr.h"
#include "lang/action_text.h"
#include "lang/filter_text.h"
#include "lang/synth_text.h"
#include "lang/probe_text.h"

#endif
