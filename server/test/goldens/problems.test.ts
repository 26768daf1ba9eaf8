import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { KERNEL_PROBLEMS } from '../../src/kernel/contract/problems.ts'
import { allProblems } from '../../src/kernel/registries.ts'
import { GUESTS } from '../../src/main/guests.ts'

const PROBLEMS = Object.entries(await allProblems(GUESTS))

test('every problem says what is wrong and what to do, in lower case and without a final period', () => {
  for (const [code, spec] of PROBLEMS) {
    // Flow codes keep the names that their clients know.
    expect(code).toMatch(/^([a-z]+(\.[a-z_]+)?|[A-Z]+(_[A-Z]+)+|unknown_(flow|run|consent))$/)
    for (const sentence of [spec.says, spec.do]) {
      expect(sentence).toMatch(/^[a-z`]/)
      expect(sentence).not.toMatch(/\.$/)
    }
    expect(spec.http).toBeGreaterThanOrEqual(400)
  }
})

test('what a call belongs to is called a session; a thread is a conversation with the agent', () => {
  for (const [code, { says, do: remedy }] of PROBLEMS)
    if (!code.startsWith('agent.')) expect(`${code}: ${says}; ${remedy}`).not.toMatch(/: .*\bthreads?\b/)
})

test('no code is in two tables', async () => {
  const tables = await Promise.all(GUESTS.map(async ({ problems }) => Object.keys((await problems?.()) ?? {})))
  expect(tables.flat().length + Object.keys(KERNEL_PROBLEMS).length).toBe(PROBLEMS.length)
})

/** Permanently public, in the order of publication: add a line for a new code; never change or remove one. */
test('the codes and their HTTP statuses never change', () => {
  const pinned = readFileSync(new URL('problems.txt', import.meta.url), 'utf8').trimEnd().split('\n')
  expect(PROBLEMS.map(([code, { http }]) => `${code} ${http}`).toSorted()).toEqual(pinned.toSorted())
})
