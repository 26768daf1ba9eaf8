import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gateOf } from '../helpers/use-gate.ts'
import { driveGate } from '../../src/main/drive-gate.ts'
import { openPorts, type OpenedPorts } from '../../src/main/open-ports.ts'
import { recoverFromDead } from '../../src/main/open-gate.ts'
import type { Ledger } from '../../src/kernel/ports/ledger.ts'
import type { RunId } from '../../src/kernel/contract/ids.ts'
import { joinStore } from '../../src/adapters/stores/open-store.ts'
import { AGENT, APPROVER, effectsIn, pendingOf, settingsIn, until } from '../helpers/with-gate.ts'

let folder = ''
let opened: OpenedPorts
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-cancel-'))
  const ports = await openPorts(settingsIn(folder), { log: () => {}, url: () => 'http://gate.test' }, true)
  if (!ports.ok) throw new Error(JSON.stringify(ports.problem))
  opened = ports.value
  await opened.settled
})
afterAll(async () => {
  await opened.close()
  rmSync(folder, { recursive: true, force: true })
})

const NEVER = new Promise<never>(() => {})

/** A node that dies at its nth commit from now on, before it or after it, and answers nothing any more. */
async function mortalNode() {
  const node = await joinStore({ folder: join(folder, 'data') })
  if (!node.ok) throw new Error(JSON.stringify(node.problem))
  const { liveness, leave } = node.value
  let left = Infinity
  let moment: 'before' | 'after' = 'before'
  let isDead = false
  const die = () => {
    isDead = true
    void leave()
    return NEVER
  }
  const ledger: Ledger = {
    async commit(changes) {
      if (isDead) return NEVER
      left -= 1
      if (left === 0 && moment === 'before') return die()
      const committed = await opened.ports.ledger.commit(changes)
      if (isDead) return NEVER
      return left === 0 ? die() : committed
    },
  }
  const own = { ...opened.ports, ledger, liveness, boot: liveness.boot }
  const { ports, scheduler } = driveGate(own, () => {})
  return {
    gate: gateOf({ ports }),
    ports,
    scheduler,
    isDead: () => isDead,
    leave,
    dieAt(commit: number, when: typeof moment) {
      left = commit
      moment = when
    },
  }
}

/** Whether the node died on the way; afterwards another one has taken over. */
async function cancelWithDeath(commit: number, moment: 'before' | 'after'): Promise<boolean> {
  const first = await mortalNode()
  const request = { caller: AGENT, tool: 'book__note', args: { text: `${commit} ${moment}` }, thread: 't1' }
  const { call_id, approval_id } = pendingOf(await first.gate.calls.dispatch(request))
  const { row } = (await opened.ports.tables.row('approvals', approval_id)) ?? {}
  const run_id = row?.run_id ?? ('' as RunId)
  const statusOf = async () => (await opened.ports.tables.row('runs', run_id))?.row.status
  first.dieAt(commit, moment)
  const asked = first.gate.runs.cancel(AGENT, run_id)
  await Promise.race([asked, until(() => first.isDead())])
  await until(async () => first.isDead() || (await statusOf()) === 'cancelled')
  const hasDied = first.isDead()
  if (!hasDied) await first.leave()
  const second = await mortalNode()
  const recovery = await recoverFromDead(second.ports, second.scheduler, () => {})
  // A client without an answer asks again, which changes nothing if the first request was stored.
  const again = await second.gate.runs.cancel(AGENT, run_id)
  if (!again.ok) expect(again.problem.code).toBe('run.ended')
  await until(async () => (await statusOf()) === 'cancelled')
  expect(await second.gate.calls.read(AGENT, call_id)).toMatchObject({ ok: true, value: { status: 'refused' } })
  expect(await second.gate.approvals.read(APPROVER, approval_id)).toMatchObject({ value: { state: 'withdrawn' } })
  const events = await opened.ports.journal.events(run_id, 0, 100)
  expect(events.filter(({ event }) => event.type === 'run.cancel')).toHaveLength(1)
  await recovery.stop()
  await second.scheduler.stop()
  await second.leave()
  return hasDied
}

test('a cancelled run ends once, wherever the process dies on the way, and its call never runs', async () => {
  const points: string[] = []
  for (let commit = 1; ; commit += 1) {
    const before = await cancelWithDeath(commit, 'before')
    const after = await cancelWithDeath(commit, 'after')
    if (before) points.push(`before ${commit}`)
    if (after) points.push(`after ${commit}`)
    if (!before && !after) break
  }
  // At least: the request, the step that asks for the withdrawal, the withdrawal itself, and the step that ends the run.
  expect(points.length).toBeGreaterThanOrEqual(8)
  expect(effectsIn(folder)).toEqual([])
})
