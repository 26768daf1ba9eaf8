import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect } from 'vitest'
import type { ProbePoint } from '../../src/kernel/ports/runtime.ts'
import { copyLive } from '../live-files.ts'
import { effectsIn, openTestGate, until, type GateRig } from '../helpers/with-gate.ts'
import { stateOf } from './call-in-audit.ts'
import { CRASH_POLICY } from './crash-policy.ts'
import { graveyard, leftBy, type Left } from './dying.ts'
import { live, type CallScenario } from './dying-call.ts'

const root = graveyard()
afterAll(() => rmSync(root, { recursive: true, force: true }))

type Once = Exclude<CallScenario, 'retry'>
/** A call, or the approved retry of one whose gate was killed after the tool had run it. */
export type Dead = Once | `retry of ${Once}`

/** What each scenario leaves at its points. It lives once for all tests of a file. */
const lefts = new Map<Dead, Promise<readonly Left[]>>()
function leftByCall(dead: Dead): Promise<readonly Left[]> {
  const known = lefts.get(dead)
  if (known !== undefined) return known
  const left = liveUntilEnd(dead)
  lefts.set(dead, left)
  return left
}

async function liveUntilEnd(dead: Dead): Promise<readonly Left[]> {
  const folder = join(root, dead.replaceAll(' ', '-'))
  if (!dead.startsWith('retry of ')) return leftBy(folder, (dying) => live({ folder, scenario: dead as Once }, dying))
  copyLive(await leftAt(dead.slice('retry of '.length) as Once, 'upstream.after'), folder)
  return leftBy(folder, (dying) => live({ folder, scenario: 'retry' }, dying))
}

async function leftAt(dead: Dead, at: ProbePoint): Promise<string> {
  const left = (await leftByCall(dead)).find(({ point }) => point === at)
  if (left === undefined) throw new Error(`${dead} does not come to ${at}`)
  return left.folder
}

/** Opens a gate on what another left that was killed at its first visit of a point, and checks the outcome of the call. */
export async function afterDeath(dead: Dead, at: ProbePoint, look: (rig: GateRig) => Promise<void>): Promise<void> {
  const folder = join(root, `${dead} ${at}`.replaceAll(' ', '-'))
  copyLive(await leftAt(dead, at), folder)
  await lookAgain(folder, look)
  rmSync(folder, { recursive: true })
}

export async function lookAgain(folder: string, look: (rig: GateRig) => Promise<void>): Promise<void> {
  const rig = await openTestGate(folder, { policy: CRASH_POLICY })
  try {
    await look(rig)
    expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
  } finally {
    await rig.opened.close()
  }
}

/** Waits for what must happen, then a little longer for what must not. */
export async function settles(rig: GateRig, call_id: string, becomes: string, ran: number): Promise<void> {
  await until(async () => (await stateOf(rig, call_id)) === becomes)
  await sleep(100)
  expect(await stateOf(rig, call_id)).toBe(becomes)
  expect(effectsIn(rig.folder)).toHaveLength(ran)
}
