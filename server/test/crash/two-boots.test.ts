import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { driveGate } from '../../src/main/drive-gate.ts'
import { openPorts, type OpenedPorts } from '../../src/main/open-ports.ts'
import type { Ports } from '../../src/kernel/ports/guest-ports.ts'
import { recoverCalls, recoverReadBacks } from '../../src/kernel/attempt/recover-calls.ts'
import { announceCommits } from '../../src/kernel/changes/watch-rows.ts'
import { gateOf, type Gate } from '../helpers/use-gate.ts'
import type { GateChange } from '../../src/kernel/contract/change.ts'
import { callId, newCall } from '../../src/adapters/stores/ledger-fixtures.suite.ts'
import { localMembers } from '../../src/adapters/stores/local-notices.ts'
import { joinStore, type StoreMember } from '../../src/adapters/stores/open-store.ts'
import { ADMIN, AGENT, settingsIn, until } from '../helpers/with-gate.ts'

const policy = `
rules:
  - { id: slow, effect: allow, match: { tool: book__slow_note, role: agent }, says: slow notes }
`

let folder = ''
let opened: OpenedPorts
const joined: StoreMember[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-boots-'))
  const ports = await openPorts(settingsIn(folder, { policy }), { log: () => {}, url: () => 'http://gate.test' }, true)
  if (!ports.ok) throw new Error(JSON.stringify(ports.problem))
  opened = ports.value
  await opened.settled
})
afterEach(async () => {
  for (const node of joined.splice(0)) await node.leave()
  await opened.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Another boot at the same store, as another process would join it. */
async function otherBoot(): Promise<StoreMember> {
  const node = await joinStore({ folder: join(folder, 'data') })
  if (!node.ok) throw new Error(JSON.stringify(node.problem))
  joined.push(node.value)
  return node.value
}

describe('recovery', () => {
  test('acts on what a dead boot left behind, and on nothing of a boot that is alive', async () => {
    const { ports } = opened
    const [alive, dead] = [await otherBoot(), await otherBoot()]
    const names = {
      own: ports.boot,
      alive: alive.liveness.boot,
      dead: dead.liveness.boot,
      no_answer: '0123456789abcdef',
      none: undefined,
    }
    const boots = Object.entries(names)
    await ports.quiet.commit(
      boots.flatMap(([, boot], index) => {
        const named = boot === undefined ? {} : { boot }
        const verify = { state: 'executed', due: 'verify', ...named } as const
        return [newCall(callId(index), { state: 'executing', ...named }), newCall(callId(100 + index), verify)]
      }),
    )
    await dead.leave()
    expect(await recoverCalls(ports)).toEqual({ unknown: 3, retried: 0, failed: 0, not_reported: 0 })
    const states = await Promise.all(
      boots.map(async ([name], index) => [name, (await ports.tables.row('calls', callId(index)))?.row.state]),
    )
    expect(Object.fromEntries(states)).toEqual({
      own: 'executing',
      alive: 'executing',
      dead: 'unknown',
      no_answer: 'unknown',
      none: 'unknown',
    })
    expect(await recoverReadBacks(ports)).toBe(3)
    // Later the other one dies too.
    await alive.leave()
    expect(await recoverCalls(ports)).toEqual({ unknown: 1, retried: 0, failed: 0, not_reported: 0 })
  })
})

describe('two nodes on one store', () => {
  /** A separate gate on the same store and servers, which learns of the other one only through notices. */
  async function nodes(count: number): Promise<{ gate: Gate; stop(): Promise<void> }[]> {
    const hub = localMembers()
    const places = Array.from({ length: count }, (_, index) => index)
    const made = places.map(async (index) => {
      const notices = hub.join()
      const { liveness } = index === 0 ? opened.ports : await otherBoot()
      const ledger = announceCommits(opened.ports.ledger, {
        notices,
        kinds: opened.ports.kinds,
        tableEntries: opened.ports.tableEntries,
      })
      const own: Ports = { ...opened.ports, ledger, notices, liveness, boot: liveness.boot }
      const { ports, scheduler } = driveGate(own, () => {})
      return { gate: gateOf({ ports }), stop: () => scheduler.stop() }
    })
    return Promise.all(made)
  }

  test('a call that runs on one is cancelled on the other, which gets its outcome', async () => {
    const [here, there] = await nodes(2)
    if (here === undefined || there === undefined) throw new Error('two nodes are needed')
    const received: GateChange[] = []
    there.gate.changes.onChange(ADMIN, (change) => void received.push(change))
    let call_id = ''
    const running = here.gate.calls.dispatch(
      { caller: AGENT, tool: 'book__slow_note', args: { text: 'x', ms: 60_000 }, thread: 't1', as_task: true },
      { onStarted: (id) => void (call_id = id) },
    )
    await until(() => call_id !== '')
    const over = there.gate.calls.readTask(AGENT, call_id, new AbortController().signal)
    const cancelled = await there.gate.calls.cancelTask(AGENT, call_id)
    expect(cancelled).toMatchObject({ ok: true, value: { state: 'cancelled' } })
    expect(await running).toMatchObject({ status: 'unknown' })
    expect(await over).toMatchObject({ ok: true, value: { state: 'cancelled' } })
    await until(() => received.some((change) => change.kind === 'call' && change.state === 'unknown'))
    expect(received.filter(({ kind }) => kind === 'call')).toHaveLength(2)
    await Promise.all([here.stop(), there.stop()])
  })
})
