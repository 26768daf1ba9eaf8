import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../../src/main/load-config.ts'
import { openGate, type OpenedGate } from '../../src/main/open-gate.ts'
import type { GateOptions } from '../../src/main/gate-options.ts'
import { confirmOf, confirmWords } from '../../src/kernel/contract/confirm.ts'
import type { ApprovalDecision } from '../../src/kernel/approvals/decide-approval.ts'
import { gateOf, type Gate } from './use-gate.ts'
import type { BoundPorts } from '../../src/kernel/ports/bound-ports.ts'
import type { Caller } from '../../src/kernel/contract/caller.ts'
import type { CallRequest, Outcome } from '../../src/kernel/contract/call.ts'
import type { ApprovalId } from '../../src/kernel/contract/ids.ts'
import { readConfig } from '../read-config.ts'
import { BUILT_WORKER } from '../built/built.ts'

export const AGENT: Caller = { kind: 'agent', id: 'agent:a', user: 'ana' }
export const USER: Caller = { kind: 'user', id: 'user:ana', user: 'ana' }
export const APPROVER: Caller = { kind: 'approver', id: 'approver:bob', user: 'bob' }
export const SECOND: Caller = { kind: 'approver', id: 'approver:eve', user: 'eve' }
export const ADMIN: Caller = { kind: 'admin', id: 'admin:local', user: 'local' }

/** Reads are low, notes medium (ask, simple), slow notes high (ask, strong), wiping is blocked by the operator. */
export const POLICY = `
rules:
  - { id: no-wiping, effect: block, match: { tool: book__wipe }, says: nobody wipes the book }
  - { id: notes-run, effect: allow, match: { tool: [book__note_again, book__big, book__fails], role: agent }, says: harmless notes }
`

export const BOOK_TOOLS = {
  look: { effects: ['read'] },
  note: { effects: ['write'], dry_run: { args: { dry_run: true }, effect_free: true } },
  note_again: { effects: ['write'], idempotent: true },
  slow_note: { effects: ['external'] },
  wipe: { effects: ['destructive'] },
  fails: { effects: ['read'] },
  big: { effects: ['read'] },
  echo: { effects: ['read'] },
  picture: { effects: ['read'] },
  find_note: { effects: ['read'] },
  erase_note: { effects: ['destructive'] },
  /** With all four parts of the execution standard: never overwrites an old note, and is read back afterwards. */
  keep_note: {
    title: 'Keep a note',
    effects: ['write'],
    tags: ['paper'],
    rollback: { tool: 'erase_note', args: { title: '{{result.title}}' } },
    check: { tool: 'find_note', args: { title: '{{args.title}}' }, expect: { path: 'found', equals: false } },
    verify: {
      tool: 'find_note',
      args: { title: '{{result.title}}' },
      expect: [
        { path: 'found', equals: true },
        { path: 'note.text', equals: '{{args.text}}' },
      ],
    },
  },
}

/** A database for the gates of this test and of the processes that it starts; without it the store is in the folder. */
export const STORE_VARIABLE = 'TEST_STORE'
function storeHere(): { readonly store?: unknown } {
  const store = process.env[STORE_VARIABLE]
  return store === undefined ? {} : { store: JSON.parse(store) as unknown }
}

export function settingsIn(folder: string, more: { policy?: string; config?: object; server?: object } = {}): Settings {
  const book = {
    command: process.execPath,
    args: [resolve(import.meta.dirname, '../tool-servers/effects.ts')],
    env: { EFFECTS: join(folder, 'effects.txt') },
    tools: BOOK_TOOLS,
    ...more.server,
  }
  const read = readConfig({ listen: { port: 0 }, servers: { book }, ...storeHere(), ...more.config })
  if (!read.ok) throw new Error(JSON.stringify(read.problem))
  const policy = { text: more.policy ?? POLICY, file: 'policy.yaml' }
  return { file: join(folder, 'sluice.yaml'), folder, data: join(folder, 'data'), config: read.value, policy }
}

export type GateRig = {
  readonly gate: Gate
  readonly ports: BoundPorts
  readonly folder: string
  readonly opened: OpenedGate
  /** What the tool server really did, one line per effect. */
  readonly effects: () => readonly string[]
  readonly call: (tool: string, args?: CallRequest['args'], more?: Partial<CallRequest>) => Promise<Outcome>
  /** Waits for a call's end. */
  readonly outcome: (call_id: string) => Promise<Outcome>
}

export const effectsIn = (folder: string): readonly string[] => {
  const file = join(folder, 'effects.txt')
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}

/** What a person types to approve this. */
export const typedFor = (packet: Parameters<typeof confirmOf>[0]): string => confirmWords(confirmOf(packet)).word

/** Reads a request as its approver does, and approves what it shows. If it cannot be read, returns that problem. */
export async function approveShown(
  { approvals }: Pick<Gate, 'approvals'>,
  by: Caller,
  approval_id: string,
  more: Partial<Extract<ApprovalDecision, { says: 'approve' }>> = {},
): ReturnType<Gate['approvals']['decide']> {
  const packet = await approvals.read(by, approval_id)
  const shown = packet.ok
    ? {
        digest: packet.value.digest,
        unfolded: packet.value.foldable.map(({ id }) => id),
        typed: typedFor(packet.value),
      }
    : { digest: '' }
  return approvals.decide(by, approval_id, { says: 'approve', ...shown, ...more })
}

/** Orders the retry of a call whose outcome is unknown. Returns the request that the retry waits for. */
export async function orderRetry({ calls }: Pick<Gate, 'calls'>, by: Caller, call_id: string): Promise<ApprovalId> {
  const ordered = await calls.settle(by, call_id, 'retry')
  if (!ordered.ok || ordered.value.status !== 'unknown' || ordered.value.retry === undefined)
    throw new Error(`the retry has no request: ${JSON.stringify(ordered)}`)
  return ordered.value.retry.approval_id
}

export const approveRetry = async (gate: Pick<Gate, 'approvals' | 'calls'>, by: Caller, call_id: string) =>
  approveShown(gate, by, await orderRetry(gate, by, call_id))

export async function openTestGate(
  folder: string,
  options: Parameters<typeof settingsIn>[1] & {
    alone?: boolean
    probe?: GateOptions['probe']
    writer?: GateOptions['writer']
    around?: GateOptions['around']
    transports?: GateOptions['transports']
    source?: GateOptions['policy']
    policyStore?: GateOptions['policyStore']
  } = {},
): Promise<GateRig> {
  const writer = options.writer ?? BUILT_WORKER
  const opened = await openGate(settingsIn(folder, options), {
    log: () => {},
    url: () => 'http://gate.test',
    ...(options.alone === undefined ? {} : { alone: options.alone }),
    ...(options.probe === undefined ? {} : { probe: options.probe }),
    ...(writer === undefined ? {} : { writer }),
    ...(options.around === undefined ? {} : { around: options.around }),
    ...(options.transports === undefined ? {} : { transports: options.transports }),
    ...(options.source === undefined ? {} : { policy: options.source }),
    ...(options.policyStore === undefined ? {} : { policyStore: options.policyStore }),
  })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  await opened.value.settled
  const gate = gateOf(opened.value)
  return {
    gate,
    ports: opened.value.ports,
    folder,
    opened: opened.value,
    effects: () => effectsIn(folder),
    call: (tool, args = {}, more = {}) => gate.calls.dispatch({ caller: AGENT, tool, args, thread: 't1', ...more }),
    async outcome(call_id) {
      const read = await gate.calls.read(ADMIN, call_id, 60_000)
      if (!read.ok) throw new Error(JSON.stringify(read.problem))
      return read.value
    },
  }
}

/** A whole gate over a real ledger and a real tool server, for one test. */
export async function withGate(
  use: (rig: GateRig) => Promise<void>,
  options: Parameters<typeof openTestGate>[1] = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-gate-'))
  const rig = await openTestGate(folder, options)
  try {
    await use(rig)
  } finally {
    await rig.opened.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Waits until something becomes true; otherwise the test fails at its own timeout. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(5)
}

export function pendingOf(outcome: Outcome): Extract<Outcome, { status: 'pending' }> {
  if (outcome.status !== 'pending') throw new Error(`expected a held call, got ${JSON.stringify(outcome)}`)
  return outcome
}

/** The audit without the entries that every start writes. */
export const auditTypes = async (gate: Gate) =>
  (await gate.audit.page(undefined, 1, 1000)).map(({ type }) => type).filter((type) => !/^(tool|policy)\./.test(type))
