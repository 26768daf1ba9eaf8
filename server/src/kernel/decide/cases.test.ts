import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { Call } from '../contract/call.ts'
import { riskClassOf } from '../catalogue/effects.ts'
import { compilePolicy } from '../policy/compile-policy.ts'
import { callFrom } from '../policy/described-call.ts'
import type { Policy } from '../policy/policy.ts'
import { runCases } from '../policy/test-cases.ts'
import { decide } from '../../../test/judging.ts'
import { neutralFacts } from './neutral-facts.suite.ts'
import { caseFiles, type GateCase, gateVerdict, readCases } from '../../../test/cases/read-cases.ts'

const HASH = 'a'.repeat(64)
const digest = () => HASH
const cases = readCases()

function policyOf(written: object): Policy {
  const compiled = compilePolicy({ text: stringify(written), file: 'policy.yaml' }, { digest })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
  return compiled.value
}

/** The case as a complete gate would judge it, given only the call. */
function decided({ policy, tool, args, caller, facts: stated }: GateCase) {
  const described = callFrom({ ...tool, tool: tool.id, args, caller: caller.id, role: caller.role, user: caller.user })
  const { row, ...rest } = described.facts.tool
  const admitted = { hash: HASH, definition: row.definition, at: 0, by: 'first-listing' }
  const call: Call = {
    ...described.call,
    call_id: 'call_000000000000000000000000',
    tool_id: tool.id,
    server: row.server,
    definition_hash: HASH,
    args_hash: HASH,
    trace: 'trace',
    received_at: 0,
  }
  const facts = {
    ...neutralFacts({ ...rest, row: { ...row, definition_hash: HASH, admitted } }),
    tags: tool.tags,
    lane: null,
    sandboxed: tool.sandboxed ?? false,
    ...stated,
  }
  return decide(policyOf(policy), call, facts)
}

describe('the cases', () => {
  test.each(caseFiles())('in $file pass as policy cases', (source) => {
    const ran = runCases(source, { digest, policy: policyOf({}) })
    if (!ran.ok) throw new Error(JSON.stringify(ran.faults))
    expect(ran.results.filter(({ passed }) => !passed)).toEqual([])
  })

  test.each(cases)('$file: $name', (one) => {
    const verdict = decided(one)
    expect(verdict).toMatchObject(gateVerdict(one))
    const rules = verdict.evidence.filter(({ effect }) => effect === one.expected.effect).map(({ rule }) => rule)
    if (one.expected.rule !== undefined) expect(rules).toContain(one.expected.rule)
  })

  test('infer the same effects for each tool every time, and the matching risk', () => {
    const said = new Map<string, string>()
    for (const { tool } of cases) {
      expect(tool.risk).toBe(riskClassOf(tool.effects, tool.tags))
      expect(said.get(tool.id) ?? JSON.stringify(tool)).toBe(JSON.stringify(tool))
      said.set(tool.id, JSON.stringify(tool))
    }
  })

  test('cover all three effects, all three presets and more than one role', () => {
    expect(new Set(cases.map(({ expected }) => expected.effect))).toEqual(new Set(['allow', 'ask', 'block']))
    expect(new Set(cases.map(({ policy }) => policy.preset ?? 'careful'))).toEqual(
      new Set(['careful', 'strict', 'observe']),
    )
    expect(new Set(cases.map(({ caller }) => caller.role)).size).toBeGreaterThan(2)
  })
})
