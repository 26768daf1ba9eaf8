import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/kernel/contract/config.ts'
import { DECIDERS } from '../../src/kernel/decide/deciders.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/judgement.md'), 'utf8')
const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text ?? '')

describe('the page about judgement', () => {
  test.each(examples.map((text) => [text.split('\n')[0], text] as const))(
    'shows a valid configuration: %s',
    (_, text) => {
      expect(readConfig(parse(text))).toMatchObject({ ok: true })
    },
  )

  test('has an example for every section, and a row for every decider', () => {
    expect(examples).toHaveLength(6)
    for (const { name } of DECIDERS) expect(page).toMatch(new RegExp(`^\\| \\[?${name}\\b`, 'm'))
  })
})
