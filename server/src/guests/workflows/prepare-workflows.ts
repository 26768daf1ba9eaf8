import { ok, refuse, type Result, problem } from '../../kernel/contract/problems.ts'
import type { PrepareGuest, Preparation } from '../../kernel/ports/prepare-guest.ts'
import { takeMessage } from './take-message.ts'
import type { AdmitsInvitation, MessageTransport, Sent } from '../../kernel/ports/transports.ts'
import type { Documents } from './api.ts'
import type { WebhookKey } from '../../kernel/ports/keys.ts'
import { MIN_WEBHOOK_SECRET_BYTES, webhookKey } from '../../adapters/keys/webhook-key.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'
import type { GuestServer } from '../../kernel/ports/guest-server.ts'
import type { UpstreamAnswer } from '../../kernel/ports/upstream.ts'
import type { ServerSettings } from '../../kernel/contract/server-settings.ts'
import { ServerKeys } from '../../kernel/contract/tool-settings.ts'
import type { ToolDefinition } from '../../kernel/contract/tool.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../kernel/ports/runtime.ts'
import type { WebhookTransportSettings } from './section.ts'
import { isUnreached } from '../../adapters/upstream/unreached.ts'
import { createHmac } from 'node:crypto'
import type { SecretValue } from '../../kernel/attempt/call-secrets.ts'
import { splitDocument } from './facts/capabilities-fact.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import { openDocuments } from './documents.ts'
import { hmacSha256, sameBytes } from '../../adapters/keys/hmac.ts'
import type { GuestPorts } from '../../kernel/ports/guest-ports.ts'

/** Documents cannot use the gate's own settings as secrets. */
const OWN = /^SLUICE_/

/** The ports that documents need. */
function documentPorts(
  tables: Tables,
  env: Readonly<Record<string, string | undefined>>,
): Pick<GuestPorts, 'documents' | 'secretValue' | 'environment' | 'zoneOffset' | 'isSameText' | 'hmacHex'> {
  const documents = openDocuments(tables)
  const environment = (name: string) => (OWN.test(name) ? undefined : env[name])
  const secretValue: SecretValue = async (document, name) => {
    const [agent, version] = splitDocument(document)
    const opened = await documents.version(agent, Number(version))
    const variable = opened?.document.secrets.find((secret) => secret.name === name)?.envVar
    return variable === undefined ? undefined : environment(variable)
  }
  const mac = (text: string) => hmacSha256(COMPARED, Buffer.from(text))
  return {
    documents,
    secretValue,
    environment,
    zoneOffset,
    isSameText: (one, other) => sameBytes(mac(one), mac(other)),
    hmacHex: (secret, text) => createHmac('sha256', secret).update(text).digest('hex'),
  }
}

/** Texts of any length are compared by their MACs. */
const COMPARED = Buffer.from('texts compared in constant time')

const MINUTE = 60_000
const formats = new Map<string, Intl.DateTimeFormat | undefined>()

/** How many minutes a time zone is ahead of UTC at a given time; undefined for a zone that this system does not know. */
function zoneOffset(zone: string, at: number): number | undefined {
  if (zone === 'UTC') return 0
  if (!formats.has(zone)) formats.set(zone, formatOf(zone))
  const parts = formats.get(zone)?.formatToParts(at)
  if (parts === undefined) return undefined
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value)
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  return Math.round((local - Math.floor(at / MINUTE) * MINUTE) / MINUTE)
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
  } catch {
    return undefined
  }
}

type WebhookTransportDeps = { readonly clock: Clock; readonly key: WebhookKey; readonly stopping: AbortSignal }

const ANSWER_MS = 10_000
const TRIED_FOR_MS = 30_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** Messages as signed requests to another program, as in Standard Webhooks. Tried for half a minute, under one id. */
function webhookTransport(
  { name, url, rooms }: WebhookTransportSettings,
  { clock, key, stopping }: WebhookTransportDeps,
): MessageTransport {
  return {
    name,
    reaches: (room) => rooms.includes('*') || rooms.includes(room),
    async send({ id, agent, room, text }): Promise<Sent> {
      const body = JSON.stringify({ type: 'message', agent, room, text })
      const began = clock()
      let mayBeThere = false
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
        if (stopping.aborted) return { is: mayBeThere ? 'lost' : 'not_sent', why: 'the gate is stopping' }
        const attempt = await post(id, body)
        if (attempt.is === 'taken') return { is: 'sent' }
        mayBeThere ||= attempt.is === 'unclear'
        if (attempt.is === 'refused' || clock() + pause > began + TRIED_FOR_MS)
          return { is: mayBeThere ? 'lost' : 'not_sent', why: attempt.why }
        await sleep(pause, undefined, { signal: stopping }).catch(() => {})
      }
    },
  }

  async function post(id: string, body: string): Promise<Attempt> {
    const seconds = Math.floor(clock() / 1000)
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': key.sign(id, seconds, body),
    }
    try {
      const signal = AbortSignal.timeout(ANSWER_MS)
      const answer = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal })
      await answer.body?.cancel()
      if (answer.ok) return { is: 'taken' }
      const { status } = answer
      const why = `the transport answered with status ${status}`
      if (status === 429 || status === 408) return { is: 'busy', why }
      // With 4xx the other side says that it did not accept the message; any other status says nothing.
      return { is: status >= 400 && status < 500 ? 'refused' : 'unclear', why }
    } catch (error) {
      return isUnreached(error)
        ? { is: 'busy', why: 'the transport could not be reached' }
        : { is: 'unclear', why: 'the transport did not answer in time' }
    }
  }
}

/** `busy`: not accepted, and worth a retry. `unclear`: unknown whether it was accepted. */
type Attempt = { readonly is: 'taken' } | { readonly is: 'busy' | 'refused' | 'unclear'; readonly why: string }

/** Messages to and from documents, and what their runs need. */
export const prepareWorkflows: PrepareGuest = (given) => {
  const opened = openTransports(given)
  if (!opened.ok) return opened
  const transports = [...given.transports, ...opened.value.transports]
  return ok({
    ports: { incoming: opened.value.incoming },
    ...(transports.length === 0 ? {} : { server: messagesServer(transports) }),
    open: (ports) => ({ ports: documentPorts(ports.tables, given.env) }),
    async start(ports) {
      const listening = await Promise.all(
        transports.flatMap(
          (one) => one.listen?.((message) => takeMessage(ports, message), admitsInvitation(ports)) ?? [],
        ),
      )
      return async () => {
        await Promise.all(listening.map((stop) => stop()))
      }
    },
  })
}

/**
 * A document joins the rooms that it names: where it listens, where it writes, and where it asks. If it listens everywhere, it
 * joins only when invited by somebody it names, so that a stranger cannot fill its account with rooms.
 */
const admitsInvitation =
  ({ documents }: { readonly documents: Documents }): AdmitsInvitation =>
  async (agent, { room, by }) => {
    const opened = await documents.current(agent)
    if (opened === undefined) return false
    const { trust, messaging, approvals } = opened.document
    const rooms = [
      ...trust.allowedRooms,
      ...messaging.allowedTargets.map(({ roomId }) => roomId),
      trust.adminRoom,
      approvals.room,
    ]
    if (rooms.includes(room)) return true
    const people = [...trust.allowedSenders, ...trust.trustedPeers.map(({ mxid }) => mxid)]
    return trust.allowedRooms.includes('*') && people.includes(by)
  }

type OpenedTransports = {
  readonly transports: readonly MessageTransport[]
  /** Who may send messages to the gate, by the name of the transport. */
  readonly incoming: ReadonlyMap<string, WebhookKey>
}

type TransportDeps = Pick<Preparation, 'config' | 'folder' | 'stopping' | 'ports'>

/** The configured transports with their secrets resolved. A missing or short secret is rejected with its place in the file. */
function openTransports({ config, folder, stopping, ports }: TransportDeps): Result<OpenedTransports> {
  const faults: string[] = []
  const keyOf = (reference: string, where: string): WebhookKey | undefined => {
    const secret = secretOf(reference, folder, process.env) ?? ''
    const key = webhookKey(secret)
    if (key === undefined)
      faults.push(
        `transports.${where}: ${secret === '' ? 'the secret is missing' : `shorter than ${MIN_WEBHOOK_SECRET_BYTES} bytes`}`,
      )
    return key
  }
  const transports: MessageTransport[] = []
  const incoming = new Map<string, WebhookKey>()
  for (const [index, one] of config.transports.entries()) {
    if ('matrix' in one) {
      const fault = (place: string, says: string) => void faults.push(`transports.${index}.${place}: ${says}`)
      const opened = ports.openRoomTransport?.(one, fault)
      if (opened === undefined) fault('matrix', 'this build has no guest for it')
      else transports.push(opened)
      continue
    }
    const key = keyOf(one.secret, `${index}.secret`)
    if (key !== undefined) transports.push(webhookTransport(one, { key, clock: Date.now, stopping }))
    if (one.incoming === undefined) continue
    const theirs = keyOf(one.incoming.secret, `${index}.incoming.secret`)
    if (secretOf(one.incoming.secret, folder, process.env) === secretOf(one.secret, folder, process.env))
      faults.push(`transports.${index}.incoming.secret: it must differ from the secret for outgoing messages`)
    if (theirs !== undefined) incoming.set(one.name, theirs)
  }
  return faults.length === 0 ? ok({ transports, incoming }) : refuse('config.invalid', { paths: faults.join('; ') })
}

/** The server that sends messages of documents. Its name and its tool are defined in `guests/workflows/tool-names.ts`. */
const MESSAGES = 'messages'

const SEND_MESSAGE: ToolDefinition = {
  name: 'send_message',
  title: 'Send a message',
  description: 'Sends a message to a room that the document of the run names. Only runs of documents can call it.',
  inputSchema: {
    type: 'object',
    required: ['agent', 'room', 'text'],
    additionalProperties: false,
    properties: {
      agent: { type: 'string', maxLength: 64 },
      room: { type: 'string', maxLength: 255 },
      text: { type: 'string', maxLength: 1_000_000 },
    },
  },
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
}

/** Idempotent, because a transport recognizes a message by its id: one whose outcome is unknown is sent again. */
const SETTINGS: ServerSettings = {
  ...ServerKeys.parse({}),
  gate: true,
  tools: { send_message: { effects: ['external'], tags: ['messages'], idempotent: true } },
}

/** A message goes to the transport that the call names, otherwise to the first that reaches its room. */
const messagesServer = (transports: readonly MessageTransport[]): GuestServer => ({
  name: MESSAGES,
  settings: SETTINGS,
  tools: [SEND_MESSAGE],
  async call(call, mayAct) {
    const { agent, room, text } = JSON.parse(call.canonical_args) as { agent: string; room: string; text: string }
    const reaching = transports.filter((one) => one.reaches(room, agent))
    const transport = reaching.find(({ name }) => call.transport === undefined || name === call.transport)
    if (transport === undefined)
      return notSent(
        `${call.transport === undefined ? 'no transport' : `\`${call.transport}\` no longer`} reaches this room`,
      )
    if (!mayAct()) return notSent('the lease of this node has expired')
    const again = call.repeats_since === undefined ? {} : { since: call.repeats_since }
    return answerOf(await transport.send({ id: call.idempotency_key, agent, room, text, ...again }))
  },
})

const notSent = (why: string): UpstreamAnswer => ({
  is: 'not_sent',
  problem: problem('tool.unavailable', { server: MESSAGES, why }),
})

function answerOf(sent: Sent): UpstreamAnswer {
  if (sent.is === 'sent') return { is: 'answered', result: { content: [{ type: 'text', text: 'sent' }] } }
  if (sent.is === 'not_sent') return notSent(sent.why)
  return { is: 'lost', problem: problem('tool.broke_off', { server: MESSAGES, how: sent.why }) }
}
