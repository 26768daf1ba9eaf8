import { expect, test } from 'vitest'
import { DESCRIPTIONS } from '../kernel/contract/config-descriptions.ts'
import { describedSchema } from './described-schema.ts'

const { keys, schema } = describedSchema()

test('every key of the configuration is described: add a sentence to kernel/contract/config-descriptions.ts', () => {
  expect(keys.length).toBeGreaterThan(300)
  expect(keys.filter(({ description }) => description === undefined).map(({ path }) => path)).toEqual([])
})

test('every description is a sentence', () => {
  for (const text of Object.values(DESCRIPTIONS)) expect(text).toMatch(/^[A-Z`].*\.$/)
})

test('editors read it from the schema', () => {
  expect(schema).toMatchObject({ properties: { listen: { description: DESCRIPTIONS['listen'] } } })
})
