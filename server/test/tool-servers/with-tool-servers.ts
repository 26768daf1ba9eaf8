import { resolve } from 'node:path'
import type { ToolReply } from '../../src/kernel/ports/upstream.ts'
import type { ListingFault } from '../../src/kernel/contract/tool-bounds.ts'
import type { ToolDefinition } from '../../src/kernel/contract/tool.ts'
import { openToolServers } from '../../src/adapters/upstream/open-tool-servers.ts'
import type { ServerConfig, StdioServer } from '../../src/adapters/upstream/server-kind.ts'
import type { OpenToolServers } from '../../src/adapters/upstream/tool-server-status.ts'
import { SERVER_KINDS } from '../../src/main/server-kinds.ts'
import type { UpstreamTuning } from '../../src/adapters/upstream/tuning.ts'

/** A script of this folder as a configured server. */
export function scriptServer(name: string, script: string, more: Partial<StdioServer> = {}): StdioServer {
  const { args = [], ...rest } = more
  return {
    name,
    command: process.execPath,
    args: [resolve(import.meta.dirname, script), ...args],
    env: {},
    cwd: import.meta.dirname,
    timeout_ms: 10_000,
    concurrency: 16,
    output_limit: 65_536,
    trusted: false,
    ...rest,
  }
}

export type Rig = {
  readonly servers: OpenToolServers
  readonly listings: {
    readonly server: string
    readonly definitions: readonly ToolDefinition[]
    readonly findings: readonly ListingFault[]
  }[]
  readonly logged: string[]
  readonly call: (server: string, tool: string, args?: object, signal?: AbortSignal) => Promise<ToolReply>
  /** The text of the first block of an answered call; anything else as JSON, so that a failing test shows the answer. */
  readonly text: (server: string, tool: string, args?: object) => Promise<string>
}

/** Real servers for one test. */
export async function withToolServers(
  configs: readonly ServerConfig[],
  tuning: Partial<UpstreamTuning>,
  use: (rig: Rig) => Promise<void>,
): Promise<void> {
  const listings: Rig['listings'] = []
  const logged: string[] = []
  const servers = openToolServers({
    kinds: SERVER_KINDS,
    servers: configs,
    tuning: { grace_ms: 200, ...tuning },
    onListed: async (server, definitions, findings = []) => void listings.push({ server, definitions, findings }),
    log: ({ server, says }) => void logged.push(`${server} ${says}`),
  })
  const call: Rig['call'] = (server, tool, args = {}, signal) =>
    servers.call({
      server,
      tool,
      canonical_args: JSON.stringify(args),
      idempotency_key: 'key-1',
      trace: 'trace-1',
      ...(signal === undefined ? {} : { signal }),
    })
  const text: Rig['text'] = async (server, tool, args) => {
    const answer = await call(server, tool, args)
    const first = answer.is === 'answered' ? answer.result.content[0]?.['text'] : undefined
    return typeof first === 'string' ? first : JSON.stringify(answer)
  }
  try {
    await use({ servers, listings, logged, call, text })
  } finally {
    await servers.close()
  }
}
