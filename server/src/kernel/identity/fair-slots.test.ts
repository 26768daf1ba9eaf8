import { expect, test } from 'vitest'
import { fairSlots } from './fair-slots.ts'

/** Work that ends when it is told to; `running` has it in the order in which it was started. */
function rig(limits = { at_once: 3, per_place: 2, waiting: 6, waiting_per_place: 4 }) {
  const slots = fairSlots(limits)
  const running: { readonly name: string; end(): void }[] = []
  const refused: string[] = []
  const ask = (place: string, name: string) =>
    slots
      .run(place, () => {
        const { promise, resolve } = Promise.withResolvers<undefined>()
        running.push({ name, end: () => resolve(undefined) })
        return promise
      })
      .then((word) => (word === 'busy' ? refused.push(name) : 0))
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const names = () => running.map(({ name }) => name)
  const end = async (name: string) => {
    const [one] = running.splice(names().indexOf(name), 1)
    one?.end()
    await settle()
  }
  return { ask, names, refused, end, settle }
}

test('one place has only its share, and another does not wait for it', async () => {
  const { ask, names, end, settle } = rig()
  for (const nth of [1, 2, 3, 4]) void ask('crowd', `crowd ${nth}`)
  void ask('ana', 'ana')
  await settle()
  expect(names()).toEqual(['crowd 1', 'crowd 2', 'ana'])
  void ask('ben', 'ben')
  await end('crowd 1')
  await end('ana')
  // Ben asked after all of the crowd, and has his turn before the rest of it.
  expect(names()).toEqual(['crowd 2', 'crowd 3', 'ben'])
})

test('what waits is bounded, and the place with the most waiting gives way', async () => {
  const { ask, names, refused, end, settle } = rig()
  for (let nth = 1; nth <= 8; nth += 1) void ask('crowd', `crowd ${nth}`)
  for (const place of ['a', 'b', 'c']) void ask(place, place)
  await settle()
  expect(refused).toEqual(['crowd 7', 'crowd 8'])
  void ask('ana', 'ana')
  await settle()
  expect(refused).toEqual(['crowd 7', 'crowd 8', 'crowd 6'])
  for (const name of ['a', 'b', 'c']) {
    expect(names()).toContain(name)
    await end(name)
  }
  expect(names()).toContain('ana')
})

test('a slot is free again after work that failed', async () => {
  const slots = fairSlots({ at_once: 1, per_place: 1, waiting: 1, waiting_per_place: 1 })
  const fail = () => slots.run('a', () => Promise.reject(new Error('no answer')))
  await expect(fail()).rejects.toThrow('no answer')
  expect(await slots.run('b', async () => 'done')).toBe('done')
})
