import { expect, test } from 'vitest'
import type { GuestPorts, Ports } from '../kernel/ports/guest-ports.ts'
import type { Preparation } from '../kernel/ports/prepare-guest.ts'
import { ok, refuse } from '../kernel/contract/problems.ts'
import type { Guest } from '../kernel/registries.ts'
import { prepareGuests } from './open-guests.ts'

const given = {} as Omit<Preparation, 'ports'>
const offer = (name: string) => ({ [name]: name }) as Partial<GuestPorts>

/** A guest that writes down what happens to it. */
function noting(seen: string[], name: string, more: Partial<Guest> = {}): Guest {
  return {
    name,
    prepare: () =>
      Promise.resolve(({ ports }) => {
        seen.push(`prepare ${name} with ${Object.keys(ports).join()}`)
        return ok({
          ports: offer(name),
          open: (known: Ports) => {
            seen.push(`open ${name} with ${Object.keys(known).join()}`)
            return { close: () => void seen.push(`close ${name}`) }
          },
        })
      }),
    ...more,
  }
}

test('a guest is prepared after those that it needs or uses, and closed before them', async () => {
  const seen: string[] = []
  const guests = [noting(seen, 'a', { needs: ['c'], uses: ['absent'] }), noting(seen, 'b'), noting(seen, 'c')]
  const prepared = await prepareGuests(guests, given)
  if (!prepared.ok) throw new Error(prepared.problem.code)
  expect(seen.splice(0)).toEqual(['prepare c with ', 'prepare a with c', 'prepare b with c,a'])
  expect(await prepared.value.open({} as Ports)).toEqual({ a: 'a', b: 'b', c: 'c' })
  expect(seen.splice(0)).toEqual(['open c with c,a,b', 'open a with c,a,b', 'open b with c,a,b'])
  await prepared.value.close()
  expect(seen).toEqual(['close b', 'close a', 'close c'])
})

test('a build without a needed guest starts no gate, and says which one is missing', async () => {
  const prepared = await prepareGuests([{ name: 'a', needs: ['c'] }], given)
  expect(prepared).toEqual(
    refuse('config.invalid', { paths: 'the guest `a` needs the guest `c`, which this build does not have' }),
  )
})

test('if one guest refuses, those before it are closed', async () => {
  const closed: string[] = []
  const first: Guest = { name: 'a', prepare: async () => () => ok({ close: () => void closed.push('a') }) }
  const second: Guest = { name: 'b', prepare: async () => () => refuse('config.invalid', { paths: 'b: wrong' }) }
  expect((await prepareGuests([first, second], given)).ok).toBe(false)
  expect(closed).toEqual(['a'])
})

test('two guests cannot offer the same port', async () => {
  const one = (name: string): Guest => ({ name, prepare: async () => () => ok({ ports: offer('x') }) })
  await expect(prepareGuests([one('a'), one('b')], given)).rejects.toThrow('two guests offer `x`')
})
