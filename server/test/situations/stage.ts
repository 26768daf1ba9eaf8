import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect } from 'vitest'
import { judgeToolUse } from '../../src/guests/hooks/judge-tool-use.ts'
import type { CallRequest, Outcome } from '../../src/kernel/contract/call.ts'
import type { Caller } from '../../src/kernel/contract/caller.ts'
import type { Json } from '../../src/kernel/contract/json.ts'
import type { PauseScope } from '../../src/kernel/contract/pause.ts'
import type { Swap } from '../../src/kernel/ports/ledger.ts'
import {
  ADMIN,
  AGENT,
  APPROVER,
  approveShown,
  BOOK_TOOLS,
  openTestGate,
  pendingOf,
  until,
  type GateRig,
} from '../helpers/with-gate.ts'
import { recorder, type Recorder } from './transcript.ts'

export const RULES = `
rules:
  - { id: no-wiping, effect: block, match: { tool: book__wipe }, says: nobody wipes the book }
  - { id: tried, effect: allow, preview: true, match: { tool: book__note }, when: 'args.text == "tried" || args.text == "impossible"', says: tried first }
  - { id: asked, effect: ask, match: { tool: book__keep_note }, when: 'args.text == "asked"', says: a person decides }
  - { id: kept, effect: allow, match: { tool: book__keep_note }, says: kept }
  - { id: runs, effect: allow, match: { tool: [book__note_again, book__big, book__fails, book__echo, codex__Read] }, says: harmless }
`
export const HARD = `${RULES}  - { id: hard, effect: block, match: { tool: 'book__*' }, says: nothing any more }\n`

export type Stage = Pick<GateRig, 'gate' | 'ports' | 'effects' | 'folder'> & {
  readonly recorder: Recorder
  /** Of this situation only. */
  readonly caller: Caller
  readonly call: (tool: string, args?: Json, more?: Partial<CallRequest>) => Promise<Outcome>
  readonly outcome: GateRig['outcome']
  /** Adds a line to the transcript. */
  readonly tell: (what: string, value: unknown) => void
  /** Makes the call, and adds its outcome. */
  readonly told: (tool: string, args?: Json, more?: Partial<CallRequest>) => Promise<Outcome>
  /** Approves as the bob of the tests, waits for the end, and adds it. */
  readonly approved: (held: Outcome, by?: Caller) => Promise<void>
  readonly pause: (scope: PauseScope, effect?: 'ask' | 'block') => Promise<void>
  readonly loadPolicy: (text: string) => Promise<void>
  /** A key, and the caller that it authenticates. */
  readonly keyed: (limits?: object) => Promise<{ readonly caller: Caller; readonly key_id: string }>
}
export type Situation = readonly [
  title: string,
  play: (stage: Stage) => Promise<unknown>,
  options?: 'own gate' | object,
]

export const text = (words: string) => ({ text: words })
export const title = (words: string, of = words) => ({ title: words, text: of })

/** Before the n-th commit from now on, something else happens. */
export const before =
  (at: number, act: (stage: Stage) => Promise<unknown>) =>
  (stage: Stage): void =>
    stage.recorder.before((position) => {
      if (position !== at) return undefined
      stage.recorder.before(() => undefined)
      return act(stage).then(() => undefined)
    })
export const unavailableAt =
  (at: number) =>
  ({ recorder: { before: on } }: Stage): void =>
    on((position) => (position === at ? Promise.resolve('unavailable' as const) : undefined))
/** A change that something else adds to the n-th commit is lost, and none of the commit's own. */
export const companionLostAt =
  (at: number) =>
  ({ recorder: { before: on } }: Stage): void =>
    on((position) => (position === at ? Promise.resolve({ lost: 999 }) : undefined))

/** Writes a row as it would be if somebody had changed the database file. */
export async function forge(
  { recorder: { row, forge: write } }: Stage,
  table: Swap['table'],
  id: string,
  changes: object,
) {
  const { version, row: was } = row(table, id)
  const to = { ...(was as object), ...changes } as never
  expect(await write([{ kind: 'swap', table, id, from: version, to }])).toBe('committed')
}
export const revoke = ({ gate }: Stage, key_id: string) => gate.identity.revokeCredential(ADMIN, key_id)
export const consentFor = async ({ gate, caller }: Stage, tool: string, calls: number) => {
  const what = { tool, args: [{ path: '/text' as const, op: 'prefix' as const, value: 'x' }] }
  const minted = await gate.consents.mint(APPROVER, { actor: `caller:${caller.id}`, what, calls, expires_in_s: 600 })
  if (!minted.ok) throw new Error(minted.problem.code)
  return minted.value.consent_id
}
export const heldNote = async (stage: Stage, words = 'x') => pendingOf(await stage.told('book__note', text(words)))
/** A call that ran, with a row that says that its outcome is unknown. */
export async function interrupted(stage: Stage, tool: string, args: Json): Promise<string> {
  const done = await stage.call(tool, args)
  const held = done.status === 'pending' ? done : undefined
  if (held !== undefined) await approveShown(stage.gate, APPROVER, held.approval_id)
  const call_id = 'call_id' in done ? done.call_id : ''
  await stage.outcome(call_id)
  await forge(stage, 'calls', call_id, { state: 'unknown', result: undefined, ended_at: undefined, output: undefined })
  stage.recorder.begin()
  return call_id
}
/** An approved call that is cancelled while its tool acts: whether it took effect is unknown. Its tool answers from now on. */
export async function cancelled(stage: Stage): Promise<string> {
  const held = pendingOf(await stage.call('book__slow_note', { text: 'x', until: 'released' }, { as_task: true }))
  await approveShown(stage.gate, APPROVER, held.approval_id)
  await until(() => stage.effects().length === 1)
  await stage.gate.calls.cancelTask(stage.caller, held.call_id)
  stage.tell('cancelled', await stage.outcome(held.call_id))
  writeFileSync(join(stage.folder, 'effects.txt.go'), '')
  stage.recorder.begin()
  return held.call_id
}
/** The request for the retry of a call that is not idempotent. */
export async function askedAgain(stage: Stage, call_id: string): Promise<string> {
  const settled = await stage.gate.calls.settle(APPROVER, call_id, 'retry')
  stage.tell('retry', settled)
  const { approval_id = '' } = stage.recorder.row('calls', call_id).row as { approval_id?: string }
  return approval_id
}
export const retried = async (stage: Stage, call_id: string) => {
  const settled = await stage.gate.calls.settle(APPROVER, call_id, 'retry')
  stage.tell('retry', settled)
  stage.tell('outcome', await stage.outcome(call_id))
}
export const judged = async (stage: Stage, command: string, session = 's1') => {
  const use = {
    caller: stage.caller,
    client: 'codex',
    tool: 'Bash',
    args: { command },
    thread: `codex:${session}`,
  } as const
  const answer = await judgeToolUse(stage.ports, use, 0)
  stage.tell('judged', answer)
  return answer
}

type Open = { readonly rig: GateRig; readonly recorder: Recorder; policy: string }
const opened = new Map<string, Promise<Open>>()
afterAll(async () => {
  for (const one of opened.values()) {
    const { rig } = await one
    await rig.opened.close()
    rmSync(rig.folder, { recursive: true, force: true })
  }
})

type GateParts = { readonly policy?: string; readonly config?: object; readonly note?: object }
async function open({ policy = RULES, config = {}, note = BOOK_TOOLS.note }: GateParts): Promise<Open> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-situations-'))
  const own = recorder()
  const book = {
    command: process.execPath,
    args: [resolve(import.meta.dirname, '../tool-servers/effects.ts')],
    env: { EFFECTS: join(folder, 'effects.txt') },
    tools: { ...BOOK_TOOLS, note },
  }
  const budgets = [{ id: 'few', match: { tool: 'book__echo' }, calls: 1, per: 'run' }]
  const found = { policy }
  const rig = await openTestGate(folder, {
    policy,
    config: { servers: { book, codex: { client: 'codex' } }, budgets, ...config },
    around: { ledger: own.around },
    source: { read: () => ({ ok: true, value: { text: found.policy, file: 'policy.yaml' } }), watch: () => () => {} },
  })
  return {
    rig,
    recorder: own,
    get policy() {
      return found.policy
    },
    set policy(next) {
      found.policy = next
    },
  }
}

/** Situations with the same options share a gate: each has a caller and a thread of its own. */
let positions = 0
export async function transcriptOf([name, play, options = {}]: Situation): Promise<string> {
  const place = options === 'own gate' ? name : JSON.stringify(options)
  const opening = opened.get(place) ?? open(options === 'own gate' ? {} : options)
  opened.set(place, opening)
  const here = await opening
  const { rig, recorder: own } = here
  const caller: Caller = { ...AGENT, id: `agent:a${(positions += 1)}` }
  const told: string[] = []
  const stage: Stage = {
    gate: rig.gate,
    ports: rig.ports,
    folder: rig.folder,
    effects: rig.effects,
    recorder: own,
    caller,
    outcome: rig.outcome,
    call: (tool, args = {}, more = {}) => rig.call(tool, args, { caller, thread: `t-${caller.id}`, ...more }),
    tell: (what, value) => void told.push(`${what}: ${JSON.stringify(value)}`),
    async told(tool, args, more) {
      const outcome = await stage.call(tool, args, more)
      stage.tell(tool, outcome)
      return outcome
    },
    async approved(held, by = APPROVER) {
      const { approval_id, call_id } = pendingOf(held)
      const decided = await approveShown(rig.gate, by, approval_id)
      stage.tell('decided', decided.ok ? decided.value.state : decided.problem)
      stage.tell('outcome', await rig.outcome(call_id))
    },
    async pause(scope, effect = 'block') {
      expect(await rig.gate.pauses.set(ADMIN, { scope, effect, active: true, reason: 'stop' })).toMatchObject({
        ok: true,
      })
    },
    async loadPolicy(next) {
      here.policy = next
      expect(await rig.gate.policies.reload(ADMIN)).toMatchObject({ ok: true })
    },
    async keyed(limits = {}) {
      const wanted = { kind: 'agent' as const, name: `k${caller.id.slice(6)}`, user: 'ana', ...limits }
      const created = await rig.gate.identity.createCredential(ADMIN, wanted)
      if (!created.ok) throw new Error(created.problem.code)
      const known = await rig.gate.identity.authenticate(created.value.key)
      if (!known.ok) throw new Error(known.problem.code)
      own.begin()
      return { caller: known.value, key_id: created.value.row.key_id }
    },
  }
  own.begin()
  await play(stage)
  return own.lines(rig.folder, told).replaceAll(caller.id.slice(6), 'NAME')
}
