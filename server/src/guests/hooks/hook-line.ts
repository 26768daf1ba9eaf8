/** What a client runs for one event. */
export type HookLine = {
  readonly node: string
  readonly hook: string
  readonly socket: string
  readonly client: string
  readonly name: string
  /** What a failure of the hook itself means: the call is refused, or an event that decides nothing passes. */
  readonly mode: 'refuse' | 'pass'
  /** The time limit of the hook, less than the client's own limit. */
  readonly limit_s: number
  /** How long it waits for a person. */
  readonly wait_s: number
}

/**
 * The whole environment of the hook. Only the administrator can write to these folders; the last one is where NixOS has its
 * programs. Of the client's variables only the folder of its project reaches the hook, not NODE_OPTIONS, LD_PRELOAD or BASH_ENV.
 */
const ENVIRONMENT = '/usr/bin/env -i PATH=/usr/bin:/bin:/run/current-system/sw/bin'
/** In which variable a client passes on the folder of its project; its events contain only the folder it works in. */
const PROJECTS: Readonly<Record<string, string>> = {
  'claude-code': 'CLAUDE_PROJECT_DIR',
  cursor: 'CURSOR_PROJECT_DIR',
  gemini: 'GEMINI_PROJECT_DIR',
  qwen: 'QWEN_PROJECT_DIR',
}
/** Random digits that the hook has to repeat: what prints a fixed `{}` was not asked. */
const NONCE = 'n=$(printf %s $(od -An -N8 -tx1 /dev/urandom)); t=$1; shift; set -- "$@" --nonce "$n"'
/** macOS has no `timeout`, but it has perl. Without a time limit, the client's own would let the call run. */
const BOUNDED =
  'if command -v timeout >/dev/null; then o=$(timeout -k 1 "$t" "$@"); elif command -v perl >/dev/null; then o=$(perl -e "alarm shift; exec @ARGV" "$t" "$@"); else echo "sluice: there is no timeout and no perl in $PATH" >&2; false; fi; c=$?'
const ANSWERED = 'case "${#n}:$c:$o" in "16:0:$n{"*"}") printf "%s\\n" "${o#$n}"; exit 0;; esac'
const FAILED: Readonly<Record<HookLine['mode'], string>> = {
  refuse: 'echo "sluice: no verdict from the hook (exit $c), so the call is refused" >&2; exit 2',
  pass: 'printf "{}\\n"; exit 0',
}

/**
 * Most clients run the tool if a hook is missing, crashes, is killed, hangs or prints something other than its answer. This line
 * turns each of these into the one failure that all of them understand: exit code 2 with a sentence. It is a line and not a file,
 * so that it cannot be missing.
 */
export function hookLine({ node, hook, socket, client, name, mode, limit_s, wait_s }: HookLine): string {
  const script = `${NONCE}; ${BOUNDED}; ${ANSWERED}; ${FAILED[mode]}`
  const words = [String(limit_s), node, hook, client, '--socket', socket, '--wait', String(wait_s), '--event', name]
  const project = PROJECTS[client] === undefined ? '' : ` "AGENT_PROJECT=$${PROJECTS[client]}"`
  return `${ENVIRONMENT}${project} /bin/sh -c ${quoted(script)} sluice ${words.map(quoted).join(' ')}`
}

const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
