import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { reportingEnv, REPORTING } from './allocated.ts'
import { startExecutor } from './executor.ts'
import { peerFile } from './peers.ts'
import type { Target } from './sessions.ts'

export const UPSTREAMS = ['http', 'stdio'] as const
export type Upstream = (typeof UPSTREAMS)[number]
/** `sluice_read`: the same gate, whose operator declared that the tool only reads. */
export const SYSTEMS = [
  'direct',
  'lean',
  'sluice',
  'sluice_read',
  'sdk',
  'mcp-hub',
  'mcp-proxy',
  'supergateway',
  'executor',
] as const
export type System = (typeof SYSTEMS)[number]
export const isOurs = (system: string): boolean => system === 'sluice' || system === 'sluice_read'

/** The address to load, and the process whose CPU time counts; without a pid there is no gateway. */
export type Running = { readonly target: Target; readonly child?: ChildProcess; readonly folder?: string }

type Setting = {
  readonly upstream: Upstream
  /** The tool server, where it is reached over HTTP. */
  readonly url: string
  /** A folder of its own. */
  readonly folder: string
}
type Start = (setting: Setting) => Promise<Running>

const node = process.execPath
const here = (file: string) => join(import.meta.dirname, file)
const LAUNCHER = here('../../bin/sluice')
const TOOL_SERVER = [node, here('tool-server.ts'), 'stdio'] as const
export const [TOOL_COMMAND, ...TOOL_ARGS] = TOOL_SERVER

/** Configured as their documentation says: no option that would make one slower, and none that only a bench would use. */
export const STARTS: Record<System, Start> = {
  async direct({ upstream, url }) {
    const target: Target =
      upstream === 'http'
        ? { speaks: 'http', url, tool: 'echo' }
        : { speaks: 'stdio', command: TOOL_SERVER, tool: 'echo' }
    return { target }
  },
  lean: (setting) => ours('lean-proxy.ts', 'echo', setting),
  sdk: (setting) => ours('sdk-gateway.ts', 'bench__echo', setting),
  sluice: (setting) => startSluice(setting),
  sluice_read: (setting) => startSluice(setting, { echo: { effects: ['read'] } }),
  async 'mcp-hub'({ upstream, url, folder }) {
    const bench = upstream === 'http' ? { url } : { command: TOOL_COMMAND, args: TOOL_ARGS }
    writeFileSync(join(folder, 'hub.json'), JSON.stringify({ mcpServers: { bench } }))
    const port = await freePort()
    const words = ['--port', String(port), '--config', join(folder, 'hub.json')]
    const child = start([node, peerFile('mcp-hub', 'dist/cli.js'), ...words], folder)
    return { child, folder, target: { speaks: 'events', url: `http://127.0.0.1:${port}/mcp`, tool: 'bench__echo' } }
  },
  async 'mcp-proxy'({ folder }) {
    const port = await freePort()
    const words = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream', '--', ...TOOL_SERVER]
    const child = start([node, peerFile('mcp-proxy', 'dist/bin/mcp-proxy.mjs'), ...words], folder)
    return { child, folder, target: { speaks: 'http', url: `http://127.0.0.1:${port}/mcp`, tool: 'echo' } }
  },
  async supergateway({ folder }) {
    const port = await freePort()
    const stdio = TOOL_SERVER.map((word) => `"${word}"`).join(' ')
    const words = ['--stdio', stdio, '--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none']
    const child = start([node, peerFile('supergateway', 'dist/index.js'), ...words, '--port', String(port)], folder)
    return { child, folder, target: { speaks: 'http', url: `http://127.0.0.1:${port}/mcp`, tool: 'echo' } }
  },
  async executor({ upstream, url, folder }) {
    const server = upstream === 'http' ? { url } : { command: TOOL_COMMAND, args: TOOL_ARGS }
    const { child, url: at, tool } = await startExecutor(folder, await freePort(), server)
    // No folder: it is not a Node program, so it does not report what it allocates.
    return { child, target: { speaks: 'http', url: `${at}/mcp`, tool: 'execute', code: tool } }
  },
}

/** mcp-proxy and supergateway only forward a child's pipes over HTTP. */
export const reaches = (system: System, upstream: Upstream): boolean =>
  upstream === 'stdio' || (system !== 'mcp-proxy' && system !== 'supergateway')

async function ours(file: string, tool: string, { upstream, url, folder }: Setting): Promise<Running> {
  const where = upstream === 'http' ? [url] : TOOL_SERVER
  const child = start([node, here(file), upstream, ...where], folder, 'pipe')
  return { child, folder, target: { speaks: 'http', url: `http://127.0.0.1:${await firstLine(child)}/mcp`, tool } }
}

/** As an operator would run it: everything on by default, one rule for the tool, no limit on concurrent calls. */
async function startSluice(setting: Setting, tools: object = {}): Promise<Running> {
  const { child, address } = await startGate(setting, { tools })
  const key = keyOf(setting.folder, 'agent', 'bench')
  return { child, folder: setting.folder, target: { speaks: 'http', url: `${address}/mcp`, tool: 'bench__echo', key } }
}

/** A gate, with more of a configuration where a measurement needs it. */
export async function startGate(
  { upstream, url, folder }: Setting,
  {
    rules = [],
    tools = {},
    ...more
  }: { readonly rules?: readonly object[]; readonly tools?: object; readonly [key: string]: unknown } = {},
): Promise<{ readonly child: ChildProcess; readonly address: string }> {
  const reached = upstream === 'http' ? { url } : { command: TOOL_COMMAND, args: TOOL_ARGS }
  const rule = { id: 'echo', effect: 'allow', match: { tool: 'bench__echo' }, says: 'the echo tool is allowed' }
  const config = {
    listen: { port: 0 },
    mcp: { surface: 'passthrough' },
    servers: { bench: { ...reached, concurrency: 64, tools } },
    policy: { preset: 'careful', rules: [rule, ...rules] },
    ...more,
  }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
  const child = start([node, LAUNCHER, 'up', '--trust'], folder, 'pipe')
  const greeting = await firstLine(child)
  return { child, address: /http:\S+?(?=,)/.exec(greeting)?.[0] ?? '' }
}

export function keyOf(folder: string, kind: string, name: string): string {
  const made = spawnSync(node, [LAUNCHER, 'keys', 'create', kind, name], { cwd: folder, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`no key could be created: ${made.stderr}`)
  return made.stdout.trim()
}

/** The tool server that is reached over HTTP. */
export async function startToolServer(folder: string): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = start([node, here('tool-server.ts'), 'http'], folder, 'pipe')
  return { child, url: `http://127.0.0.1:${await firstLine(child)}/mcp` }
}

/** Starts a Node program that reports how much it allocates. */
function start([command = '', ...args]: readonly string[], folder: string, stdout: 'pipe' | 'ignore' = 'ignore') {
  // Some keep caches and catalogues in the home folder; every run starts with an empty one.
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const env = { PATH: process.env['PATH'], HOME: home, NODE_ENV: 'production', ...reportingEnv(folder) }
  return spawn(command, [...REPORTING, ...args], { cwd: folder, env, stdio: ['ignore', stdout, 'ignore'] })
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('there is nothing to read')
    createInterface({ input: child.stdout }).once('line', resolve)
    child.once('exit', (code) => reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}`)))
  })
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
  await ended
  clearTimeout(timer)
}
