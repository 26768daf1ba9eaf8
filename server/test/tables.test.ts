import { expect, test } from 'vitest'
import { STORED_TABLES } from '../src/adapters/stores/listed.ts'
import { LISTED_BY } from '../src/kernel/ports/ledger.ts'
import { tableEntries } from '../src/main/guest-parts.ts'

/** The schemas of both engines are compared with `STORED_TABLES` in adapters/stores. */
test('the kernel and the guests declare tables and listed fields that the engines store', async () => {
  const guests = (await tableEntries()).map(({ table, listed_by }) => [table, [...listed_by]] as const)
  const declared = [...Object.entries(LISTED_BY), ...guests]
  expect(new Set(declared.map(([table]) => table)).size).toBe(declared.length)
  expect(STORED_TABLES).toMatchObject(Object.fromEntries(declared))
})
