#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist-recipes(7) is generated from the headers of the recipes.
. tests/cli/lib.sh

have perl || skip_all 'no perl'
it 'hist-recipes(7) is up to date (.ci/recipes-man >man/hist-recipes.7)'
run .ci/recipes-man
status_is 0
stdout_is_file man/hist-recipes.7
done_testing
