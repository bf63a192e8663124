# Runs a command that can open nothing but the given files and folders, by Landlock: no privileges, no build step.
# In Perl, because Node cannot make these system calls, and every Debian and Ubuntu has Perl (perl-base is essential).
#
#   perl confine.pl [read=PATH | write=PATH | bind=PORT]… -- COMMAND ARGUMENT…
#   perl confine.pl --check        exits with 0 if this system can confine; otherwise it prints the reason
#
# On a system that cannot confine it the command runs all the same: the callers warn (confinement.ts).
use strict;
use warnings;
use Errno qw(ENOENT ENOTDIR EACCES);
use POSIX ();

# Numbers of system calls: the same on x64 and arm64, except prctl.
my ($CREATE_RULESET, $ADD_RULE, $RESTRICT_SELF) = (444, 445, 446);
my $PRCTL = (POSIX::uname())[4] eq 'aarch64' ? 167 : 157;
my $SET_NO_NEW_PRIVS = 38;
my $O_PATH = 0x200000;

# LANDLOCK_ACCESS_FS: execute 0, write_file 1, read_file 2, read_dir 3, remove_dir 4, remove_file 5, make_char 6,
# make_dir 7, make_reg 8, make_sock 9, make_fifo 10, make_block 11, make_sym 12, refer 13, truncate 14, ioctl_dev 15.
my $READ = bits(0, 2, 3);
my $WRITE = bits(1, 2, 3, 4, 5, 7, 8, 12, 13, 14);
my $OF_FILES = bits(0, 1, 2, 14);

sub bits {
  my $sum = 0;
  $sum |= 1 << $_ for @_;
  return $sum;
}

sub version {
  my $version = syscall($CREATE_RULESET, 0, 0, 1);
  die "this kernel has no Landlock ($!)\n" if $version < 0;
  # Version 1 forbids hard links between folders, which the engine makes.
  die "Landlock has version 1 here; version 2 is needed (Linux 5.19)\n" if $version < 2;
  return $version;
}

sub confine {
  my @rules = @_;
  my $version = version();
  my $handled = bits(0 .. 13, $version >= 3 ? 14 : (), $version >= 5 ? 15 : ());
  my $attribute = pack('Q', $handled);
  # Ports: bind 0, connect 1. Scopes: abstract sockets 0, signals 1.
  $attribute .= pack('Q', bits(0, 1)) if $version >= 4;
  $attribute .= pack('Q', bits(0, 1)) if $version >= 6;
  my $ruleset = syscall($CREATE_RULESET, $attribute, length $attribute, 0);
  die "landlock_create_ruleset: $!\n" if $ruleset < 0;
  for my $rule (@rules) {
    my ($kind, $value) = $rule =~ /^(read|write|bind)=(.+)$/s or die "unknown rule $rule\n";
    if ($kind eq 'bind') {
      next if $version < 4;
      my $port = pack('QQ', bits(0), $value);
      syscall($ADD_RULE, $ruleset, 2, $port, 0) == 0 or die "landlock_add_rule for port $value: $!\n";
      next;
    }
    my $file;
    if (!sysopen($file, $value, $O_PATH)) {
      next if $! == ENOENT || $! == ENOTDIR || $! == EACCES;
      die "$value: $!\n";
    }
    my $access = $handled & ($kind eq 'write' ? $WRITE : $READ);
    $access &= $OF_FILES unless -d $file;
    my $beneath = pack('Ql', $access, fileno $file);
    syscall($ADD_RULE, $ruleset, 1, $beneath, 0) == 0 or die "landlock_add_rule for $value: $!\n";
  }
  syscall($PRCTL, $SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 or die "no_new_privs: $!\n";
  syscall($RESTRICT_SELF, $ruleset, 0) == 0 or die "landlock_restrict_self: $!\n";
}

if (@ARGV == 1 && $ARGV[0] eq '--check') {
  exit 0 if eval { version() };
  print $@;
  exit 1;
}
my @rules;
push @rules, shift @ARGV while @ARGV && $ARGV[0] ne '--';
shift @ARGV;
eval { confine(@rules); 1 } or print STDERR "the command is not confined: $@";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
