import { expect, test } from 'vitest'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { ungrounded } from './ungrounded.ts'

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    to: { type: 'string' },
    count: { type: 'number' },
    unit: { enum: ['celsius', 'kelvin'] },
    limit: { type: 'integer', default: 20 },
    urgent: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object', properties: { city: { type: 'string' } } },
  },
}
const PROMPT = 'Send  3 notes to Ana <ana@example.com> in New York, at -4.5 degrees'

test.each<[JsonObject, readonly string[]]>([
  [{ to: 'ana@example.com' }, []],
  [{ to: 'ANA' }, []],
  [{ to: 'new  york' }, []],
  [{ to: 'an' }, ['to']],
  [{ to: 'ork' }, ['to']],
  [{ to: 'bob@example.com' }, ['to']],
  [{ count: 3 }, []],
  [{ count: -4.5 }, []],
  [{ count: 30 }, ['count']],
  [{ count: 4 }, ['count']],
  [{ unit: 'kelvin' }, []],
  [{ unit: 'fahrenheit' }, ['unit']],
  [{ limit: 20 }, []],
  [{ limit: 21 }, ['limit']],
  [{ urgent: true }, []],
  [{ tags: ['notes', 'ana'] }, []],
  [{ tags: ['notes', 'secret'] }, ['tags']],
  [{ place: { city: 'New York' } }, []],
  [{ place: { city: 'Boston' } }, ['place']],
  [{ place: { country: 'New York' } }, ['place']],
  [{ no_answer_of: 'ana' }, []],
  [{ to: 'bob', count: 3, tags: ['x'] }, ['to', 'tags']],
])('%j: made up are %j', (args, made_up) => {
  expect(ungrounded(args, SCHEMA, PROMPT)).toEqual(made_up)
})

test('endlessly nested values count as made up', () => {
  expect(ungrounded({ tags: Array.from({ length: 600 }, () => 'ana') }, SCHEMA, PROMPT)).toEqual(['tags'])
})
