import { expect, test } from 'vitest'
import { PROBLEMS } from './problems.ts'

test('every problem says what is wrong and what to do, in lower case and without a final period', () => {
  for (const [code, spec] of Object.entries(PROBLEMS)) {
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
  for (const [code, { says, do: remedy }] of Object.entries(PROBLEMS))
    if (!code.startsWith('agent.')) expect(`${code}: ${says}; ${remedy}`).not.toMatch(/: .*\bthreads?\b/)
})

/** Permanently public: add a line for a new code; never change or remove one. */
test('the codes and their HTTP statuses never change', async () => {
  await expect(
    Object.entries(PROBLEMS)
      .map(([code, { http }]) => `${code} ${http}`)
      .join('\n'),
  ).toMatchFileSnapshot('../../../test/goldens/problems.txt')
})
