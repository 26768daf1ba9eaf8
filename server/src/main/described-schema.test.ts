import { expect, test } from 'vitest'
import { describedSchema } from './described-schema.ts'

const { keys, schema } = describedSchema()

test('every key of the configuration has a sentence: add `.describe(…)` to its schema', () => {
  expect(keys.length).toBeGreaterThan(300)
  expect(keys.filter(({ description = '' }) => !/^[A-Z`].*\.$/.test(description)).map(({ path }) => path)).toEqual([])
})

test('editors read it from the schema', () => {
  expect(schema).toMatchObject({
    properties: { listen: { description: 'Where the gate listens for HTTP and MCP.' } },
  })
})
