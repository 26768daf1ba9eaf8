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

/** A guest knows the kernel, the doors and the way to tool servers, and the `api.ts` of the guests it needs. */
const guest = (packages: readonly string[], needs: readonly string[] = []): Wall => ({
  ours: [...FOR_GUESTS, ...needs.map((name) => `guests/${name}/api.ts`)],
  packages,
  node: true,
  because: 'removing a capability is removing its folder',
})

const DOOR = 'a door that can reach the store can skip the checks'

/** By the first folders of a path, the longest that matches. */
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
  'adapters/files': adapter([], 'files of other programs are read and changed in one place'),
  'adapters/cli': adapter(['commander', 'zod'], DOOR, ['client/']),

  'guests/activity': guest(['commander']),
  'guests/agent': guest(['commander', 'zod'], ['workflows', 'models']),
  'guests/chat': guest([]),
  'guests/commands': guest(['zod']),
  'guests/content': guest(['zod'], ['sandbox']),
  'guests/demo': guest(['commander']),
  'guests/demo/servers': {
    ours: [],
    packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/server-filesystem', 'zod'],
    node: true,
    because: 'a tool server is a separate program that does not know the gate',
  },
  'guests/flows': guest(['commander', 'yaml', 'zod'], ['models', 'toolflow']),
  'guests/hooks': guest(['commander', 'zod']),
  'guests/hub': guest(['commander', 'jose', 'zod']),
  'guests/inbox': guest(['ink', 'react']),
  'guests/matrix': guest(['matrix-js-sdk', 'zod']),
  'guests/models': guest(['ai', '@ai-sdk/anthropic', '@ai-sdk/google', '@ai-sdk/openai-compatible', 'yaml', 'zod']),
  'guests/openapi': guest(['undici', 'yaml', 'zod']),
  'guests/packs': guest(['commander', 'zod']),
  'guests/policy-lint': guest(['z3-solver', '@marcbachmann/cel-js']),
  'guests/provenance': guest(['zod']),
  'guests/push': guest(['zod']),
  'guests/risk': guest([]),
  'guests/sandbox': guest(['zod']),
  'guests/search': guest(['zod']),
  'guests/sentences': guest([]),
  'guests/serenity': guest(['commander', 'zod']),
  'guests/server-logins': guest(['commander', '@modelcontextprotocol/client', 'zod']),
  'guests/shell': guest(['unbash']),
  'guests/telemetry': guest([
    'zod',
    '@opentelemetry/api',
    '@opentelemetry/sdk-metrics',
    '@opentelemetry/sdk-trace',
    '@opentelemetry/resources',
    '@opentelemetry/exporter-prometheus',
    '@opentelemetry/exporter-metrics-otlp-http',
    '@opentelemetry/exporter-trace-otlp-http',
  ]),
  'guests/toolflow': guest(['commander', 'zod'], ['serenity']),
  'guests/web-push': guest(['zod']),
  'guests/webhook': guest(['zod']),
  'guests/workflows': guest(['commander', 'yaml', 'zod'], ['models']),

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
  }
  return undefined
}
