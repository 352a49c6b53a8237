#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# tests/house/files.pl FILE...
#
# Prints the comments of C files that name a file x.c or x.h that is not among src, plugins and
# tests, as FILE:LINE: NAME. Exit status 1 if there are any. Comments about the kernel are not
# checked: those with "kernel", "correspond" or "Source:".

use strict;
use warnings;

my %known = map { $_ => 1 } qw(ansidecl.h lzma.h debuginfod.h codec_NAME.c);
my $found = 0;

for my $path (split /\n/, `find src plugins tests -name '*.[ch]'`) {
	$known{ $path =~ s{.*/}{}r } = 1;
}
for my $file (@ARGV) {
	open(my $in, '<', $file) or die "$file: $!\n";
	my $text = do { local $/; <$in> };

	while ($text =~ m{(/\*.*?\*/)|"(?:\\.|[^"\\\n])*"}gs) {
		my ($comment, $start) = ($1, $-[0]);

		next if !defined $comment || $comment =~ /kernel|corresponds?|source:/i;
		while ($comment =~ m{\b([\w-]+\.[ch])\b}g) {
			next if $known{$1};
			print "$file:", 1 + (substr($text, 0, $start + $-[0]) =~ tr/\n//), ": $1\n";
			$found = 1;
		}
	}
}
exit $found;
