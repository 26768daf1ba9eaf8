import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startChild } from '../../../test/built/start-child.ts'
import type { Liveness } from '../../kernel/ports/liveness.ts'

export type Joined = Liveness & { leave(): void | Promise<void> }

/** What an implementation provides to the suite. */
export type LivenessUnderTest = {
  /** The address of a new, empty store. */
  readonly create: () => Promise<string>
  /** A new boot at a store. */
  readonly join: (address: string) => Promise<Joined>
  /** A script that joins the store `argv[2]` in its own process, prints its boot, and waits. */
  readonly joiner: URL
  /** How long after its death a boot may still be considered alive. */
  readonly lease_ms: number
}

/** Every implementation of Liveness passes this. Tests of a single one go in its own test file. */
export function livenessSuite(name: string, under: LivenessUnderTest): void {
  describe(`${name} liveness`, () => {
    const cleanUp: (() => unknown)[] = []
    afterEach(async () => {
      for (const end of cleanUp.splice(0)) await end()
    })
    async function join(address: string): Promise<Joined> {
      const joined = await under.join(address)
      cleanUp.push(() => joined.leave())
      return joined
    }
    async function startElsewhere(address: string): Promise<{ boot: string; kill(): Promise<void> }> {
      const child = startChild(fileURLToPath(under.joiner), [address])
      cleanUp.push(child.kill)
      return { boot: await child.line(), kill: child.kill }
    }
    const within = { timeout: under.lease_ms + 60_000, interval: 20 }

    test('boots see themselves and each other alive, under different names', async () => {
      const address = await under.create()
      const [one, other] = [await join(address), await join(address)]
      expect(one.boot).not.toBe(other.boot)
      for (const seer of [one, other]) for (const { boot } of [one, other]) expect(await seer.isAlive(boot)).toBe(true)
    })

    test('an unknown boot is not alive, whatever it is called', async () => {
      const one = await join(await under.create())
      const strange = ['', 'x', '0'.repeat(16), '../../etc/passwd', `${one.boot}/..`, one.boot.toUpperCase(), 'a\0b']
      for (const boot of strange.filter((each) => each !== one.boot)) expect(await one.isAlive(boot)).toBe(false)
    })

    test('a boot that left is dead immediately and permanently, and others are notified once', async () => {
      const address = await under.create()
      const [one, other] = [await join(address), await join(address)]
      const deaths: string[] = []
      one.onDeath((boot) => void deaths.push(boot))
      expect(await one.isAlive(other.boot)).toBe(true)
      await other.leave()
      expect([await one.isAlive(other.boot), await one.isAlive(other.boot)]).toEqual([false, false])
      expect(await other.isAlive(other.boot)).toBe(false)
      expect([one.mayAct(), other.mayAct()]).toEqual([true, false])
      expect(deaths).toEqual([other.boot])
    })

    test('boots of another store are unknown', async () => {
      const [one, other] = [await join(await under.create()), await join(await under.create())]
      expect(await one.isAlive(other.boot)).toBe(false)
      expect(await other.isAlive(other.boot)).toBe(true)
    })

    test('a killed process is detected as dead without being asked about, and a working one stays alive', async () => {
      const address = await under.create()
      const one = await join(address)
      const [killed, kept] = await Promise.all([startElsewhere(address), startElsewhere(address)])
      const onDeath = vi.fn()
      one.onDeath(onDeath)
      expect([await one.isAlive(killed.boot), await one.isAlive(kept.boot)]).toEqual([true, true])
      await killed.kill()
      await vi.waitFor(() => expect(onDeath).toHaveBeenCalledWith(killed.boot), within)
      expect([await one.isAlive(killed.boot), await one.isAlive(kept.boot)]).toEqual([false, true])
      expect(onDeath).toHaveBeenCalledTimes(1)
    })
  })
}
