import { rows, type ProgramTable } from '../program.ts'

const ALL_TEXT = 1_000_000

/** Shell builtins. */
export const BUILTINS: ProgramTable = {
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
export const CARRIERS: ProgramTable = {
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
