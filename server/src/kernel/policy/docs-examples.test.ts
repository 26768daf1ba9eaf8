import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compilePolicy } from './compile-policy.ts'
import type { Policy } from './policy.ts'
import { spellFault } from './policy-faults.ts'
import { runCases } from './test-cases.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/policy.md'), 'utf8')
const digest = () => 'v'

/** The fenced blocks of the page: their kind and their content. */
const blocks = [...page.matchAll(/^```(\w+ \w+)\n(.*?)^```$/gms)].map(([, kind = '', text = '']) => ({ kind, text }))
const textOf = (kind: string) => blocks.find((block) => block.kind === kind)?.text ?? ''

function policyOf(text: string): Policy {
  const compiled = compilePolicy({ text, file: 'policy.yaml' }, { digest })
  if (!compiled.ok) throw new Error(compiled.faults.map(spellFault).join('\n'))
  return compiled.value
}

describe('docs/policy.md', () => {
  test('has the blocks that are tested here', () => {
    expect(blocks.map(({ kind }) => kind)).toEqual([
      'yaml policy',
      'yaml policy',
      'yaml broken',
      'text faults',
      'yaml cases',
    ])
  })

  test('its policies are valid', () => {
    const policies = blocks.filter(({ kind }) => kind === 'yaml policy').map(({ text }) => policyOf(text))
    expect(policies).toHaveLength(2)
  })

  test('its cases pass', () => {
    const policy = policyOf(blocks.filter(({ kind }) => kind === 'yaml policy')[1]?.text ?? '')
    const ran = runCases({ text: textOf('yaml cases'), file: 'cases.yaml' }, { digest, policy })
    if (!ran.ok) throw new Error(ran.faults.map(spellFault).join('\n'))
    expect(ran.results.filter(({ passed }) => !passed)).toEqual([])
    expect(ran.results).toHaveLength(5)
  })

  test('its broken policy gets the faults shown', () => {
    const compiled = compilePolicy({ text: textOf('yaml broken'), file: 'policy.yaml' }, { digest })
    const faults = compiled.ok ? [] : compiled.faults.map(spellFault)
    expect(`${faults.join('\n')}\n`).toBe(textOf('text faults'))
  })
})
