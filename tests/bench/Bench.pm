# SPDX-License-Identifier: GPL-2.0-only
# What the programs of this folder share: their recordings, and how a command is measured.
#
# Environment:
#   BENCH_EVENTS   events of a recording (10 million)
#   BENCH_ROUNDS   rounds (5); the medians are printed
#   BENCH_DIR      the recordings (BUILD/bench/data; 6 GB)
#   BENCH_CASES    regular expression; only the cases that match
#   BENCH_DUCKDB   a directory in which `npm install @duckdb/node-api` was run
#   BENCH_FIFO=1   as root: measured commands have a real-time priority, so that other work of the
#                  machine disturbs less. Other work gets only 5 % of a second that it has waited.
package Bench;
use strict;
use warnings;
use Exporter 'import';
use POSIX qw(:sys_wait_h);
use Time::HiRes qw(time usleep);

our @EXPORT = qw($hist $build $events $tenth $rounds $dir file part selected timed rounds_of median
	memory instructions row heading skip failed wakeup_script);

our $build = $ENV{BUILD} || 'build';
our $hist = $ENV{HIST} || './hist';
our $events = $ENV{BENCH_EVENTS} || 10_000_000;
our $tenth = int($events / 10);
our $rounds = $ENV{BENCH_ROUNDS} || 5;
our $dir = $ENV{BENCH_DIR} || "$build/bench/data";
my $only = $ENV{BENCH_CASES} || '.';
my $failed = 0;

$hist = "./$hist" if $hist !~ m{/};	# run the built program, not one in PATH
$| = 1;
system('mkdir', '-p', $dir) == 0 or exit 2;

sub selected { return $_[0] =~ /$only/ }

# Report a failure, and let the program fail at its end.
sub failed {
	my ($what) = @_;

	print STDERR "failed: $what\n" if defined $what;
	$failed = 1 if defined $what;
	return $failed;
}

sub skip { print "\nskipped: $_[0]\n" }

# --- recordings ---

my %how = (
	v7 => [qw(mix none 7)], v6 => [qw(mix none 6)], zlib => [qw(mix zlib 7)], zstd => [qw(mix zstd 7)],
	keys => [qw(keys none 7)], many => [qw(manykeys none 7)], wakeup => [qw(wakeup none 7)],
	'wakeup-zstd' => [qw(wakeup zstd 7)], one => [qw(mix zstd 7 1)], sched => [qw(sched none 7)],
	small => [qw(mix zstd 7)],
);

sub recording {
	my ($name, $n) = @_;
	my $path = "$dir/$name-$n.dat";

	return $path if -s $path;
	print STDERR "making $path\n";
	system("$build/bench/make_recording", "$path.tmp", $n, @{$how{$name}}) == 0 or exit 2;
	rename "$path.tmp", $path or exit 2;
	return $path;
}

# The recording with this name; of a tenth of the events, or of any other number.
sub file { return recording($_[0], $events) }
sub part { return recording($_[0], $_[1] || $tenth) }

# A script that counts latencies from @waking to the switch, by task and power of two.
sub wakeup_script {
	my ($waking) = @_;
	my $path = "$dir/$waking.script";

	open my $f, '>', $path or die;
	print $f <<"END";
echo 'wakeup_latency u64 lat; pid_t pid; char comm[16]' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> events/sched/$waking/trigger
echo 'hist:keys=next_pid:lat=common_timestamp.usecs-\$ts0:onmatch(sched.$waking).wakeup_latency(\$lat,next_pid,next_comm)' >> events/sched/sched_switch/trigger
echo 'hist:keys=comm,lat.log2:sort=lat' >> events/synthetic/wakeup_latency/trigger
cat events/synthetic/wakeup_latency/hist
END
	close $f;
	return $path;
}

# --- measuring ---

sub start {
	my ($command) = @_;
	my $pid = fork // die;

	return $pid if $pid;
	open STDOUT, '>', '/dev/null';
	exec '/bin/sh', '-c', $command =~ /[|;]/ ? $command : "exec $command";
	exit 127;
}

sub real_time {
	my @policy = @_;

	system('chrt', @policy, '-p', $policy[0] eq '-f' ? 1 : 0, $$) == 0 or exit 2 if $ENV{BENCH_FIFO};
}

# Seconds that a command takes.
sub timed {
	my ($command) = @_;

	real_time('-f');	# a child inherits it
	my $start = time;
	my $pid = start($command);
	waitpid $pid, 0;
	my ($took, $status) = (time - $start, $?);
	real_time('-o');
	failed($command) if $status;
	return $took;
}

# Seconds of each command in each round; the commands take turns.
sub rounds_of {
	my (@commands) = @_;
	my @times;

	for (1 .. $rounds) {
		push @{$times[$_]}, timed($commands[$_]) for 0 .. $#commands;
	}
	return @times;
}

sub median {
	my @sorted = sort { $a <=> $b } @_;

	return $sorted[$#sorted / 2];
}

# Peak, in MiB, of the memory that is not mapped from files.
sub memory {
	my ($command) = @_;
	my $pid = start($command);
	my $peak = 0;

	while (waitpid($pid, WNOHANG) == 0) {
		if (open my $f, '<', "/proc/$pid/status") {
			my ($kb) = join('', <$f>) =~ /^RssAnon:\s+(\d+)/m;
			$peak = $kb if $kb && $kb > $peak;
		}
		usleep(1000);
	}
	return $peak / 1024;
}

# Instructions of a command for each of the events of a tenth.
sub instructions {
	my ($command) = @_;
	my $out = `valgrind --tool=callgrind --callgrind-out-file=/dev/null $command 2>&1 >/dev/null`;

	return $out =~ /Collected : (\d+)/ ? $1 / $tenth : 0;
}

# --- tables, as README contains them ---

sub row { print '| ', join(' | ', @_), " |\n" }

sub heading {
	print "\n";
	row(@_);
	print '|', '---|' x @_, "\n";
}

1;
