import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { built } from '../built/built.ts'
import type { ProbePoint } from '../../src/kernel/ports/runtime.ts'
import { effectsIn, openTestGate, until, type GateRig } from '../helpers/with-gate.ts'
import { stateOf } from './call-in-audit.ts'
import { CRASH_POLICY } from './crash-policy.ts'

/** Kills a gate at a named point of a scenario, starts another on the same folder and checks the outcome of the call. */
export const afterDeath = (scenario: string, at: ProbePoint, look: (rig: GateRig) => Promise<void>): Promise<void> =>
  afterDeaths([[scenario, at]], look)

/** The same for several gates, one after the other. */
export async function afterDeaths(
  deaths: readonly (readonly [scenario: string, at: ProbePoint])[],
  look: (rig: GateRig) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-crash-'))
  try {
    for (const [scenario, at] of deaths) {
      const words = [built(join(import.meta.dirname, 'gate-child.ts')), folder, scenario, at]
      const child = spawnSync(process.execPath, words, { encoding: 'utf8' })
      expect(`${child.signal} ${child.stdout}`).toContain(`died at ${at}`)
      expect(child.signal).toBe('SIGKILL')
    }
    const rig = await openTestGate(folder, { policy: CRASH_POLICY })
    await look(rig)
    expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
    await rig.opened.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Waits for what must happen, then a little longer for what must not. */
export async function settles(rig: GateRig, call_id: string, becomes: string, ran: number): Promise<void> {
  await until(async () => (await stateOf(rig, call_id)) === becomes)
  await sleep(100)
  expect(await stateOf(rig, call_id)).toBe(becomes)
  expect(effectsIn(rig.folder)).toHaveLength(ran)
}
