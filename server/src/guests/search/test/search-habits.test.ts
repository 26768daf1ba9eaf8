import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runToolflow } from '../../toolflow/run-toolflow.ts'
import type { Caller } from '../../../kernel/contract/caller.ts'
import { AGENT, openTestGate, until, type GateRig } from '../../../../test/helpers/with-gate.ts'

const OTHER: Caller = { kind: 'agent', id: 'agent:other', user: 'bo' }
const QUERY = 'write a note'

async function found(rig: GateRig, caller: Caller): Promise<readonly { skill_id: string; reason: string }[]> {
  const result = await rig.gate.catalogue.search(caller, QUERY, 5)
  if (!result.ok) throw new Error(JSON.stringify(result.problem))
  return result.value
}
const first = async (rig: GateRig, caller: Caller) => (await found(rig, caller))[0]?.skill_id
/** A tool that runs at once and is found, but not first. */
async function runALaterOne(rig: GateRig): Promise<string> {
  const later = (await found(rig, AGENT)).slice(1).find(({ skill_id }) => skill_id === 'book__find_note')?.skill_id
  if (later === undefined) throw new Error('the search has to find a read that is not first')
  expect(await rig.call(later, { title: 'milk' })).toMatchObject({ status: 'executed' })
  return later
}

test('if learning is on, the tool that a caller ran after a search comes first for that caller only, also after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-habits-'))
  const learning = { config: { search: { learn: true } } }
  try {
    const rig = await openTestGate(folder, learning)
    const before = await first(rig, OTHER)
    const later = await runALaterOne(rig)
    expect(later).not.toBe(before)
    await until(async () => (await first(rig, AGENT)) === later)
    expect((await found(rig, AGENT))[0]?.reason).toContain('run after a similar search')
    expect(await first(rig, OTHER)).toBe(before)
    await rig.opened.close()
    const again = await openTestGate(folder, learning)
    expect(await first(again, AGENT)).toBe(later)
    const flow = await runToolflow(again.ports, AGENT, { user_prompt: QUERY, top_k: 5 }, { wait_ms: 60_000 })
    expect(JSON.stringify(flow)).not.toContain('run after a similar search')
    await again.opened.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('nothing is learned by default', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-habits-'))
  try {
    const rig = await openTestGate(folder)
    const before = await found(rig, AGENT)
    await runALaterOne(rig)
    await rig.opened.close()
    const learning = await openTestGate(folder, { config: { search: { learn: true } } })
    expect(await found(learning, AGENT)).toEqual(before)
    await learning.opened.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
