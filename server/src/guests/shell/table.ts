import { FILES } from './programs/files.ts'
import { PACKAGES } from './programs/packages.ts'
import { SERVICES } from './programs/services.ts'
import { type Program, rows, type Table } from './program.ts'

const TEXTS =
  '-n --max-count -S -G -L --author --since --until --after --before --grep --format --pretty --date -U --unified --diff-filter -l'

const shows: Program = { does: 'reads', valued: TEXTS, options: { '--output': 'writes', '--ext-diff': 'runs' } }
const lists = (names: string, does: 'writes' | 'destroys' = 'writes'): Program => ({
  does,
  bare: 'reads',
  subcommands: { [names]: 'reads' },
})

/** Git by subcommand. Fetching changes the repository too; pushing reaches others. */
const GIT: Table = {
  git: {
    does: 'unknown',
    special: 'git',
    valued: '-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source',
    options: { '-c --config-env --exec-path': 'runs', '-p --paginate': 'reads' },
    subcommands: {
      'status log show diff blame annotate shortlog describe rev-parse rev-list ls-files ls-tree cat-file diff-tree diff-index diff-files merge-base name-rev show-ref for-each-ref count-objects whatchanged cherry range-diff var version help check-ignore check-attr show-branch verify-commit verify-tag fsck':
        shows,
      grep: {
        does: 'reads',
        text: 1,
        valued: '-e -A -B -C -m',
        options: { '-O --open-files-in-pager': 'runs', '--ext-grep': 'runs' },
      },
      branch: {
        does: 'reads',
        valued: '--format --sort --contains --merged --no-merged --points-at --no-contains',
        more: { free: 0, does: 'writes' },
        instead: { '-l --list': 'reads' },
        options: {
          '-d -D --delete': 'destroys',
          '-m -M --move -c -C --copy -u --set-upstream-to --unset-upstream -t --track -f --force --edit-description --create-reflog':
            'writes',
        },
      },
      tag: {
        does: 'reads',
        more: { free: 0, does: 'writes' },
        valued: '--format --sort --contains --merged --points-at',
        instead: { '-l --list -n': 'reads' },
        options: { '-d --delete': 'destroys', '-a -s -m -f -F --annotate --sign --force --message -u': 'writes' },
      },
      remote: { does: 'writes', bare: 'reads', subcommands: { 'show get-url': 'fetches' } },
      stash: { does: 'writes', bare: 'writes', subcommands: { 'list show': shows, 'drop clear': 'destroys' } },
      config: {
        does: 'reads',
        valued: '-f --file --blob --type --default',
        more: { free: 1, does: 'writes' },
        instead: { '--get --get-all --get-regexp --get-urlmatch -l --list': 'reads' },
        options: {
          '--add --replace-all --unset --unset-all --rename-section --remove-section -e --edit --set': 'writes',
        },
        subcommands: { 'get list': 'reads', 'set unset edit': 'writes' },
      },
      reflog: { ...lists('show exists list'), valued: TEXTS },
      worktree: lists('list'),
      submodule: {
        does: 'writes',
        bare: 'reads',
        subcommands: { 'status summary': 'reads', foreach: { does: 'runs', carries: 'code' } },
      },
      notes: lists('list show'),
      bisect: {
        does: 'writes',
        bare: 'reads',
        subcommands: { 'log view visualize': 'reads', run: { does: 'runs', carries: 'command' } },
      },
      'ls-remote': { does: 'fetches', options: { '--upload-pack --exec -o --server-option': 'runs' } },
      archive: { does: 'writes', options: { '--exec --remote': 'runs' } },
      bundle: { does: 'writes', subcommands: { 'verify list-heads': 'reads' } },
      lfs: { does: 'unknown', subcommands: { 'ls-files status env version': 'reads' } },
      'fetch pull clone': { does: 'writes', options: { '--upload-pack -u --config -c --exec': 'runs' } },
      'add commit merge rebase cherry-pick revert am apply mv init switch restore-index update-index write-tree commit-tree read-tree update-ref symbolic-ref hash-object gc repack prune-packed pack-refs maintenance sparse-checkout format-patch rerere replace':
        'writes',
      'difftool mergetool filter-branch filter-repo daemon instaweb send-email credential': 'runs',
      'checkout restore reset clean rm prune': 'destroys',
      push: {
        does: 'sends',
        options: {
          '-f --force --force-with-lease --delete -d --mirror --prune': 'destroys',
          '--exec --receive-pack': 'runs',
        },
      },
    },
    bare: 'reads',
  },
  hg: { does: 'unknown', subcommands: { 'status log diff summary branches tags cat annotate': 'reads' } },
  svn: { does: 'unknown', subcommands: { 'status log diff info list cat blame': { does: 'fetches' } } },
}

/** Programs that reach other machines. A plain fetch is a read; anything that sends data out or writes a file is not. */
const NETWORK: Table = {
  curl: {
    does: 'fetches',
    valued:
      '-H --header -A --user-agent -e --referer -m --max-time --connect-timeout --retry --retry-delay --retry-max-time -w --write-out --max-redirs -r --range --url --cacert --limit-rate',
    plain:
      '-s --silent -S --show-error -L --location -f --fail --fail-with-body -i --include -I --head -v --verbose -k --insecure -g --globoff -N --no-buffer -4 -6 --ipv4 --ipv6 --compressed --http1.1 --http2 --http3 -G --get -# --progress-bar --no-progress-meter --tlsv1.2 --tlsv1.3 -V --version -h --help --retry-connrefused --retry-all-errors -sS -sSL -fsSL',
    options: {
      '-o --output -O --remote-name --remote-name-all --output-dir -J --remote-header-name -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --etag-save --libcurl --hsts --alt-svc --create-dirs -C --continue-at -R --remote-time':
        'writes',
      '-d --data --data-raw --data-binary --data-urlencode --data-ascii --json -F --form --form-string -T --upload-file -X --request -u --user -b --cookie --oauth2-bearer -n --netrc --netrc-file --netrc-optional -E --cert --key -Q --quote -t --telnet-option --mail-from --mail-rcpt -a --append --url-query --aws-sigv4':
        'sends',
      '-K --config -x --proxy --socks5 --socks4 --preproxy --unix-socket --abstract-unix-socket --resolve --connect-to --interface --dns-servers --doh-url':
        'unknown',
    },
  },
  wget: {
    does: 'writes',
    instead: { '-O=- --output-document=- --spider': 'fetches' },
    options: {
      '--post-data --post-file --method --body-data --body-file --user --password': 'sends',
      '--use-askpass -e --execute --config --ca-certificate': 'runs',
    },
    valued: '-O --output-document -t -T --timeout --tries -U --user-agent',
  },
  ...rows('http https xh httpie aria2c lynx w3m links elinks', 'sends'),
  ...rows('ping ping6', {
    does: 'fetches',
    valued: '-c -W -w -i -t -s -I -m -p --pattern',
    options: { '-f': 'unknown', '-p --pattern': 'sends' },
  }),
  ...rows('dig nslookup host traceroute tracepath mtr whois', {
    does: 'fetches',
    valued: '-c -W -w -i -t -s -I -p -m',
    options: { '-f': 'unknown' },
  }),
  ...rows(
    'nc ncat netcat socat telnet ftp sftp lftp tftp scp rcp rsh rlogin mosh nmap masscan mail mailx sendmail mutt swaks ngrok cloudflared localtunnel lt',
    'sends',
  ),
  ssh: { does: 'sends' },
  ...rows(
    'ssh-keygen ssh-copy-id ssh-add ssh-agent gpg gpg2 age sops pass op vault security secret-tool keyctl',
    'unknown',
  ),
  ...rows('open xdg-open start explorer', 'runs'),
  gh: {
    does: 'sends',
    subcommands: {
      'pr issue': { does: 'sends', subcommands: { 'list view status checks diff ls': 'fetches' } },
      'run workflow release repo gist label cache ruleset': {
        does: 'sends',
        subcommands: { 'list view ls': 'fetches' },
      },
      search: { does: 'fetches' },
      auth: { does: 'sends', subcommands: { status: { does: 'fetches', options: { '-t --show-token': 'unknown' } } } },
      'status version help': 'fetches',
      api: {
        does: 'fetches',
        valued: '-q --jq -t --template --cache -p --preview',
        plain: '-i --include --paginate --silent --slurp',
      },
    },
  },
  glab: {
    does: 'sends',
    subcommands: {
      'mr issue ci repo release': { does: 'sends', subcommands: { 'list view status diff ls': 'fetches' } },
    },
  },
}

const ALL_TEXT = 1_000_000

/** Shell builtins. */
const BUILTINS: Table = {
  ...rows(
    'cd pushd popd dirs exit return break continue shift wait times ulimit umask jobs fg bg disown suspend logout',
    'reads',
  ),
  ...rows('let local read mapfile readarray getopts unset readonly', {
    does: 'reads',
    special: 'variables',
    text: ALL_TEXT,
  }),
  ...rows('export declare typeset', { does: 'reads', special: 'variables', text: ALL_TEXT }),
  set: {
    does: 'unknown',
    plain: '-e -u -x -o -f -n -v +e +u +x -a +a',
    instead: { '-e -u -x -o': 'reads' },
    text: ALL_TEXT,
  },
  shopt: { does: 'unknown' },
  type: { does: 'reads' },
  hash: { does: 'reads', options: { '-p': 'unknown' } },
  history: { does: 'unknown' },
  command: { does: 'reads', carries: 'command' },
  ...rows('builtin exec', { does: 'reads', carries: 'command', valued: '-a' }),
  eval: { does: 'reads', carries: 'code' },
  ...rows('source .', 'runs'),
  trap: { does: 'runs', carries: 'code' },
  alias: { does: 'unknown', carries: 'code' },
  unalias: { does: 'reads' },
  ...rows('enable bind complete compgen compopt fc', 'unknown'),
}

/** Programs that start another one, which is judged as well. */
const CARRIERS: Table = {
  ...rows('sudo doas pkexec run0', {
    does: 'escalates',
    carries: 'command',
    valued: '-u -g -h -p -C -r -t -U -D -R -T --user --group --host --prompt --chdir --close-from',
  }),
  su: { does: 'escalates', special: 'shell' },
  runuser: { does: 'escalates', special: 'shell' },
  env: { does: 'reads', special: 'env' },
  printenv: { does: 'reads', special: 'env' },
  xargs: { does: 'reads', special: 'xargs' },
  ...rows('nice', { does: 'reads', carries: 'command', valued: '-n --adjustment' }),
  ...rows('ionice', { does: 'reads', carries: 'command', valued: '-c -n -p' }),
  ...rows('nohup setsid stdbuf unbuffer', { does: 'reads', carries: 'command', valued: '-i -o -e' }),
  ...rows('time gtime', {
    does: 'reads',
    carries: 'command',
    valued: '-f --format',
    options: { '-o --output': 'writes' },
  }),
  ...rows('timeout gtimeout', { does: 'reads', carries: { after: 1 }, valued: '-s -k --signal --kill-after' }),
  ...rows('taskset chrt', { does: 'runs', carries: { after: 1 } }),
  flock: { does: 'writes', carries: { after: 1 }, valued: '-w -E' },
  watch: { does: 'reads', carries: 'code', valued: '-n --interval' },
  ...rows('chroot unshare nsenter systemd-run capsh setpriv bwrap firejail', { does: 'escalates', carries: 'command' }),
  ...rows(
    'strace ltrace gdb lldb perf valgrind script expect parallel entr tmux screen at batch xvfb-run dbus-run-session',
    'runs',
  ),
  ...rows('busybox toybox', { does: 'reads', carries: 'command' }),
  ...rows('sh bash zsh dash ksh mksh ash rbash fish csh tcsh', { does: 'runs', special: 'shell' }),
  ...rows('pwsh powershell cmd cmd.exe powershell.exe', { does: 'runs', special: 'interpreter' }),
  ...rows(
    'python python2 python3 pypy pypy3 ipython node nodejs deno bun perl ruby php lua luajit tclsh Rscript julia osascript java scala groovy jshell irb guile racket swift elixir erl ghci runghc tsx ts-node gforth R octave bc dc m4 emacs vim vi nvim nano ed ex sqlite3 psql mysql mariadb mongosh redis-cli sqlcmd duckdb',
    { does: 'runs', special: 'interpreter' },
  ),
}

export const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  [FILES, GIT, NETWORK, PACKAGES, SERVICES, BUILTINS, CARRIERS].flatMap((table) => Object.entries(table)),
)

/** Where the system's programs are. The same name anywhere else is another program. */
const SYSTEM = /^(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/s?bin\/([^/]+)$/

/** The name under which the table lists a program; undefined for a path outside the system's folders. */
export function programName(word: string): string | undefined {
  const name = SYSTEM.exec(word)?.[1] ?? (word.includes('/') ? undefined : word)
  // `python3.12`, `gcc-13`, `mkfs.ext4` are the program without its version.
  if (name === undefined || PROGRAMS.has(name)) return name
  const plain = name.replace(/(?:[-.]?\d{1,10}(?:\.\d{1,10}){0,5})$/, '')
  return PROGRAMS.has(plain) ? plain : name.startsWith('mkfs.') ? 'mkfs' : name
}

export const programOf = (name: string): Program | undefined => PROGRAMS.get(name)
