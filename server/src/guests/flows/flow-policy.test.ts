import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { flowPolicyOf, passGates, type FlowEnv } from './flow-policy.ts'

const file = (value: unknown) => ({ text: JSON.stringify(value) })
const on = file({ flow_run_writes_enabled: true, execution: { automatable_enabled: true } })
const codeOf = (policy: ReturnType<typeof flowPolicyOf>, needs: 'writes' | 'execution') => {
  const passed = passGates(policy, needs)
  return passed.ok ? 'ok' : passed.problem.code
}

describe('the flow switches', () => {
  test.each([
    [{}, 'FLOW_RUN_WRITES_DISABLED', 'FLOW_AUTOMATABLE_EXECUTION_DISABLED'],
    [{ run_writes: '1' }, 'ok', 'FLOW_AUTOMATABLE_EXECUTION_DISABLED'],
    [{ automatable: 'true' }, 'FLOW_RUN_WRITES_DISABLED', 'FLOW_RUN_WRITES_DISABLED'],
    [{ run_writes: 'true', automatable: '1' }, 'ok', 'ok'],
    [{ run_writes: 'yes', automatable: 'TRUE' }, 'FLOW_RUN_WRITES_DISABLED', 'FLOW_AUTOMATABLE_EXECUTION_DISABLED'],
    [
      { run_writes: '1', automatable: '1', forbidden: '1' },
      'FLOW_EXECUTION_POLICY_FORBIDDEN',
      'FLOW_EXECUTION_POLICY_FORBIDDEN',
    ],
  ] as const)('without a file, %j', (env, writes, execution) => {
    const policy = flowPolicyOf('absent', env)
    expect([codeOf(policy, 'writes'), codeOf(policy, 'execution')]).toEqual([writes, execution])
  })

  test('the environment overrides the file, but cannot permit what the file forbids', () => {
    expect(codeOf(flowPolicyOf(on, { run_writes: '0' }), 'writes')).toBe('FLOW_RUN_WRITES_DISABLED')
    expect(codeOf(flowPolicyOf(on, { automatable: 'false' }), 'execution')).toBe('FLOW_AUTOMATABLE_EXECUTION_DISABLED')
    const forbids = file({ flow_run_writes_enabled: true, execution: { forbidden: true } })
    expect(codeOf(flowPolicyOf(forbids, { forbidden: '0' }), 'writes')).toBe('FLOW_EXECUTION_POLICY_FORBIDDEN')
    expect(codeOf(flowPolicyOf(on, { forbidden: 'maybe' }), 'execution')).toBe('ok')
  })

  test.each([
    'unreadable' as const,
    { text: '' },
    { text: '{' },
    { text: '[]' },
    { text: 'null' },
    file({ surprise: 1 }),
    file({ flow_run_writes_enabled: 'yes' }),
    file({ execution: { surprise: 1 } }),
    file({ execution: { max_cost_cap_units: 0 } }),
    file({ execution: { default_ttl_seconds: 1.5 } }),
  ])('%j rejects everything that is gated, whatever the environment says', (found) => {
    const env: FlowEnv = { run_writes: '1', automatable: '1', forbidden: '0' }
    expect(codeOf(flowPolicyOf(found, env), 'writes')).toBe('FLOW_EXECUTION_POLICY_FORBIDDEN')
    expect(codeOf(flowPolicyOf(found, env), 'execution')).toBe('FLOW_EXECUTION_POLICY_FORBIDDEN')
  })

  test('law: whatever numbers the file contains, every default is within its maximum and no time to live exceeds a day', () => {
    const number = fc.option(fc.integer({ min: 1, max: 10_000_000 }), { nil: undefined })
    const seconds = fc.option(fc.integer({ min: -10, max: 10_000_000 }), { nil: undefined })
    fc.assert(
      fc.property(number, number, seconds, seconds, (cost, max_cost, ttl, max_ttl) => {
        const execution = {
          ...(cost === undefined ? {} : { default_cost_cap_units: cost }),
          ...(max_cost === undefined ? {} : { max_cost_cap_units: max_cost }),
          ...(ttl === undefined ? {} : { default_ttl_seconds: ttl }),
          ...(max_ttl === undefined ? {} : { max_ttl_seconds: max_ttl }),
        }
        const policy = flowPolicyOf(file({ execution }), {})
        expect(policy).toBeDefined()
        if (policy === undefined) return
        expect(policy.default_cost_cap_units).toBeLessThanOrEqual(policy.max_cost_cap_units)
        expect(policy.default_ttl_seconds).toBeLessThanOrEqual(policy.max_ttl_seconds)
        expect(policy.max_ttl_seconds).toBeLessThanOrEqual(86_400)
        expect(Math.min(policy.default_ttl_seconds, policy.default_cost_cap_units)).toBeGreaterThanOrEqual(1)
      }),
    )
  })
})
