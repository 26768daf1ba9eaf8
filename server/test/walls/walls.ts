import { GUESTS } from '../../src/main/guests.ts'

/** The rings of the house: what each folder may import of ours and from npm, and why. */
export type Wall = {
  /** Prefixes of paths below `src/`. A folder may always import itself. */
  readonly ours: readonly string[]
  readonly packages: readonly string[]
  readonly node: boolean
  readonly because: string
}

const KERNEL: Wall = {
  ours: ['kernel/'],
  packages: ['zod'],
  node: false,
  because: 'a decision must replay identically anywhere, and the browser imports its words',
}

/** An adapter knows the kernel and one protocol or engine. */
const adapter = (packages: readonly string[], because: string, ours: readonly string[] = []): Wall => ({
  ours: ['kernel/', ...ours],
  packages,
  node: true,
  because,
})

const FOR_GUESTS = [
  'kernel/',
  'adapters/http/',
  'adapters/mcp/',
  'adapters/cli/',
  'adapters/upstream/',
  'adapters/keys/',
  'adapters/files/',
]

/** A guest knows the kernel, the doors and the way to tool servers, and the `api.ts` of the guests that its value says it needs. */
const guest = (name: string): Wall => ({
  ours: [...FOR_GUESTS, ...needsOf(name).map((need) => `guests/${need}/api.ts`)],
  packages: ['commander', 'zod', ...(PACKAGES_OF_GUESTS[name] ?? [])],
  node: true,
  because: 'removing a capability is removing its folder',
})

export const needsOf = (name: string): readonly string[] => GUESTS.find((guest) => guest.name === name)?.needs ?? []

const DOOR = 'a door that can reach the store can skip the checks'

/** What some guests have besides the schemas and commands that each may have. */
const PACKAGES_OF_GUESTS: Readonly<Record<string, readonly string[]>> = {
  flows: ['yaml'],
  hub: ['jose'],
  inbox: ['ink', 'react'],
  matrix: ['matrix-js-sdk'],
  models: ['ai', '@ai-sdk/anthropic', '@ai-sdk/google', '@ai-sdk/openai-compatible', 'yaml'],
  openapi: ['undici', 'yaml'],
  'policy-lint': ['z3-solver', '@marcbachmann/cel-js'],
  'server-logins': ['@modelcontextprotocol/client'],
  shell: ['unbash'],
  telemetry: [
    '@opentelemetry/api',
    '@opentelemetry/sdk-metrics',
    '@opentelemetry/sdk-trace',
    '@opentelemetry/resources',
    '@opentelemetry/exporter-prometheus',
    '@opentelemetry/exporter-metrics-otlp-http',
    '@opentelemetry/exporter-trace-otlp-http',
  ],
  workflows: ['yaml'],
}

/** By the first folders of a path, the longest that matches. A guest has its own without an entry. */
export const WALLS: Readonly<Record<string, Wall>> = {
  kernel: KERNEL,
  'kernel/audit': { ...KERNEL, packages: ['zod', 'canonicalize'] },
  'kernel/catalogue': { ...KERNEL, packages: ['canonicalize'] },
  'kernel/json': { ...KERNEL, packages: ['ajv', 'canonicalize'] },
  'kernel/policy': { ...KERNEL, packages: ['zod', 'yaml', '@marcbachmann/cel-js'] },

  'adapters/stores': adapter(
    ['pg', 'pg-boss', '@redis/client'],
    'a store keeps things and understands nothing: SQL holds no business rule',
  ),
  'adapters/keys': adapter(['jose', '@simplewebauthn/server'], 'secrets stay in one folder'),
  'adapters/upstream': adapter(
    ['@modelcontextprotocol/client', 'undici'],
    'a tool server must not decide about its own calls',
  ),
  'adapters/http': adapter(['hono', '@hono/node-server', '@hono/zod-openapi', 'zod'], DOOR),
  'adapters/mcp': adapter(['zod'], DOOR, ['adapters/http/']),
  'adapters/files': adapter(['jsonc-parser', 'smol-toml'], 'files of other programs are read and changed in one place'),
  'adapters/cli': adapter(['commander', 'zod'], DOOR, ['client/']),

  'guests/demo/servers': {
    ours: [],
    packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/server-filesystem', 'zod'],
    node: true,
    because: 'a tool server is a separate program that does not know the gate',
  },

  main: {
    ours: ['kernel/', 'adapters/', 'client/'],
    packages: ['commander', 'pino', 'yaml', 'zod'],
    node: true,
    because: 'only main/guests.ts names the guests, one line for each',
  },
  client: {
    ours: ['kernel/contract/problems.ts'],
    packages: [],
    node: false,
    because: 'it is published for browsers and Node and needs nothing but fetch',
  },
}

/** The nearest folder of a path that has a wall. */
export function wallOf(path: string): { readonly home: string; readonly wall: Wall } | undefined {
  const parts = path.split('/').slice(0, -1)
  for (let length = parts.length; length > 0; length -= 1) {
    const home = parts.slice(0, length).join('/')
    const wall = WALLS[home]
    if (wall !== undefined) return { home, wall }
    const [ring, name = ''] = home.split('/')
    if (length === 2 && ring === 'guests') return { home, wall: guest(name) }
  }
  return undefined
}
