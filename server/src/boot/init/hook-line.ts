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

/** macOS has no `timeout`, but it has perl. */
const BOUNDED =
  't=$1; shift; if command -v timeout >/dev/null 2>&1; then o=$(timeout -k 1 "$t" "$@"); elif command -v perl >/dev/null 2>&1; then o=$(perl -e "alarm shift; exec @ARGV" "$t" "$@"); else o=$("$@"); fi; c=$?'
const ANSWERED = 'case "$c:$o" in 0:{*}) printf "%s\\n" "$o"; exit 0;; esac'
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
  const script = `${BOUNDED}; ${ANSWERED}; ${FAILED[mode]}`
  const words = [String(limit_s), node, hook, client, '--socket', socket, '--wait', String(wait_s), '--event', name]
  return `sh -c ${quoted(script)} sluice ${words.map(quoted).join(' ')}`
}

const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
