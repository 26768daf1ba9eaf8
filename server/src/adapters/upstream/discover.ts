import { setTimeout as sleep } from 'node:timers/promises'
import {
  Client,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/client'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import { boundDefinition, collectFaults, TOOL_BOUNDS, type FaultCollector } from '../../kernel/contract/tool-bounds.ts'
import type { ToolDefinition } from '../../kernel/contract/tool.ts'
import { backOff } from './breaker.ts'
import type { MetaEnvelope } from './messages.ts'
import type { UpstreamTuning } from './tuning.ts'

const SETTLE_MS = 100
/** Pages in a row without a single tool. */
const MOST_EMPTY_PAGES = 20
/** All pages together may take this many times as long as one. */
const SLOWEST = 4

/**
 * For the SDK's `callTool`, which we do not use: the gate validates results itself. The published package does not contain the SDK's
 * own validator (bundle.ts).
 */
const UNUSED_VALIDATOR = {
  getValidator(): never {
    throw new Bug('results are validated by the gate, not by the SDK')
  },
}

export type Identity = { readonly name: string; readonly version: string }
export type ConnectOptions = {
  readonly identity: Identity
  readonly timeout_ms: number
  readonly probe_timeout_ms: number
  /** Skip the probe for 2026-07-28: the server is known not to support it, or to crash on it. */
  readonly legacy: boolean
  readonly onToolsChanged: () => void
  readonly onError: (says: string) => void
}

/** The handshake, by the official client. It declares no capabilities: what may be asked of a client is said with its call. */
export async function connectClient(transport: Transport, options: ConnectOptions): Promise<Client> {
  const client = new Client(options.identity, {
    capabilities: {},
    jsonSchemaValidator: UNUSED_VALIDATOR,
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: options.probe_timeout_ms } },
    // Notices about prompts and resources are handled in the inbox; here they are only subscribed to.
    listChanged: {
      tools: { autoRefresh: false, debounceMs: SETTLE_MS, onChanged: options.onToolsChanged },
      prompts: { autoRefresh: false, onChanged: () => undefined },
      resources: { autoRefresh: false, onChanged: () => undefined },
    },
  })
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no event target
  client.onerror = (error) => options.onError(error.message)
  await client.connect(transport, {
    timeout: options.timeout_ms,
    ...(options.legacy ? { prior: { kind: 'legacy' as const } } : {}),
  })
  return client
}

export type ListenSetup = {
  readonly tuning: UpstreamTuning
  readonly isUsable: () => boolean
  /** Changes in the meantime may have been missed. */
  readonly onDoubt: () => void
}

/**
 * From 2026-07-28 on changes are received through a subscription. If it is closed by the server, or a proxy before it, it is
 * opened again as long as the wire exists.
 */
export async function keepListening(client: Client, { tuning, isUsable, onDoubt }: ListenSetup): Promise<void> {
  let subscription = client.autoOpenedSubscription
  if (subscription === undefined) return
  for (let failures = 0; ;) {
    const since = performance.now()
    if ((await subscription?.closed) === 'local') return
    if (performance.now() - since >= tuning.steady_ms) failures = 0
    failures += 1
    await sleep(backOff(tuning.restart, failures), undefined, { ref: false })
    if (!isUsable()) return
    subscription = await client.listen(changesOf(client), { timeout: tuning.start_timeout_ms }).catch(() => undefined)
    if (subscription !== undefined) onDoubt()
  }
}

/** The changes that the server says it announces. */
function changesOf(client: Client) {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {}
  return {
    ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
    ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
    ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
  }
}

/** What every message has in `_meta` on this connection: the same as the SDK's own messages. */
export function envelopeOf(client: Client, identity: Identity): MetaEnvelope {
  const version = client.getNegotiatedProtocolVersion()
  if (version === undefined || client.getProtocolEra() !== 'modern') return {}
  return {
    [PROTOCOL_VERSION_META_KEY]: version,
    [CLIENT_INFO_META_KEY]: identity,
    [CLIENT_CAPABILITIES_META_KEY]: {},
  }
}

export type DiscoveredTools = { readonly definitions: readonly ToolDefinition[]; readonly findings: FaultCollector }

/**
 * The pages of `tools/list`, verbatim and within the limits. A tool that is malformed or too large is left out and the rest is
 * still offered; so is everything beyond too many tools, too much text, too many pages or too much time.
 */
export async function listTools(client: Client, timeout_ms: number): Promise<DiscoveredTools> {
  const findings = collectFaults()
  const definitions: ToolDefinition[] = []
  const deadline = performance.now() + timeout_ms * SLOWEST
  const cursors = new Set<string>()
  let empty = 0
  let cursor: string | undefined
  if (client.getServerCapabilities()?.tools === undefined) return { definitions, findings }
  for (;;) {
    const params = cursor === undefined ? {} : { cursor }
    const page = await client.request({ method: 'tools/list', params }, AS_SENT, { timeout: timeout_ms })
    const tools: Json | undefined = isJsonObject(page) ? page['tools'] : undefined
    if (!isJsonObject(page) || !Array.isArray(tools)) throw new Error('its tools/list answer has no list of tools')
    empty = tools.length === 0 ? empty + 1 : 0
    for (const tool of tools) {
      const definition = taken(tool, findings)
      if (definition === undefined) continue
      if (definitions.length >= TOOL_BOUNDS.tools) findings.note('too_many_tools', definition.name)
      else definitions.push(definition)
    }
    const next = page['nextCursor']
    if (typeof next !== 'string' || next === '') return { definitions, findings }
    if (definitions.length >= TOOL_BOUNDS.tools) {
      findings.note('too_many_tools', '')
      return { definitions, findings }
    }
    cursors.add(next)
    // A repeated cursor would start over.
    const isOver = cursors.size > TOOL_BOUNDS.pages || next === cursor || empty > MOST_EMPTY_PAGES
    if (isOver || performance.now() > deadline) {
      findings.note('pages_without_end', '')
      return { definitions, findings }
    }
    cursor = next
  }
}

function taken(tool: Json, findings: FaultCollector): ToolDefinition | undefined {
  const definition = definitionOf(tool)
  if (definition !== undefined) return boundDefinition(definition, (rule) => findings.note(rule, definition.name))
  const name = isJsonObject(tool) ? tool['name'] : undefined
  findings.note('not_a_tool', typeof name === 'string' ? name : '')
  return undefined
}

/** The SDK's own schemas drop unknown fields; an operator must admit everything that the server sent. */
const AS_SENT: StandardSchemaV1<unknown, Json> = {
  '~standard': { version: 1, vendor: 'sluice', validate: (value) => ({ value: value as Json }) },
}

function definitionOf(tool: Json): ToolDefinition | undefined {
  if (!isJsonObject(tool)) return undefined
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  if (typeof name !== 'string' || name === '') return undefined
  if (!isJsonObject(inputSchema)) return undefined
  if (!isTextOrAbsent(title) || !isTextOrAbsent(description)) return undefined
  if (!isObjectOrAbsent(outputSchema) || !isObjectOrAbsent(annotations)) return undefined
  return {
    name,
    inputSchema,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  }
}

const isTextOrAbsent = (value: Json | undefined): value is string | undefined =>
  value === undefined || typeof value === 'string'
const isObjectOrAbsent = (value: Json | undefined): value is JsonObject | undefined =>
  value === undefined || isJsonObject(value)
