import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startGate } from '../helpers/with-running-gate.ts'
import { startHttp, type HttpProcess } from '../tool-servers/with-http-servers.ts'
import { adaptNames, type Adapter } from './name-adapter.ts'

const REFERENCE = resolve(import.meta.dirname, 'reference-server.ts')

export type Transport = 'http' | 'stdio'
export type Endpoint = { readonly url: string; stop(): Promise<void> }

/** The reference server by itself. */
export async function direct(): Promise<Endpoint> {
  const server: HttpProcess = await startHttp(REFERENCE)
  return { url: server.url, stop: () => server.stop() }
}

/** The reference server behind a gate that allows everything. */
export async function throughGate(transport: Transport): Promise<Endpoint> {
  const server = transport === 'http' ? await startHttp(REFERENCE) : undefined
  const gate = await gateBefore(server === undefined ? { command: 'node', args: [REFERENCE, 'stdio'] } : server)
  return {
    url: gate.url,
    async stop() {
      await gate.stop()
      await server?.stop()
    },
  }
}

/** The tools for the task scenarios, behind the same gate. The gate turns their calls into tasks. */
export const tasksThroughGate = (): Promise<Endpoint> =>
  gateBefore({ command: 'node', args: [resolve(import.meta.dirname, 'tasks-server.ts')] })

async function gateBefore({
  url,
  command,
  args,
}: {
  url?: string
  command?: string
  args?: string[]
}): Promise<Endpoint> {
  const reference = url === undefined ? { command, args } : { url }
  const rules = [{ id: 'everything', effect: 'allow', match: { tool: '*' }, says: 'a gate that only looks' }]
  const gate = await startGate((folder) => {
    // The suites repeat some calls, which a gate would hold for a person.
    const repetition = { most: 1_000, within_s: 1 }
    const mcp = { surface: 'passthrough' }
    const config = { listen: { port: 0 }, mcp, policy: { rules }, repetition, servers: { ref: reference } }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
  })
  const adapter: Adapter = await adaptNames(gate.url, await gate.key('agent', 'suite'), 'ref')
  return {
    url: adapter.url,
    async stop() {
      await adapter.close()
      await gate.stop()
    },
  }
}
