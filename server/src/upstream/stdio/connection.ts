import { SdkError, SdkErrorCode, type Client } from '@modelcontextprotocol/client'
import type { ToolsListed, UpstreamAnswer, UpstreamCall } from '../../commands/ports.ts'
import type { ServerConfig } from '../server-config.ts'
import type { Tuning } from '../tuning.ts'
import { connectClient, envelopeOf, listTools, type Identity } from './discover.ts'
import { openPipe } from './pipe.ts'

/** A child that has shaken hands and whose tools are registered. */
export type Connection = {
  readonly protocol: string
  /** Whether it speaks the older era, where asking first is not needed. */
  readonly legacy: boolean
  readonly ended: Promise<string>
  isUsable(): boolean
  call(call: UpstreamCall): Promise<UpstreamAnswer>
  tools(): number
  late(): number
  kill(): void
  close(): Promise<void>
}

/** `died_of_probe`: it ended on the question for the newer era, as servers on some older SDKs do. */
export type Attempt =
  | { readonly is: 'open'; readonly connection: Connection }
  | { readonly is: 'failed'; readonly says: string; readonly died_of_probe: boolean }

export type ConnectionDeps = {
  readonly config: ServerConfig
  readonly tuning: Tuning
  readonly identity: Identity
  readonly onListed: ToolsListed
  readonly stderr: (line: string) => void
  readonly warn: (says: string) => void
  /** Ends the attempt; the child is closed. */
  readonly stop: AbortSignal
}

/** Starts a child, shakes hands and registers its tools. Never rejects. */
export async function openConnection(deps: ConnectionDeps, legacy: boolean): Promise<Attempt> {
  const { config, tuning, identity } = deps
  const noise = quietly(deps.warn)
  const pipe = openPipe({ config, grace_ms: tuning.grace_ms, stderr: deps.stderr, noise })
  const stopped = () => void pipe.child.close(tuning.grace_ms)
  deps.stop.addEventListener('abort', stopped)
  let relist: () => void = () => undefined
  try {
    const client = await connectClient(pipe.transport, {
      identity,
      timeout_ms: tuning.start_timeout_ms,
      probe_timeout_ms: tuning.probe_timeout_ms,
      legacy,
      onToolsChanged: () => relist(),
      onError: noise,
    })
    const lister = listerOf(deps, client)
    relist = () => void lister.again()
    await lister.first()
    const envelope = envelopeOf(client, identity)
    const connection: Connection = {
      protocol: client.getNegotiatedProtocolVersion() ?? 'unknown',
      legacy: client.getProtocolEra() !== 'modern',
      ended: pipe.child.ended,
      isUsable: () => pipe.child.isUsable(),
      call: (call) => pipe.call(call, envelope),
      tools: lister.count,
      late: () => pipe.late(),
      kill: () => pipe.child.kill(),
      close: () => pipe.child.close(tuning.grace_ms),
    }
    return { is: 'open', connection }
  } catch (error) {
    const died_of_probe = !legacy && error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed
    await pipe.child.close(died_of_probe ? 0 : tuning.grace_ms)
    return { is: 'failed', says: error instanceof Error ? error.message : String(error), died_of_probe }
  } finally {
    deps.stop.removeEventListener('abort', stopped)
  }
}

/** Reads the tools and hands them on, one reading at a time; a change during a reading causes one more. */
function listerOf({ config, tuning, onListed, warn }: ConnectionDeps, client: Client) {
  let count = 0
  let reading = false
  let again = false

  async function read(): Promise<void> {
    const { definitions, dropped } = await listTools(client, tuning.start_timeout_ms)
    count = definitions.length
    if (dropped > 0) warn(`${dropped} of its tools are not shaped like tools and are not offered`)
    await onListed(config.name, definitions)
  }

  return {
    first: read,
    count: () => count,
    async again(): Promise<void> {
      again = true
      if (reading) return
      reading = true
      while (again) {
        again = false
        await read().catch((error: unknown) => warn(`its changed tools could not be registered: ${String(error)}`))
      }
      reading = false
    },
  }
}

/** Says the 1st, 2nd, 4th, 8th … of many similar things. */
function quietly(warn: (says: string) => void): (says: string) => void {
  let heard = 0
  return (says) => {
    heard += 1
    if ((heard & (heard - 1)) === 0) warn(heard === 1 ? says : `${says} (${heard} such events so far)`)
  }
}
