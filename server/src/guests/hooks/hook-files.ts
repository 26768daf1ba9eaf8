import { existsSync } from 'node:fs'
import type { Json } from '../../kernel/contract/json.ts'
import type { HookClient } from '../../kernel/contract/hook-clients.ts'
import type { HookPlace, HookProgram } from '../../adapters/files/client-hooks.ts'
import { editMembers, readJsonc } from '../../adapters/files/jsonc.ts'
import { opencodePlugin } from './opencode-plugin.ts'
import { textIn } from '../../adapters/files/whole-file.ts'

/** What a client runs for one event. */
type HookLine = {
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

/** How long each client lets a hook run, in seconds: set in its own file, and the wrapper ends before it. */
const LIMIT_S = 600
/** How much earlier the gate stops waiting for a person, and the wrapper gives up on the hook. */
const SPARE_S = 30
const GIVE_UP_S = 10

/**
 * The client's file with our hooks added; other hooks and settings of the user are kept. Undefined if it cannot be changed, or
 * already has them. `own`: what opencode's user permits.
 */
export function withHooks(
  place: HookPlace,
  program: HookProgram & { readonly own?: Json },
  changed?: string,
): string | undefined {
  const { client, file } = place
  const before = changed ?? textIn(file)
  if (before === undefined && existsSync(file)) return undefined
  if (client === 'opencode') {
    const text = opencodePlugin(program.socket, program.own)
    return before === text ? undefined : text
  }
  const line = (event: HookEvent) =>
    hookLine({
      ...program,
      client,
      mode: event.mode,
      name: event.name,
      limit_s: LIMIT_S - GIVE_UP_S,
      wait_s: LIMIT_S - SPARE_S,
    })
  const theirs = hooksIn(before)
  const ours = FORMATS[client](line)
  // Something else is in the place of our events: it is the user's.
  if (theirs === undefined || Object.keys(ours).some((name) => !Array.isArray(theirs[name] ?? []))) return undefined
  const value = merged(theirs, ours)
  const text = before === undefined || before.trim() === '' ? EMPTY[client] : before
  try {
    const next = editMembers(text, { at: [], remove: [], add: { name: 'hooks', value } })
    return next === before ? undefined : next
  } catch {
    return undefined
  }
}

/** Lists of hooks by event. A client may store other settings beside them. */
type Hooks = Readonly<Record<string, unknown>>
type HookEvent = { readonly name: string; readonly mode: HookLine['mode'] }
type Line = (event: HookEvent) => string
type Client = Exclude<HookClient, 'opencode'>

const EMPTY: Readonly<Record<Client, string>> = {
  'claude-code': '{}\n',
  codex: '{}\n',
  copilot: '{\n  "version": 1\n}\n',
  cursor: '{\n  "version": 1\n}\n',
  gemini: '{}\n',
  qwen: '{}\n',
}

function events(before: string, after: readonly string[], prompt: string): readonly HookEvent[] {
  return [
    { name: before, mode: 'refuse' },
    ...after.map((name) => ({ name, mode: 'pass' as const })),
    { name: prompt, mode: 'pass' },
  ]
}

/** An entry per event, in the format of Claude Code. `unit`: the unit of the client's time limit. */
const claudeLike =
  (list: readonly HookEvent[], unit: number, more: object = {}) =>
  (line: Line): Hooks =>
    Object.fromEntries(
      list.map((event) => {
        const hook = { type: 'command', command: line(event), timeout: LIMIT_S * unit, ...more }
        return [event.name, [{ matcher: '*', hooks: [hook] }]]
      }),
    )

const CLAUDE = events('PreToolUse', ['PostToolUse'], 'UserPromptSubmit')
const FORMATS: Readonly<Record<Client, (line: Line) => Hooks>> = {
  'claude-code': (line) => {
    const hooks = claudeLike(CLAUDE, 1)(line)
    const [first] = (hooks['PreToolUse'] ?? []) as { matcher: string; hooks: object[] }[]
    const closed =
      first === undefined ? [] : [{ ...first, hooks: first.hooks.map((hook) => ({ ...hook, onFailure: 'block' })) }]
    return { ...hooks, PreToolUse: closed }
  },
  codex: claudeLike(CLAUDE, 1),
  qwen: claudeLike(CLAUDE, 1000),
  gemini: claudeLike(events('BeforeTool', ['AfterTool'], 'BeforeAgent'), 1000, { name: 'sluice' }),
  cursor: (line) => {
    const before = ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile']
    const after = ['postToolUse', 'afterShellExecution', 'afterMCPExecution', 'beforeSubmitPrompt']
    const entry = (name: string, mode: HookLine['mode'], more: object) => [
      name,
      [{ command: line({ name, mode }), timeout: LIMIT_S, ...more }],
    ]
    return Object.fromEntries([
      ...before.map((name) => entry(name, 'refuse', { failClosed: true })),
      ...after.map((name) => entry(name, 'pass', {})),
    ]) as Hooks
  },
  copilot: (line) =>
    Object.fromEntries(
      events('preToolUse', ['postToolUse'], 'userPromptSubmitted').map((event) => [
        event.name,
        [{ type: 'command', bash: line(event), timeoutSec: LIMIT_S }],
      ]),
    ),
}

/** Undefined if the file cannot be read, or its `hooks` are not a map. */
function hooksIn(text: string | undefined): Hooks | undefined {
  try {
    const read: unknown = text === undefined || text.trim() === '' ? {} : readJsonc(text)
    const hooks = typeof read === 'object' && read !== null && 'hooks' in read ? read.hooks : {}
    return typeof hooks === 'object' && hooks !== null && !Array.isArray(hooks) ? (hooks as Hooks) : undefined
  } catch {
    return undefined
  }
}

/** The user's own hooks, then ours; an earlier one of ours is replaced. */
function merged(theirs: Hooks, ours: Hooks): Hooks {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])]
  return Object.fromEntries(
    names.map((name) => {
      const listed = theirs[name] ?? []
      if (!Array.isArray(listed)) return [name, listed]
      const kept = listed.filter((entry) => !isHooked(JSON.stringify(entry)))
      return [name, [...kept, ...((ours[name] ?? []) as readonly unknown[])]]
    }),
  )
}

/**
 * The same text without our hooks, for a file that its client has rewritten since. Undefined if there are none, or if the gate is
 * also a tool server in it: what it replaced there is only in the backup.
 */
export function withoutHooks(text: string): string | undefined {
  if (!isHooked(text) || /bin[\\/]+sluice"/.test(text)) return undefined
  const hooks = hooksIn(text)
  if (hooks === undefined) return undefined
  const kept = Object.entries(merged(hooks, {})).filter(([, entries]) => !Array.isArray(entries) || entries.length > 0)
  try {
    return editMembers(text, { at: [], remove: [], add: { name: 'hooks', value: Object.fromEntries(kept) } })
  } catch {
    return undefined
  }
}

/** Whether a text contains a hook of this gate. */
export const isHooked = (text: string): boolean => /sluice-hook\.cjs|sluice gate plugin/.test(text)
