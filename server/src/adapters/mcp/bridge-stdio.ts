import { randomUUID } from 'node:crypto'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { KERNEL_PROBLEMS } from '../../kernel/contract/problems.ts'
import { callOutcome } from './call-outcome.ts'
import { isIdempotencyKey } from '../../kernel/contract/request-names.ts'
import { isNoAnswer, type NoAnswer, type SendToGate } from './send-to-gate.ts'
import { readLines } from './read-lines.ts'
import { VERSION_KEY } from './read-message.ts'
import { IDEMPOTENCY_KEY } from './mcp-sessions.ts'
import { RPC, type RpcId } from './rpc.ts'

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const STREAM_HEADERS = { accept: 'text/event-stream' }

/** Requests that only read or set the gate's own state. Everything else may reach a tool server and is sent once. */
const MAY_REPEAT: ReadonlySet<string | undefined> = new Set([
  'initialize',
  'notifications/initialized',
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'tasks/list',
  'tasks/get',
  'tasks/result',
  'logging/setLevel',
])

/** What the bridge needs to know about a line to forward it. */
type Line = {
  readonly bytes: Buffer
  readonly id: RpcId | undefined
  readonly method: string | undefined
  /** Since 2026-07-28 each message contains its version. */
  readonly version: string | undefined
  readonly params: JsonObject
  /** The idempotency key of a call, used to look up its outcome if the answer is lost. */
  readonly key: string | undefined
}

/**
 * MCP on stdin and stdout, as a client of the running gate. Each line is forwarded byte for byte, and every message that comes
 * back, in an answer or a stream, is written as a line. Ends when stdin ends and every request is answered.
 */
export async function bridgeStdio(input: Readable, output: Writable, sendToGate: SendToGate): Promise<void> {
  const inProgress = new Set<Promise<void>>()
  const requests = new Map<RpcId, { readonly line: Line; readonly request: ClientRequest }>()
  /** Before 2026-07-28: from the answer to `initialize`. */
  let agreed: Record<string, string> = {}
  let opening: Promise<void> | undefined
  let wantsStream = false
  let listening: ClientRequest | undefined
  const write = (bytes: Buffer | string) => void output.write(bytes)

  async function forward(line: Line): Promise<void> {
    // Wait for the handshake, because later messages belong to its session.
    if (line.method !== 'initialize') await opening
    if (line.method === 'notifications/cancelled' && cancelRequest(line)) return
    const { id } = line
    const keep = (request: ClientRequest) => id !== undefined && requests.set(id, { line, request })
    const headers = {
      ...JSON_HEADERS,
      ...(line.version === undefined ? agreed : mirrorsOf(line)),
      ...(line.key === undefined ? {} : { 'idempotency-key': line.key }),
    }
    const reply = await sendToGate('POST', headers, line.bytes, {
      mayRepeat: MAY_REPEAT.has(line.method),
      onSent: keep,
    })
    try {
      if (isNoAnswer(reply)) return await fail(line, reply)
      await pass(line, reply)
      if (wantsStream && listening === undefined) void listen()
    } finally {
      if (id !== undefined) requests.delete(id)
    }
  }

  /** Since 2026-07-28 a request is cancelled by closing its connection; before that, a message to the gate cancels it. */
  function cancelRequest({ params }: Line): boolean {
    const id = params['requestId']
    const meant = typeof id === 'string' || typeof id === 'number' ? requests.get(id) : undefined
    if (meant?.line.version === undefined) return false
    meant.request.destroy()
    return true
  }

  async function pass(line: Line, reply: IncomingMessage): Promise<void> {
    if (isStream(reply)) return passAnswer(line, reply)
    const chunks: Buffer[] = []
    for await (const chunk of reply) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    if (reply.statusCode === 202) return
    if (line.method === 'initialize') agree(reply, bytes)
    const isOurs = reply.statusCode === 200 || line.id === undefined || idIn(bytes) === line.id
    if (isOurs) write(Buffer.concat([bytes, NEW_LINE]))
    else refuse(line, bytes)
  }

  /** If the stream ends before the answer, the connection was lost. */
  async function passAnswer(line: Line, reply: IncomingMessage): Promise<void> {
    let answered = line.key === undefined
    await passEvents(reply, (bytes) => {
      if (!answered && idIn(bytes) === line.id) answered = isAnswer(bytes)
    })
    if (!answered) await fail(line, { code: 'gate.broke_off' })
  }

  async function passEvents(reply: IncomingMessage, onMessage: (bytes: Buffer) => void = () => {}): Promise<void> {
    await readLines(reply, (bytes) => {
      if (bytes.length <= DATA.length || !bytes.subarray(0, DATA.length).equals(DATA)) return
      const message = bytes.subarray(DATA.length)
      onMessage(message)
      write(Buffer.concat([message, NEW_LINE]))
    })
  }

  function agree(reply: IncomingMessage, bytes: Buffer): void {
    const session = reply.headers['mcp-session-id']
    const answer = jsonIn(bytes)
    const result = isJsonObject(answer) && isJsonObject(answer['result']) ? answer['result'] : {}
    const version = result['protocolVersion']
    agreed = {
      ...(typeof session === 'string' ? { 'mcp-session-id': session } : {}),
      ...(typeof version === 'string' ? { 'mcp-protocol-version': version } : {}),
    }
    const capabilities = isJsonObject(result['capabilities']) ? result['capabilities'] : {}
    const changes = Object.values(capabilities).some(
      (one) => isJsonObject(one) && (one['listChanged'] === true || one['subscribe'] === true),
    )
    wantsStream = changes || capabilities['logging'] !== undefined || capabilities['tasks'] !== undefined
  }

  /**
   * The notification stream of clients from before 2026-07-28. If it ends, for example because the gate restarts, it is opened
   * again after the next answer.
   */
  async function listen(): Promise<void> {
    const reply = await sendToGate('GET', { ...STREAM_HEADERS, ...agreed }, undefined, {
      mayRepeat: false,
      onSent: (request) => (listening = request),
    })
    if (!isNoAnswer(reply) && reply.statusCode === 200) await passEvents(reply).catch(() => {})
    else wantsStream = false
    listening = undefined
  }

  async function fail(line: Line, { code, why }: NoAnswer): Promise<void> {
    const { says, do: remedy } = KERNEL_PROBLEMS[code]
    if (line.id === undefined) return
    const message = why === undefined ? `${says}; ${remedy}` : `the gate did not start: ${why}`
    if (code !== 'gate.broke_off' || line.key === undefined)
      return write(errorLine(line.id, RPC.internal, message, { code, ...(why === undefined ? {} : { why }) }))
    const found = await callOutcome(sendToGate, line.key)
    const named = found.call_id === undefined ? '' : ` (${found.call_id})`
    const text = `the gate stopped while the call was running; outcome: ${found.outcome}${named}; the call was not retried`
    write(errorLine(line.id, RPC.internal, text, { code, ...found }))
  }

  /** A refusal without a request id, or one that is not JSON-RPC. A stdio client matches answers by id, so the id is added. */
  function refuse({ id = null }: { readonly id?: RpcId | null | undefined }, bytes: Buffer): void {
    const said = jsonIn(bytes)
    const error = isJsonObject(said) && isJsonObject(said['error']) ? said['error'] : undefined
    if (error !== undefined) return write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`)
    const { code = 'internal', title } = isJsonObject(said) ? said : {}
    const message = typeof title === 'string' ? title : 'the gate refused the message'
    write(errorLine(id, RPC.server, message, { code }))
  }

  await readLines(input, (bytes) => {
    const line = lineOf(bytes)
    if (line === undefined) return
    const forwarded = forward(line).catch(() => fail(line, { code: 'gate.broke_off' }))
    if (line.method === 'initialize') opening = forwarded
    // The notification stream does not end by itself.
    if (line.method === 'subscriptions/listen') return
    inProgress.add(forwarded)
    void forwarded.finally(() => inProgress.delete(forwarded))
  })
  await Promise.all(inProgress)
  listening?.destroy()
  for (const { request } of requests.values()) request.destroy()
}

const NEW_LINE = Buffer.from('\n')
const DATA = Buffer.from('data: ')

function lineOf(bytes: Buffer): Line | undefined {
  if (bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09)) return undefined
  const message = jsonIn(bytes)
  const { id, method, params } = isJsonObject(message) ? message : {}
  const inside = isJsonObject(params) ? params : {}
  const meta = isJsonObject(inside['_meta']) ? inside['_meta'] : {}
  const version = meta[VERSION_KEY]
  return {
    bytes,
    id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
    method: typeof method === 'string' ? method : undefined,
    version: typeof version === 'string' ? version : undefined,
    params: inside,
    key: method === 'tools/call' ? keyIn(meta) : undefined,
  }
}

/** The client's own key, otherwise a new one. An invalid key is not sent as a header: the gate rejects it in the message. */
function keyIn(meta: JsonObject): string | undefined {
  const own = meta[IDEMPOTENCY_KEY]
  if (own === undefined) return `mcp-${randomUUID()}`
  return isIdempotencyKey(own) ? own : undefined
}

/** Over HTTP, headers repeat parts of the message; stdio has none. */
function mirrorsOf({ version = '', method = '', params }: Line): Record<string, string> {
  const name = method === 'resources/read' ? params['uri'] : (params['taskId'] ?? params['name'])
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` } : {}),
  }
}

const isStream = (reply: IncomingMessage) => reply.headers['content-type']?.startsWith('text/event-stream') === true

function idIn(bytes: Buffer): Json | undefined {
  const message = jsonIn(bytes)
  return isJsonObject(message) ? message['id'] : undefined
}

/** Distinguishes an answer from a question of the gate, whose id may be equal to one of the client's. */
function isAnswer(bytes: Buffer): boolean {
  const message = jsonIn(bytes)
  return isJsonObject(message) && message['method'] === undefined
}

function jsonIn(bytes: Buffer): Json | undefined {
  try {
    return JSON.parse(bytes.toString('utf8')) as Json
  } catch {
    return undefined
  }
}

const errorLine = (id: RpcId | null, code: number, message: string, data: JsonObject): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })}\n`
