import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OwnNames } from '../../../contract/judgement.ts'
import { ownNameIn } from './own-names.ts'

const OWN: OwnNames = { folder: '.sluice', files: ['admin.key', 'state/ledger.db'] }

test('law: names of fields that were compared before are judged like new ones', () => {
  const name = fc.constantFrom('text', 'admin.key', '.sluice/x', 'ADMIN.KEY', 'yek.nimda', 'a~1', 'ledger.db', 'path')
  fc.assert(
    fc.property(fc.array(fc.oneof(name, fc.string())), (names) => {
      const used = { ...OWN }
      for (const one of [...names, ...names])
        expect(ownNameIn(one, 'name', used)).toEqual(ownNameIn(one, 'name', { ...OWN }))
    }),
  )
  expect(ownNameIn('admin.key', 'name', OWN)).toMatchObject({ certainty: 'path' })
})
