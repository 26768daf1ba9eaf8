import { setTimeout as sleep } from 'node:timers/promises'
import { SdkError, SdkErrorCode, SdkHttpError, type Client } from '@modelcontextprotocol/client'
import type { ToolsListed } from '../../kernel/ports/catalogue.ts'
import type {
  NotificationMethod,
  ToolReply,
  UpstreamCall,
  UpstreamQuestion,
  UpstreamReply,
} from '../../kernel/ports/upstream.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { mirrorsOf, type Mirror } from '../../kernel/contract/mirrors.ts'
import type { ToolDefinition } from '../../kernel/contract/tool.ts'
import { connectClient, envelopeOf, keepListening, listTools, type Identity } from './discover.ts'
import { relistLimit } from './relist-limit.ts'
import { askFor, toolCall } from './our-request.ts'
import type { UpstreamTuning } from './tuning.ts'
import { watchByListening, watchBySubscribing, type WatchResourcesPorts } from './watch-resources.ts'
import type { Watcher } from './watches.ts'
import type { OpenWire, Wire } from './wire.ts'

/** A server after the handshake, with its tools registered. */
export type Connection = {
  /** The negotiated revision of MCP, if it is MCP. */
  readonly protocol?: string
  /** Whether it uses the older protocol era, where no probe is needed. */
  readonly legacy: boolean
  readonly ended: Promise<string>
  isUsable(): boolean
  call(call: UpstreamCall): Promise<ToolReply>
  /** What it has besides tools, if it is MCP. */
  readonly besides?: {
    readonly capabilities: JsonObject
    ask(question: UpstreamQuestion): Promise<UpstreamReply<JsonObject>>
    readonly watcher: Watcher
  }
  tools(): number
  late(): number
  kill(): void
  close(): Promise<void>
}

export type ConnectionAttempt =
  | { readonly is: 'open'; readonly connection: Connection }
  | { readonly is: 'failed'; readonly says: string }
  /** Nothing is wrong with the server, but somebody has to log in there first. */
  | { readonly is: 'needs_login'; readonly says: string }

export type ConnectionSetup = {
  readonly server: string
  readonly tuning: UpstreamTuning
  readonly identity: Identity
  readonly onListed: ToolsListed
  readonly onNotification: (method: NotificationMethod, params: JsonObject) => void
  /** A notification of the server may have been missed. */
  readonly onDoubt: () => void
  readonly warn: (says: string) => void
  /** Called before each attempt to open a connection. */
  readonly onStart: () => void
  /** Ends the attempt; the wire is closed. */
  readonly stop: AbortSignal
}

/** `failed_on_probe`: the server crashed or stopped answering after the probe for the newer protocol era, as servers of some older SDKs do. */
type Try = ConnectionAttempt | { readonly is: 'failed_on_probe' | 'other_wire'; readonly says: string }

/**
 * Opens a wire, does the handshake and registers the server's tools. Never rejects. The wires are tried in order; the next one if
 * the server does not support the previous one.
 */
export async function openConnection(
  wires: readonly OpenWire[],
  deps: ConnectionSetup,
  legacy: boolean,
): Promise<ConnectionAttempt> {
  let last: Try = { is: 'failed', says: 'there is no connection to it' }
  for (const open of wires) {
    last = await openOn(open, deps, legacy)
    if (last.is === 'failed_on_probe' && !deps.stop.aborted) last = await openOn(open, deps, true)
    if (last.is !== 'other_wire' || deps.stop.aborted) break
  }
  return last.is === 'open' || last.is === 'needs_login' ? last : { is: 'failed', says: last.says }
}

async function openOn(open: OpenWire, deps: ConnectionSetup, legacy: boolean): Promise<Try> {
  const { tuning, identity, stop } = deps
  deps.onStart()
  const noise = quietly(deps.warn)
  let relist: () => void = () => undefined
  let doubt: () => void = () => undefined
  const wire = open({ noise, onDoubt: () => doubt(), onNotification: deps.onNotification })
  const stopped = () => void wire.close()
  stop.addEventListener('abort', stopped)
  try {
    const client = await connectClient(wire.transport, {
      identity,
      timeout_ms: tuning.start_timeout_ms,
      probe_timeout_ms: tuning.probe_timeout_ms,
      legacy: legacy || wire.probe === 'never',
      onToolsChanged: () => relist(),
      onError: noise,
    })
    const envelope = envelopeOf(client, identity)
    const lister = listerOf(deps, client, {
      faultOf: (definition) => wire.faultOf(definition, envelope),
      warn: noise,
      isUsable: () => wire.isUsable(),
    })
    relist = () => void lister.again()
    await lister.first()
    doubt = () => {
      relist()
      for (const method of listChangesOf(client)) deps.onNotification(method, {})
      deps.onDoubt()
    }
    void keepListening(client, { tuning, isUsable: () => wire.isUsable(), onDoubt: () => doubt() })
    const is_legacy = client.getProtocolEra() !== 'modern'
    const connection: Connection = {
      protocol: client.getNegotiatedProtocolVersion() ?? 'unknown',
      legacy: is_legacy,
      ended: wire.ended,
      isUsable: () => wire.isUsable(),
      call: (call) => wire.ask(toolCall(call, lister.mirrors(call.tool)), envelope),
      besides: {
        capabilities: (client.getServerCapabilities() ?? {}) as JsonObject,
        ask: (question) => wire.ask(askFor(question), envelope),
        watcher: is_legacy ? watchBySubscribing(wire) : watchByListening(client, watching(deps, wire)),
      },
      tools: lister.count,
      late: () => wire.late(),
      kill: () => wire.kill(),
      close: () => wire.close(),
    }
    return { is: 'open', connection }
  } catch (error) {
    const need = wire.loginNeed?.()
    const is = need === undefined ? causeOf(error, legacy ? 'never' : wire.probe) : 'needs_login'
    // Before it is closed here, which is an end too.
    const how = await Promise.race([wire.ended, Promise.resolve(undefined)])
    await closeAfter(wire, is)
    if (need !== undefined) return { is: 'needs_login', says: need }
    return { is, says: faultText(error, how) }
  } finally {
    stop.removeEventListener('abort', stopped)
  }
}

/** The list changes that a server announces besides those of its tools: reported again when they may have been missed. */
function listChangesOf(client: Client): readonly NotificationMethod[] {
  const { prompts, resources } = client.getServerCapabilities() ?? {}
  return [
    ...(prompts?.listChanged === true ? (['notifications/prompts/list_changed'] as const) : []),
    ...(resources?.listChanged === true ? (['notifications/resources/list_changed'] as const) : []),
  ]
}

const watching = ({ server, tuning, onNotification }: ConnectionSetup, wire: Wire): WatchResourcesPorts => ({
  server,
  tuning,
  isUsable: () => wire.isUsable(),
  onDoubt: (uri) => onNotification('notifications/resources/updated', { uri }),
})

/** The server crashed on the probe, so close it without a grace period. */
async function closeAfter(wire: Wire, is: Try['is']): Promise<void> {
  if (is === 'failed_on_probe') wire.kill()
  await wire.close()
}

/** Why a server did not start, for the person who configured it. `how` is the way its connection ended by itself. */
function faultText(error: unknown, how: string | undefined): string {
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return how === undefined ? 'it closed the connection before it answered' : `it did not answer (${how})`
  return error instanceof Error ? error.message : String(error)
}

function causeOf(error: unknown, probe: Wire['probe']): 'failed' | 'failed_on_probe' | 'other_wire' {
  if (!(error instanceof SdkError)) return 'failed'
  if (probe !== 'never' && error.code === SdkErrorCode.EraNegotiationFailed) return 'failed_on_probe'
  if (probe === 'twice' && error.code === SdkErrorCode.RequestTimeout) return 'failed_on_probe'
  // The signs of a server that supports only the older transport, according to the specification.
  return error instanceof SdkHttpError && [400, 404, 405].includes(error.status) ? 'other_wire' : 'failed'
}

type ListerSetup = {
  readonly faultOf: (definition: ToolDefinition) => string | undefined
  readonly warn: (says: string) => void
  readonly isUsable: () => boolean
}

/** Lists the tools and passes them on, one listing at a time; a change during a listing causes one more, when its turn comes. */
function listerOf(
  { server, tuning, onListed }: ConnectionSetup,
  client: Client,
  { faultOf, warn, isUsable }: ListerSetup,
) {
  /** Only for tools that have some; the catalogue stores everything else that was listed. */
  let mirrors: ReadonlyMap<string, readonly Mirror[]> = new Map()
  let count = 0
  let reading = false
  let again = false
  const turn = relistLimit(tuning.relist)

  async function read(): Promise<void> {
    const since = performance.now()
    const { definitions, findings } = await listTools(client, tuning.start_timeout_ms)
    const callable = definitions.filter((definition) => {
      const fault = faultOf(definition)
      if (fault === undefined) return true
      findings.note('not_callable', definition.name)
      warn(`its tool \`${definition.name}\` is not offered: ${fault}`)
      return false
    })
    count = callable.length
    mirrors = new Map(
      callable.flatMap(({ name, inputSchema }) => {
        const found = mirrorsOf(inputSchema)
        return typeof found === 'string' || found.length === 0 ? [] : [[name, found] as const]
      }),
    )
    await onListed(server, callable, findings.all())
    turn.took(performance.now() - since)
  }

  /** Repeated as often as requested, when its turn comes. */
  async function readAgain(): Promise<void> {
    while (again && isUsable()) {
      const wait = turn.wait(performance.now())
      if (wait > 0) await sleep(wait, undefined, { ref: false })
      again = false
      if (!isUsable()) return
      await read().catch((error: unknown) => warn(`its changed tools could not be registered: ${String(error)}`))
    }
  }

  /** INVARIANT: never two listings of one server at once; they would write the same rows. */
  async function alone(work: () => Promise<void>): Promise<void> {
    reading = true
    try {
      await work()
    } finally {
      reading = false
    }
  }

  return {
    async first(): Promise<void> {
      await alone(read)
      if (again) void alone(readAgain)
    },
    count: () => count,
    mirrors: (name: string) => mirrors.get(name) ?? [],
    async again(): Promise<void> {
      again = true
      if (!reading) await alone(readAgain)
    },
  }
}

/** Reports the 1st, 2nd, 4th, 8th … of many similar events. */
function quietly(warn: (says: string) => void): (says: string) => void {
  let eventCount = 0
  return (says) => {
    eventCount += 1
    if ((eventCount & (eventCount - 1)) === 0) warn(eventCount === 1 ? says : `${says} (${eventCount} times so far)`)
  }
}
