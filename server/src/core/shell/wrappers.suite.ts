/** One text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function base64(text: string): string {
  let out = ''
  for (let at = 0; at < text.length; at += 3) {
    const [a = 0, b = 0, c = 0] = [0, 1, 2].map((more) => text.charCodeAt(at + more) || 0)
    const bits = (a << 16) | (b << 8) | c
    const letters = [18, 12, 6, 0].map((shift) => ALPHABET[(bits >> shift) & 63] ?? '')
    out += letters.slice(0, Math.min(4, text.length - at + 1)).join('')
  }
  return out.padEnd(Math.ceil(out.length / 4) * 4, '=')
}

type Wrap = (command: string) => string

/**
 * Every construct of the grammar, and every program that starts others, with a command inside. A reader that sees through them finds in each what
 * it would find in the command alone.
 */
export const TRANSPARENT: Readonly<Record<string, Wrap>> = {
  'after another command': (it) => `ls; ${it}`,
  'before another command': (it) => `${it}\nls`,
  and: (it) => `ls && ${it}`,
  or: (it) => `ls || ${it}`,
  'in the background': (it) => `ls & ${it}`,
  'end of a pipe': (it) => `ls | ${it}`,
  'start of a pipe': (it) => `${it} | cat`,
  'pipe with errors': (it) => `ls |& ${it}`,
  negated: (it) => `! ${it}`,
  timed: (it) => `time -p ${it}`,
  subshell: (it) => `(${it})`,
  group: (it) => `{ ${it}; }`,
  'redirected group': (it) => `{ ${it}; } > /dev/null 2>&1`,
  if: (it) => `if ${it}; then :; fi`,
  'then branch': (it) => `if true; then ${it}; fi`,
  elif: (it) => `if false; then :; elif true; then ${it}; fi`,
  else: (it) => `if false; then :; else ${it}; fi`,
  while: (it) => `while ${it}; do break; done`,
  'while body': (it) => `while true; do ${it}; done`,
  until: (it) => `until ${it}; do break; done`,
  for: (it) => `for x in 1 2; do ${it}; done`,
  'for words': (it) => `for x in $(${it}); do :; done`,
  'c for': (it) => `for ((i=0;i<3;i++)); do ${it}; done`,
  select: (it) => `select x in 1 2; do ${it}; done`,
  case: (it) => `case x in a|x) ${it};; esac`,
  'case word': (it) => `case $(${it}) in *) :;; esac`,
  function: (it) => `f() { ${it}; }; f`,
  'function keyword': (it) => `function f { ${it}; }; f`,
  'function subshell': (it) => `f() ( ${it} ); f`,
  coproc: (it) => `coproc { ${it}; }`,
  substitution: (it) => `echo $(${it})`,
  'quoted substitution': (it) => `echo "a $(${it}) b"`,
  backticks: (it) => `echo \`${it.replace(/[\\`$]/g, '\\$&')}\``,
  'substitution in a default': (it) => `echo \${x:-$(${it})}`,
  'substitution in an assignment': (it) => `x=$(${it})`,
  'substitution in an array': (it) => `x=(1 $(${it}))`,
  'substitution in a prefix': (it) => `X=$(${it}) ls`,
  arithmetic: (it) => `echo $((1 + $(${it})))`,
  'arithmetic command': (it) => `(( $(${it}) ))`,
  test: (it) => `[[ -n $(${it}) ]]`,
  'old test': (it) => `[ -n "$(${it})" ]`,
  'process substitution in': (it) => `cat <(${it})`,
  'process substitution out': (it) => `ls > >(${it})`,
  'here-document': (it) => `cat <<E\n$(${it})\nE\n`,
  'here-string': (it) => `cat <<< "$(${it})"`,
  'redirection target': (it) => `ls > "$(${it})"`,
  subscript: (it) => `a[$(${it})]=1`,
  environment: (it) => `A=1 B=2 ${it}`,
  'sh -c': (it) => `sh -c ${quoted(it)}`,
  'bash -lc': (it) => `bash -lc ${quoted(it)}`,
  'bash options': (it) => `bash --norc -e -c ${quoted(it)}`,
  'sh stdin': (it) => `sh <<'E'\n${it}\nE\n`,
  'bash here-string': (it) => `bash <<< ${quoted(it)}`,
  'echo to sh': (it) => `echo ${quoted(it)} | sh`,
  'printf to bash': (it) => `printf %s ${quoted(it)} | bash -s`,
  'cat here-document to sh': (it) => `cat <<'E' | sh\n${it}\nE\n`,
  'base64 to sh': (it) => `echo ${base64(it)} | base64 -d | sh`,
  eval: (it) => `eval ${quoted(it)}`,
  alias: (it) => `alias q=${quoted(it)}; q`,
  trap: (it) => `trap ${quoted(it)} EXIT`,
  'env -S': (it) => `env -S ${quoted(it)}`,
  su: (it) => `su root -c ${quoted(it)}`,
  ssh: (it) => `ssh host ${quoted(it)}`,
  docker: (it) => `docker exec web sh -c ${quoted(it)}`,
  kubectl: (it) => `kubectl exec pod -- sh -c ${quoted(it)}`,
  watch: (it) => `watch -n 1 ${quoted(it)}`,
  tmux: (it) => `tmux new -d ${quoted(it)}`,
  'find -exec sh': (it) => `find . -exec sh -c ${quoted(it)} \\;`,
  'xargs sh': (it) => `ls | xargs -I{} sh -c ${quoted(it)}`,
  python: (it) => `python3 -c ${quoted(`import os; os.system(${JSON.stringify(it)})`)}`,
  node: (it) => `node -e ${quoted(`require('child_process').execSync(${JSON.stringify(it)})`)}`,
  perl: (it) => `perl -e ${quoted(`system(${JSON.stringify(it)})`)}`,
  awk: (it) => `awk ${quoted(`BEGIN { system(${JSON.stringify(it)}) }`)}`,
  'unknown program': (it) => `frobnicate --with ${quoted(it)}`,
  'nested shells': (it) => `bash -c ${quoted(`sh -c ${quoted(it)}`)}`,
}

/** Programs in front of a simple command. */
export const PREFIXES: readonly string[] = [
  'sudo',
  'sudo -u root',
  'sudo -E --',
  'doas',
  'env',
  'env -i A=1',
  'env -u X --',
  'command',
  'command -p',
  'builtin command',
  'exec',
  'exec -a x',
  'nohup',
  'nice -n 5',
  'ionice -c 3',
  'setsid',
  'stdbuf -oL',
  'timeout 5',
  'timeout -k 1 5',
  'time',
  'busybox',
  'chroot /x',
  'unshare -r',
  'xargs',
  'xargs -n 1 -P 4',
  'flock l',
  'strace -f',
  'parallel',
  'npx',
  '/usr/bin/env',
  '\\command',
  'nice nohup timeout 5',
  'frobnicate',
]

/** What hides a command so well that only its being hidden is seen. */
export const OPAQUE: Readonly<Record<string, Wrap>> = {
  variable: (it) => `x=${quoted(it)}; $x`,
  'variable eval': (it) => `x=${quoted(it)}; eval "$x"`,
  'variable sh': (it) => `x=${quoted(it)}; sh -c "$x"`,
  indirect: (it) => `x=${quoted(it)}; y=x; \${!y}`,
  reversed: (it) => `rev <<< ${quoted(it.split('').toReversed().join(''))} | sh`,
  translated: (it) => `echo ${quoted(it)} | tr a-z b-za | tr b-za a-z | bash`,
  'decoded into xargs': (it) => `echo ${base64(it)} | base64 -d | xargs -0 sh -c`,
  prompt: (it) => `PS4=${quoted(`$(${it})`)}; set -x; ls`,
  'subscript in quotes': (it) => `declare ${quoted(`a[$(${it})]=1`)}`,
  pager: (it) => `PAGER=${quoted(it)} git log`,
  'git alias': (it) => `git -c alias.x=${quoted(`!${it}`)} x`,
  'script file': (it) => `echo ${quoted(it)} > x.sh && sh x.sh`,
  unfinished: (it) => `${it} "`,
  crlf: (it) => `ls\r\n${it}\r`,
}
