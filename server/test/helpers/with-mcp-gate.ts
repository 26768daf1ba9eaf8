import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startGate, type RunningGate } from './with-running-gate.ts'
import { until } from './with-gate.ts'

export type Surface = 'search' | 'passthrough'
export type Era = 'old' | 'new'
export type Transport = 'http' | 'stdio'

export type McpGate = RunningGate & {
  stop(): Promise<void>
  /** What the tool server received, one line each. */
  readonly seen: () => readonly string[]
}

const EFFECTS = {
  look: { effects: ['read'] },
  steps: { effects: ['read'] },
  stay: { effects: ['read'] },
  release: { effects: ['read'] },
  big: { effects: ['read'] },
  grow: { effects: ['read'] },
  note: { effects: ['write'] },
  typed: { effects: ['write'] },
  linger: { effects: ['write'] },
  vanish: { effects: ['write'] },
  break: { effects: ['write'] },
}

/** A gate with two test servers behind it; reads run, notes are held. */
export async function startMcpGate(more: object = {}): Promise<McpGate> {
  const gate = await startGate((folder) => {
    const lively = {
      command: 'node',
      args: [resolve(import.meta.dirname, '../tool-servers/lively.ts')],
      env: { EFFECTS: join(folder, 'effects.txt') },
      tools: EFFECTS,
    }
    const offering = {
      command: 'node',
      args: [resolve(import.meta.dirname, '../tool-servers/offering.ts')],
      tools: { more: { effects: ['read'] } },
    }
    const servers = { lively, offering }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify({ listen: { port: 0 }, servers, ...more }))
  })
  const file = join(gate.folder, 'effects.txt')
  return { ...gate, seen: () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []) }
}

export const waitForLine = (gate: McpGate, line: string): Promise<void> => until(() => gate.seen().includes(line))

/** A client of the official SDK, connected to the gate. */
export async function connectClient(
  gate: RunningGate,
  key: string,
  { way, era, surface, options = {} }: { way: Transport; era: Era; surface: Surface; options?: ClientOptions },
): Promise<Client> {
  const negotiation: ClientOptions = era === 'new' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}
  const client = new Client({ name: 'test', version: '1' }, { ...negotiation, ...options })
  const transport =
    way === 'http'
      ? new StreamableHTTPClientTransport(new URL(`${gate.url}/mcp?surface=${surface}`), {
          requestInit: { headers: { authorization: `Bearer ${key}` } },
        })
      : new StdioClientTransport({
          command: process.execPath,
          args: [gate.launcher, '--key', key, 'mcp', '--surface', surface],
          cwd: gate.folder,
        })
  await client.connect(transport)
  return client
}
