import { describe, expect, test } from 'vitest'
import { keysOf, schemasAt } from './config-schema.ts'
import { envOverrides } from './env-overrides.ts'

const FILE = { servers: { 'my-mail': { url: 'https://mail.example' } } }
const setBy = (env: Record<string, string>, present: unknown = FILE) =>
  Object.fromEntries(envOverrides(env, present).overrides.map(({ path, value }) => [path.join('.'), value]))

describe('a variable sets a key', () => {
  test.each([
    ['SLUICE_LISTEN_PORT', '8080', 'listen.port', 8080],
    ['SLUICE_LISTEN_HOST', '::', 'listen.host', '::'],
    ['SLUICE_LISTEN_HOSTS', '[gate.example, other.example]', 'listen.hosts', ['gate.example', 'other.example']],
    ['SLUICE_LISTEN_LIMITS_HEADER_BYTES', '9000', 'listen.limits.header_bytes', 9000],
    ['SLUICE_APPROVALS_EXPIRES_S', '600', 'approvals.expires_s', 600],
    ['SLUICE_METRICS_OPEN', 'true', 'metrics.open', true],
    ['SLUICE_DATA', '0123', 'data', '0123'],
    ['SLUICE_POLICY', 'rules.yaml', 'policy', 'rules.yaml'],
    ['SLUICE_POLICY_PRESET', 'strict', 'policy.preset', 'strict'],
    ['SLUICE_SERVERS', '{ a: { url: "https://a.example" } }', 'servers', { a: { url: 'https://a.example' } }],
    ['SLUICE_SERVERS_NEW_URL', 'https://n.example', 'servers.new.url', 'https://n.example'],
    ['SLUICE_SERVERS_MY_MAIL_URL', 'https://m.example', 'servers.my-mail.url', 'https://m.example'],
    ['SLUICE_SERVERS_NEW_ENV_API_KEY', 'env:K', 'servers.new.env.API_KEY', 'env:K'],
    ['SLUICE_TELEMETRY_OTLP_ENDPOINT', 'https://o.example', 'telemetry.otlp.endpoint', 'https://o.example'],
  ])('%s=%s', (name, text, path, value) => expect(setBy({ [name]: text })).toEqual({ [path]: value }))

  test('every key that is in every configuration has its own name', () => {
    const paths = (above: readonly string[]): readonly (readonly string[])[] =>
      keysOf(schemasAt(above)).flatMap((key) => [[...above, key], ...paths([...above, key])])
    const all = paths([])
    expect(all.length).toBeGreaterThan(60)
    for (const path of all) {
      const read = envOverrides({ [`SLUICE_${path.join('_').toUpperCase()}`]: '1' }, {})
      expect(read.overrides[0]?.path).toEqual(path)
    }
  })
})

describe('a variable that is not a key', () => {
  test('is rejected if a key was probably meant', () => {
    const { overrides, faults } = envOverrides({ SLUICE_LISTEN_PROT: '1', SLUICE_APROVALS_EXPIRES_S: '1' }, {})
    expect(overrides).toEqual([])
    expect(faults.map(({ says }) => says)).toEqual([
      expect.stringContaining('SLUICE_APPROVALS_EXPIRES_S'),
      expect.stringContaining('SLUICE_LISTEN_PORT'),
    ])
  })

  test.each([
    ['of a platform that names services', 'SLUICE_SERVICE_HOST', '10.0.0.1'],
    ['of such a platform, for a port', 'SLUICE_PORT_7420_TCP', 'tcp://10.0.0.1:7420'],
    ['of a client', 'SLUICE_URL', 'http://gate.example'],
    ['with nothing in it', 'SLUICE_LISTEN_PORT', ''],
    ['without the prefix', 'LISTEN_PORT', '1'],
  ])('%s sets nothing and does no harm', (_, name, text) =>
    expect(envOverrides({ [name]: text }, {})).toMatchObject({ overrides: [], faults: [] }),
  )

  test('but a secret that the file references is not reported as mistyped', () => {
    const env = { SLUICE_LISTEN_PROT: 'hunter2' }
    expect(envOverrides(env, { servers: { a: { env: { K: 'env:SLUICE_LISTEN_PROT' } } } }).faults).toEqual([])
  })

  test('an invalid YAML value is reported without the value', () => {
    const { faults } = envOverrides({ SLUICE_LISTEN_HOSTS: '[hunter2' }, {})
    expect(faults).toHaveLength(1)
    expect(JSON.stringify(faults)).not.toContain('hunter2')
  })
})
