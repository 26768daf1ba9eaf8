import { rows, type Table } from '../program.ts'

const ALL_TEXT = 1_000_000

/** Files, texts and the machine itself: coreutils and what is always beside them. */
export const FILES: Table = {
  ...rows(
    'cat tac head tail wc nl cut paste fold fmt expand unexpand comm join column look tsort ptx pr ls dir vdir exa eza lsd pwd basename dirname realpath readlink stat file du df free uptime whoami id groups who w users last uname arch nproc cal seq sleep factor numfmt md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum md5 shasum cmp diff diff3 colordiff od hexdump strings nm objdump readelf size which whereis whatis apropos pgrep ps pidof lscpu lsblk lsusb lspci lsmod vmstat iostat mpstat pstree ss netstat getent locale tty tput clear cloc tokei scc zcat bzcat xzcat zgrep zipinfo zdiff sw_vers getconf ncdu tldr logname lsb_release nvidia-smi csvcut csvgrep csvstat hostid sensors xcode-select pathchk dircolors',
    { does: 'reads' },
  ),
  ...rows('echo true false : test [ expr tr yes', { does: 'reads', text: ALL_TEXT }),
  ...rows('grep egrep fgrep', {
    does: 'reads',
    text: 1,
    valued: '-e -f -m -A -B -C --include --exclude --exclude-dir',
  }),
  rg: {
    does: 'reads',
    text: 1,
    valued: '-e -g -t -T -A -B -C -m --glob --type --max-count --context -f -r --replace --sort',
    options: { '--pre --hostname-bin': 'runs', '-z --search-zip': 'reads' },
  },
  ag: { does: 'reads', text: 1, options: { '--pager': 'runs' } },
  ack: { does: 'reads', text: 1, options: { '--pager --output': 'runs' } },
  ...rows('fd fdfind', {
    does: 'reads',
    text: 1,
    options: { '-x -X --exec --exec-batch': 'runs' },
    valued: '-e -t -E -d',
  }),
  printf: { does: 'reads', text: ALL_TEXT, options: { '-v': 'unknown' } },
  rev: { does: 'reads', decodes: true },
  base64: { does: 'reads', decodes: true, options: { '-o --output': 'writes' } },
  base32: { does: 'reads', decodes: true },
  uudecode: { does: 'writes', decodes: true },
  xxd: { does: 'reads', decodes: true, valued: '-l -s -c -g -o', more: { free: 1, does: 'writes' } },
  uniq: { does: 'reads', valued: '-f -s -w', more: { free: 1, does: 'writes' } },
  sort: {
    does: 'reads',
    valued: '-k -t -T -S --key --field-separator --parallel',
    options: { '-o --output': 'writes', '--compress-program': 'runs' },
  },
  sdiff: { does: 'reads', options: { '-o --output': 'writes', '--diff-program': 'runs' } },
  tree: { does: 'reads', valued: '-L -P -I', options: { '-o': 'writes', '-R': 'writes' } },
  date: { does: 'reads', text: ALL_TEXT, valued: '-d --date -r -f', options: { '-s --set': 'escalates' } },
  hostname: {
    does: 'reads',
    more: { free: 0, does: 'escalates' },
    options: { '-F --file': 'escalates', '-b': 'escalates' },
  },
  dmesg: { does: 'reads', options: { '-C -c --clear --read-clear -D -E -n': 'escalates' } },
  lsof: { does: 'reads', valued: '-i -p -u -c -t' },
  ip: {
    does: 'escalates',
    subcommands: {
      'a addr address r route l link n neigh': {
        does: 'escalates',
        bare: 'reads',
        subcommands: { 'show list ls s get': 'reads' },
      },
    },
  },
  ifconfig: { does: 'reads', more: { free: 1, does: 'escalates' } },
  sysctl: { does: 'reads', options: { '-w --write -p --load --system': 'escalates' } },
  top: { does: 'reads', valued: '-n -d -p -u -o' },
  man: { does: 'reads', text: ALL_TEXT, options: { '-P --pager -H --html -C --config-file': 'runs' } },
  ...rows('info help', { does: 'reads', text: ALL_TEXT }),
  ...rows('less more most bat batcat zless', {
    does: 'reads',
    special: 'pager',
    options: { '-o -O --log-file --LOG-FILE': 'writes', '--pager -k --lesskey-file --lesskey-src': 'runs' },
  }),
  jq: {
    does: 'reads',
    text: 1,
    valued: '--arg --argjson --slurpfile --rawfile --indent',
    options: { '-f --from-file -L': 'reads' },
  },
  yq: { does: 'reads', text: 1, options: { '-i --inplace -s --split-exp': 'writes' } },
  xmllint: { does: 'reads', valued: '--xpath', options: { '-o --output': 'writes', '--shell': 'runs' } },
  split: { does: 'writes' },
  csplit: { does: 'writes' },
  csvlook: { does: 'reads' },
  find: { does: 'reads', special: 'find' },
  sed: { does: 'reads', special: 'sed', text: 1 },
  gsed: { does: 'reads', special: 'sed', text: 1 },
  ...rows('awk gawk mawk nawk', { does: 'reads', special: 'awk', text: 1 }),
  tar: {
    does: 'writes',
    special: 'tar',
    valued: '-f -C --file --directory --exclude',
    instead: { '-t --list': 'reads' },
    options: {
      '--to-command --checkpoint-action -I --use-compress-program -F --info-script --new-volume-script --rsh-command':
        'runs',
    },
  },
  unzip: { does: 'writes', instead: { '-l -p -t -Z -v': 'reads' } },
  ...rows('gzip gunzip bzip2 xz zstd', { does: 'writes', instead: { '-c --stdout -l --list -t --test': 'reads' } }),
  ...rows('zip bunzip2 unxz 7z cpio ar jar', 'writes'),
  ...rows(
    'mkdir touch cp ln install mktemp mkfifo tee rsync sponge patch dos2unix unix2dos truncate fallocate rename',
    'writes',
  ),
  rsync: {
    does: 'writes',
    options: {
      '--delete --delete-after --delete-before --remove-source-files': 'destroys',
      '-e --rsh --rsync-path': 'runs',
    },
  },
  truncate: { does: 'destroys' },
  mv: { does: 'writes' },
  ...rows('rm rmdir unlink shred trash', 'destroys'),
  dd: { does: 'destroys' },
  ...rows('chmod chgrp setfacl chattr', 'writes'),
  ...rows('chown mount umount swapon swapoff modprobe insmod rmmod losetup cryptsetup', 'escalates'),
  ...rows('mkfs mkswap fdisk parted sfdisk wipefs blkdiscard hdparm', { does: 'destroys' }),
  ...rows('kill pkill killall xkill skill', 'destroys'),
  ...rows('shutdown reboot halt poweroff init telinit', 'escalates'),
  ...rows('useradd userdel usermod groupadd groupdel passwd chpasswd visudo adduser deluser chsh gpasswd', 'escalates'),
  ...rows('iptables ip6tables nft ufw firewall-cmd setenforce', 'escalates'),
  systemctl: {
    does: 'escalates',
    subcommands: {
      'status show cat list-units list-unit-files list-timers list-sockets list-jobs list-dependencies is-active is-enabled is-failed get-default':
        'reads',
    },
  },
  journalctl: {
    does: 'reads',
    valued: '-u -n -p -S -U --since --until',
    options: { '--rotate --vacuum-size --vacuum-time --vacuum-files --flush': 'destroys' },
  },
  service: { does: 'escalates' },
  launchctl: { does: 'escalates', subcommands: { 'list print': 'reads' } },
  crontab: { does: 'runs', instead: { '-l': 'reads' } },
  ...rows('pbpaste xclip xsel', { does: 'unknown' }),
  ldd: { does: 'runs' },
  openssl: {
    does: 'unknown',
    decodes: true,
    subcommands: {
      version: 'reads',
      x509: { does: 'reads', options: { '-out': 'writes', '-signkey -CA -key': 'writes' } },
    },
  },
}
