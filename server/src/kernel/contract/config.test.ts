import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../test/read-config.ts'
import { hasKey } from '../../../test/this-build.ts'

const faultsOf = (value: unknown) => {
  const read = readConfig(value)
  return read.ok ? 'no fault' : read.problem.about['paths']
}
const server = (settings: object) => ({ servers: { mail: { command: 'node', ...settings } } })

describe('the configuration', () => {
  test('an empty file means these defaults', () => {
    const own = {
      listen: {
        host: '127.0.0.1',
        port: 7420,
        hosts: [],
        proxies: { addresses: [], header: 'x-forwarded-for' },
        limits: { connections: 4_096, headers_ms: 10_000, request_ms: 30_000, header_bytes: 16_384 },
      },
      data: './.sluice',
      policy: { preset: 'careful', rules: [] },
      store: { schema: 'sluice' },
      servers: {},
      approvals: {
        expires_s: 86_400,
        expires_s_for: {},
        pending_per_caller: 200,
        pending_bytes_per_caller: 20_000_000,
        strong: 'role',
        tokens: 'simple',
        groups: {},
        routes: [],
      },
      retention: { calls: 30, artifacts: 30, journals: 90 },
      audit: { checkpoint_entries: 1_000, checkpoint_seconds: 60 },
      auth: { failures: { per_address: 30, overall: 1_000, window_s: 60 }, oidc: [] },
      budgets: [],
      mcp: { surface: 'auto', evict_over: 40_000 },
      guards: { without: [] },
      repetition: { most: 5, within_s: 600, denied_for: 86_400 },
    }
    const channels = { webhooks: [], push: [], push_services: [], matrix: [] }
    const ofGuests = {
      transports: [],
      nodes: {},
      metrics: { open: false },
      telemetry: {},
      dlp: { outputs: 'secrets', messages: 'secrets', rules: [] },
      traps: { tokens: [], files: [] },
      toolflow: { close_within: 0.1, floor: 0.5 },
      models: { lanes: {} },
      flows: { grants: [], skill_packs: {}, evaluation: 'required' },
      agent: {
        message_chars: 10_000,
        tools: 8,
        context_chars: 60_000,
        model_calls: 1_000,
        tokens: 2_000_000,
        cost: 10,
        idle_days: 30,
        intent: 'rules',
      },
      provenance: { mode: 'balanced' },
      search: { learn: false },
    }
    const here = (values: object, below = '') =>
      Object.fromEntries(Object.entries(values).filter(([key]) => hasKey(`${below}${key}`)))
    const value = { ...own, channels: here(channels, 'channels.'), ...here(ofGuests) }
    for (const empty of [undefined, null, {}]) expect(readConfig(empty)).toEqual({ ok: true, value })
  })

  test('a server needs only its command', () =>
    expect(readConfig(server({}))).toMatchObject({
      value: {
        servers: {
          mail: {
            args: [],
            env: {},
            timeout_ms: 30_000,
            concurrency: 16,
            output_limit: 10_485_760,
            trusted: false,
            tools: {},
          },
        },
      },
    }))

  test('a policy is a path or the policy itself', () => {
    expect(readConfig({ policy: './policy.yaml' })).toMatchObject({ value: { policy: './policy.yaml' } })
    expect(readConfig({ policy: { preset: 'strict' } })).toMatchObject({ value: { policy: { preset: 'strict' } } })
  })

  const faults: [unknown, string][] = [
    [{ lisen: {} }, 'lisen: unknown key'],
    [{ listen: { prot: 1 } }, 'listen.prot: unknown key'],
    [server({ timeout: 1 }), 'servers.mail.timeout: unknown key'],
    [server({ tools: { send: { efects: ['read'] } } }), 'servers.mail.tools.send.efects: unknown key'],
    [
      server({ tools: { send: { dry_run: { effects_free: true } } } }),
      'servers.mail.tools.send.dry_run.effects_free: unknown key',
    ],
    [{ policy: { rulez: [] } }, 'policy.rulez: unknown key'],
    [{ approvals: { expires: 1 } }, 'approvals.expires: unknown key'],
    [{ audit: { every: 1 } }, 'audit.every: unknown key'],
  ]
  for (const [value, says] of faults)
    test(`an unknown key is an error: ${says}`, () => expect(faultsOf(value)).toBe(says))

  test('server names contain no underscore, so the first `__` of a tool id separates', () => {
    for (const name of ['a__b', 'a_b', 'Mail', '-a', '', 'a'.repeat(33), 'a.b'])
      expect(faultsOf({ servers: { [name]: { command: 'x' } } })).toContain('a server name has 1 to 32')
    for (const name of ['a', '0', 'a-b', 'a'.repeat(32)])
      expect(faultsOf({ servers: { [name]: { command: 'x' } } })).toBe('no fault')
  })

  test('values that are out of range, of the wrong type or missing are named by their path, without repeating them', () => {
    expect(faultsOf({ listen: { port: 70_000 } })).toMatch(/^listen\.port: /)
    expect(faultsOf({ servers: { mail: {} } })).toMatch(/^servers\.mail\.command: /)
    expect(faultsOf({ policy: 3 })).toMatch(/^policy: /)
    expect(faultsOf([])).toMatch(/^the file: /)
    expect(faultsOf(server({ tools: { send: { effects: [] } } }))).toMatch(/^servers\.mail\.tools\.send\.effects: /)
    expect(faultsOf(server({ env: { KEY: ['hunter2'] }, cwd: 7 }))).not.toContain('hunter2')
  })

  test('all faults are reported at once, with their places if known', () => {
    const read = readConfig({ lisen: 1, data: 7 }, ([first]) => (first === 'data' ? 'line 7' : undefined))
    expect(read.ok ? '' : read.problem.about['paths']).toMatch(/^data \(line 7\): .*; lisen: unknown key$/)
  })
})
