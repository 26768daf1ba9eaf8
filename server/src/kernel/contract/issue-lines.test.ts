import { expect, test } from 'vitest'
import { z } from 'zod'
import { issueLines } from './issue-lines.ts'
import { PauseScope } from './pause.ts'

const Sample = z.strictObject({
  to: z.string().min(1).max(5),
  many: z.array(z.string()).min(1).optional(),
  days: z.int().min(1).max(30).optional(),
  cost: z.number().gt(0).optional(),
  kind: z.enum(['user', 'approver']).optional(),
  on: z.boolean().optional(),
  v: z.literal(1).optional(),
  scope: PauseScope.optional(),
  either: z.union([z.string(), z.strictObject({ id: z.string() })]).optional(),
  slug: z
    .string()
    .regex(/^[a-z]+$/, 'only small letters')
    .optional(),
  more: z.record(z.string(), z.number()).optional(),
  way: z
    .discriminatedUnion('is', [z.strictObject({ is: z.literal('up') }), z.strictObject({ is: z.literal('down') })])
    .optional(),
})

test.each([
  [{}, ['to: missing']],
  [[], ['the body: must be an object']],
  [{ to: 1 }, ['to: must be a string']],
  [{ to: '' }, ['to: must have at least 1 character']],
  [{ to: 'abcdef' }, ['to: must have at most 5 characters']],
  [{ to: 'a', many: [] }, ['many: must have at least 1 item']],
  [{ to: 'a', many: [1] }, ['many.0: must be a string']],
  [{ to: 'a', days: 31 }, ['days: must be at most 30']],
  [{ to: 'a', days: 1.5 }, ['days: must be a whole number']],
  [{ to: 'a', cost: 0 }, ['cost: must be more than 0']],
  [{ to: 'a', kind: 'agnt' }, ['kind: must be one of user, approver']],
  [{ to: 'a', on: 'yes' }, ['on: must be true or false']],
  [{ to: 'a', v: 2 }, ['v: must be 1']],
  [{ to: 'a', scope: 'caler:x' }, ['scope: must be all, caller:ID, tool:ID or server:NAME']],
  [{ to: 'a', either: 1 }, ['either: must be a string, or must be an object']],
  [{ to: 'a', either: { id: 1 } }, ['either.id: must be a string']],
  [{ to: 'a', slug: 'A' }, ['slug: only small letters']],
  [{ to: 'a', more: { x: 'y' } }, ['more.x: must be a number']],
  [{ to: 'a', way: { is: 'upp' } }, ['way.is: must be one of up, down']],
  [{ to: 'a', tto: 'b', x: 1 }, ['tto: unknown field', 'x: unknown field']],
])('%j is reported plainly', (value, lines) => {
  expect(issueLines(Sample.safeParse(value).error?.issues ?? [], 'the body')).toEqual(lines)
})

test('a report stays short, however many fields are wrong and however long their names are', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, nth) => [`${nth}${'x'.repeat(1_000)}`, 1]))
  const lines = issueLines(Sample.safeParse({ to: 'a', ...many }).error?.issues ?? [], 'the body')
  expect(lines).toHaveLength(21)
  expect(lines.at(-1)).toBe('and 980 more')
  expect(lines.join('; ').length).toBeLessThan(3_000)
})
