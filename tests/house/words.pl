#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# tests/house/words.pl FILE...
#
# Prints the lines of messages, comments and pages with words that CONTRIBUTING.md asks to avoid, as
# FILE:LINE: WORDS: TEXT. Exit status 1 if there are any.
#
# C files: only comments and string literals are checked; scripts: only comments; manual pages and
# Markdown: everything except examples. Text in quotation marks is not checked, because it may be
# the kernel's.

use strict;
use warnings;

my $noun = qr/(?:list|number|time|pid|file|event|field|key|row|column|result|recording|trigger|
		 plugin|script|pointer|power|text|stack|histogram|verb|map|regular|plain|whole)/x;

# The words to avoid, and their replacements.
my @avoid = (
	[ qr/\bbehind\b/, 'after, following' ],
	[ qr/\b(?:some|no|any|every)body\b/, 'a caller, an observer' ],
	[ qr/\blooks? on\b/, 'observes' ],
	[ qr/\bis no (?:$noun)\b/, 'is not a' ],
	[ qr/\bwhat is (?:no|none)\b/, 'a ... that is not' ],
	[ qr/\bstands? (?:in|at|above|below|before|on)\b/, 'is in' ],
	[ qr/\b(?:is|are|was|were) (?:said|told)\b/, 'is reported' ],
	[ qr/\b(?:says|tells) (?:so|it|of|what|which|whether|how|where|why)\b/, 'reports, is' ],
	[ qr/\b(?:second|last|first) one counts\b/, 'wins, is used' ],
	[ qr/\bholds? (?:against|what|text|the text)\b/, 'compares, contains' ],
	[ qr/\bwants? to know\b/, 'needs' ],
	[ qr/\bfor who\b/, 'for callers that' ],
	[ qr{\bof (?:a few|those|these): }, 'subject, verb, object' ],
	[ qr/\bEnters:|\bLeaves:/, 'what the file is for' ],
	[ qr/\bwithout memory\b/, 'if out of memory' ],
	[ qr/\bbeside (?:it|that|what|ours?)\b/, 'next to, besides' ],
	[ qr/\bas well as can be\b|\ball the same\b/, 'nevertheless, still' ],
	
);

my $found = 0;

sub check {
	my ($file, $line, $text) = @_;

	$text =~ s/"[^"]*"|`[^`]*`|'[^']{2,}'(?!\w)/""/g;
	for my $rule (@avoid) {
		my ($pattern, $instead) = @$rule;

		next unless $text =~ /($pattern)/i;
		my $words = $1;
		my $at = $line + (substr($text, 0, $-[0]) =~ tr/\n//);

		(my $shown = (split /\n/, substr($text, $-[0]))[0] // '') =~ s/^\s+//;
		print "$file:$at: \"$words\" ($instead): ", substr($shown, 0, 70), "\n";
		$found = 1;
	}
}

# Check comments, and string literals with at least two words.
sub check_c {
	my ($file, $text) = @_;

	while ($text =~ m{(/\*.*?\*/)|("(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*)|'(?:\\.|[^'\\\n])*'}gs) {
		my ($comment, $string) = ($1, $2);
		my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);

		check($file, $line, $comment) if defined $comment;
		if (defined $string && $string =~ /\w \w/) {
			$string =~ s/"(\s*)"/$1/g;
			$string =~ s/^"|"$//g;
			$string =~ s/\\"[^"]*\\"/x/g;
			check($file, $line, $string);
		}
	}
}

sub check_lines {
	my ($file, $text, $wanted) = @_;
	my ($number, $example) = (0, 0);

	for my $line (split /\n/, $text) {
		$number++;
		$example = !$example if $line =~ /^```/;
		$example = 1 if $line =~ /^\.(?:EX|nf)\b/;
		$example = 0 if $line =~ /^\.(?:EE|fi)\b/;
		next if $example || $line !~ $wanted;
		$line =~ s/^\.[BI][RBI]? //;
		check($file, $number, $line);
	}
}

for my $file (@ARGV) {
	open(my $in, '<', $file) or die "$file: $!\n";
	my $text = do { local $/; <$in> };

	if ($file =~ /\.[ch]$/) {
		check_c($file, $text);
	} elsif ($file =~ /\.(?:[1357]|md)$/) {
		check_lines($file, $text, qr/^(?!\.\\"|    )/);
	} else {
		check_lines($file, $text, qr/^\s*#/);
	}
}
exit $found;
