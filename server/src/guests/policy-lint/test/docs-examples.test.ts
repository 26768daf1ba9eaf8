import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compilePolicy } from '../../../kernel/policy/compile-policy.ts'
import { spellFault } from '../../../kernel/policy/policy-faults.ts'
import { lintPolicy } from '../find-in-policy.ts'

const POLICY = readFileSync(join(import.meta.dirname, '../../../../../docs/policy.md'), 'utf8')
const README = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
const blocksOf = (page: string, wanted: string) =>
  [...page.matchAll(/^```(\w+ \w+)\n(.*?)^```$/gms)].flatMap(([, kind, text = '']) => (kind === wanted ? [text] : []))

function findingsIn(text: string) {
  const compiled = compilePolicy({ text, file: 'policy.yaml' }, { digest: () => 'v' })
  if (!compiled.ok) throw new Error(compiled.faults.map(spellFault).join('\n'))
  return lintPolicy(compiled.value)
}

test('the policies of docs/policy.md have no lint findings', () => {
  expect(blocksOf(POLICY, 'yaml policy').map(findingsIn)).toEqual([[], []])
})

test('the example of the README gets the findings shown', () => {
  const found = findingsIn(blocksOf(README, 'yaml lint')[0] ?? '').map(
    ({ kind, source, says }) => `${kind} ${source}: ${says}`,
  )
  expect(`${found.join('\n')}\n`).toBe(blocksOf(README, 'text findings')[0])
})
