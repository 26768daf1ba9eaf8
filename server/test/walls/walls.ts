/** The rooms: which of our files and which npm packages each may import, and why. */
export type Room = {
  /** Folders or single files below `src/`. */
  readonly ours: readonly string[]
  readonly packages: readonly string[]
  readonly node: boolean
  readonly because: string
}

export const ROOMS: Readonly<Record<string, Room>> = {
  contract: {
    ours: ['contract'],
    packages: ['zod'],
    node: false,
    because: 'the browser imports it too',
  },
  core: {
    ours: ['contract', 'core'],
    packages: ['zod', 'ajv', 'canonicalize', 'yaml', '@marcbachmann/cel-js', 'unbash'],
    node: false,
    because: 'a decision must replay identically anywhere',
  },
  commands: {
    ours: ['contract', 'core', 'commands'],
    packages: ['zod'],
    node: false,
    because: 'it knows no engine and no protocol',
  },
  stores: {
    ours: ['contract', 'commands', 'stores', 'core/audit/chain.ts'],
    packages: ['pg', 'pg-boss', '@redis/client'],
    node: true,
    because: 'SQL holds no business rule; only the chain is linked inside the commit, where its sequence is known',
  },
  keys: {
    ours: ['contract', 'commands', 'keys'],
    packages: ['jose', '@simplewebauthn/server'],
    node: true,
    because: 'secrets stay in one room',
  },
  upstream: {
    ours: ['contract', 'commands', 'upstream'],
    packages: [
      '@ai-sdk/anthropic',
      '@ai-sdk/google',
      '@ai-sdk/openai-compatible',
      '@modelcontextprotocol/client',
      'ai',
      'matrix-js-sdk',
      'undici',
      'yaml',
      'zod',
    ],
    node: true,
    because: 'a tool server must not decide about its own calls',
  },
  telemetry: {
    ours: ['contract', 'commands', 'telemetry'],
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/sdk-metrics',
      '@opentelemetry/sdk-trace',
      '@opentelemetry/resources',
      '@opentelemetry/exporter-prometheus',
      '@opentelemetry/exporter-metrics-otlp-http',
      '@opentelemetry/exporter-trace-otlp-http',
    ],
    node: true,
    because: 'measuring a call must not change it',
  },
  doors: {
    ours: ['contract', 'commands', 'doors'],
    packages: ['hono', '@hono/node-server', '@hono/zod-openapi', 'commander', 'ink', 'react', 'zod'],
    node: true,
    because: 'a door that can reach the store can skip the checks',
  },
  client: {
    ours: ['contract/problems.ts', 'client'],
    packages: [],
    node: false,
    because: 'it is published for browsers and Node and needs nothing but fetch',
  },
  demo: {
    ours: ['demo'],
    packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/server-filesystem', 'zod'],
    node: true,
    because: 'a tool server is a separate program that does not know the gate',
  },
  boot: {
    ours: ['contract', 'commands', 'stores', 'keys', 'upstream', 'doors', 'boot', 'core/runs/kinds.ts', 'telemetry'],
    packages: ['pino', 'yaml', 'zod', 'z3-solver'],
    node: true,
    because: 'wiring happens in one place',
  },
}

/** Parts of a room that must not import each other. */
export const PARTITIONS: readonly { from: string; never: string; because: string }[] = [
  { from: 'doors/http', never: 'doors/cli', because: 'doors do not depend on each other' },
  { from: 'doors/http', never: 'doors/mcp', because: 'what the network doors share is in doors/entrance' },
  { from: 'doors/mcp', never: 'doors/cli', because: 'doors do not depend on each other' },
  { from: 'doors/mcp', never: 'doors/http', because: 'what the network doors share is in doors/entrance' },
  { from: 'doors/entrance', never: 'doors/cli', because: 'what the doors share does not depend on any of them' },
  { from: 'doors/entrance', never: 'doors/http', because: 'what the doors share does not depend on any of them' },
  { from: 'doors/entrance', never: 'doors/mcp', because: 'what the doors share does not depend on any of them' },
]
