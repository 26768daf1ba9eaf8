import type { OwnNames } from '../../kernel/ports/files.ts'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
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

test('law: a name is found in any text, forwards and backwards, also if another name is not ASCII', () => {
  const name = fc.constantFrom('.sluice/x', 'admin.key', 'state/ledger.db', 'yek.nimda', 'bd.regdel/etats', 'Admin.Key')
  const words = fc.array(fc.constantFrom('cat', 'tar', '-x', 'sluice', 'a.key', 'état')).map((some) => some.join(' '))
  const more: OwnNames = { ...OWN, files: [...OWN.files, 'schlüssel.key'] }
  fc.assert(
    fc.property(words, name, words, (before, one, after) => {
      const text = `${before} ${one} ${after}`
      expect(ownNameIn(text, 'command', OWN)?.certainty).toBe('path')
      expect(ownNameIn(text, 'command', more)).toEqual(ownNameIn(text, 'command', OWN))
    }),
  )
  expect(ownNameIn('cat other.key', 'command', OWN)).toBeUndefined()
})
