import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import type { DocumentHead, WorkflowError } from './workflow.ts'
import type { WebhookGateway } from './workflow-document.ts'
import { parseIJson } from '../../kernel/json/parse-ijson.ts'
import { protocolForEvent } from './triggers.ts'
import { isoTime } from './scope.ts'
import type { OpenDocument } from './api.ts'
import { commitWithin, minuteMeter, type UnitMeter } from './api.ts'
import { runOfDelivery, startRun } from './start-run.ts'
import { schemaFault, type TakePorts } from './take-message.ts'
import { refuse } from './problems.ts'

export type EventPorts = TakePorts & {
  readonly environment: (name: string) => string | undefined
  /** Compares in constant time. */
  readonly isSameText: (one: string, other: string) => boolean
  readonly hmacHex: (secret: string, text: string) => string
}

/** Events that are not genuine, recorded in a minute for each gateway. */
const MOST_RECORDED = 30

/** A request to a webhook gateway as received. */
export type WebhookEvent = {
  readonly source: string
  readonly authorization: string | undefined
  readonly signature: string | undefined
  readonly delivery: string | undefined
  readonly type: string | undefined
  readonly body: string
}

type Gateway = { readonly head: DocumentHead; readonly opened: OpenDocument; readonly gateway: WebhookGateway }

/** An event from outside. Nothing of its body is parsed before its secret is verified. */
export async function takeWebhook(deps: EventPorts, event: WebhookEvent): Promise<Result<{ readonly run_id: string }>> {
  const closed = deps.intake.closedBy()
  if (closed !== undefined) return { ok: false, problem: closed }
  const found = await gatewayOf(deps, event.source)
  if (found === undefined) return refuse('event.unknown', { source: event.source.slice(0, 128) })
  if (!isGenuine(deps, found, event)) {
    const says = 'the event is not signed with the secret of its gateway'
    // Anybody may send these, so only some of them are recorded.
    const meters = minuteMeter(`not genuine ${found.head.name} ${found.gateway.name}`, MOST_RECORDED, deps.clock())
    await noteRefusal(deps, found, { code: 'trust_mismatch', says, of: event.body, meters })
    return refuse('event.not_genuine', { source: event.source.slice(0, 128) })
  }
  const { gateway } = found
  const envelope = envelopeOf(gateway, event, isoTime(deps.clock()))
  // A signature covers the body alone: without an id from the sender, the body is the id.
  const delivery = JSON.stringify(['webhook', found.head.name, gateway.name, event.delivery ?? deps.digest(event.body)])
  return startEvent(deps, found, envelope, delivery)
}

export type EventEnvelope = {
  readonly source: string
  readonly type: string
  readonly ts: string
  readonly payload: { readonly message: string; readonly data?: Json }
}

/** An event whose origin is known starts the protocol for its type. */
export async function startEvent(
  deps: TakePorts,
  { head, opened }: Pick<Gateway, 'head' | 'opened'>,
  envelope: EventEnvelope,
  delivery: string,
): Promise<Result<{ readonly run_id: string }>> {
  const refused = async (code: WorkflowError, says: string): Promise<void> => {
    await noteRefusal(deps, { head, opened, gateway: { name: envelope.source } }, { code, says, of: delivery })
  }
  const protocol = protocolForEvent(opened.triggers, envelope.type)
  if (protocol === undefined) {
    await refused('invalid_protocol_message', 'no protocol is for this type of event')
    return refuse('workflow.invalid_protocol_message', { type: envelope.type.slice(0, 128) })
  }
  const input = JSON.parse(JSON.stringify(envelope)) as JsonObject
  const invalid = await schemaFault(deps, opened, protocol, input)
  if (invalid !== undefined) {
    await refused('schema_validation', invalid)
    return refuse('workflow.schema_validation', { paths: invalid })
  }
  const started = await startRun(deps, {
    head,
    opened,
    protocol,
    input,
    trigger: {
      type: 'gateway.event',
      sender: null,
      room: null,
      source: envelope.source,
      message: envelope.payload.message,
    },
    trace: deps.ids.trace(),
    about: { source: envelope.source, event: envelope.type.slice(0, 128) },
    delivery,
    run_id: runOfDelivery(deps, delivery),
    meters: minuteMeter(`events ${head.name}`, opened.document.limits.maxEventsPerMinute, deps.clock()),
  })
  if (started.is === 'unrecorded') return { ok: false, problem: started.problem }
  if (started.is !== 'refused') return ok({ run_id: started.run_id })
  await refused(started.code, started.says)
  return refuse('workflow.limit_exceeded', { limit: started.says })
}

/** By its own name if only one active document has such a gateway, otherwise as `document:gateway`. */
async function gatewayOf({ documents }: TakePorts, source: string): Promise<Gateway | undefined> {
  const [document, name] = source.includes(':') ? source.split(':') : [undefined, source]
  const heads =
    document === undefined
      ? await documents.heads()
      : [(await documents.head(document))?.row].filter((head) => head !== undefined)
  const found: Gateway[] = []
  for (const head of heads) {
    const opened = await documents.version(head.name, head.current)
    const gateway = opened?.document.gateways.find(
      (one): one is WebhookGateway => one.type === 'webhook' && one.name === name,
    )
    if (opened !== undefined && gateway !== undefined) found.push({ head, opened, gateway })
  }
  return found.length === 1 ? found[0] : undefined
}

function isGenuine(
  deps: EventPorts,
  { opened, gateway }: Gateway,
  { authorization, signature, body }: WebhookEvent,
): boolean {
  const { auth, secret } = gateway.config
  const variable = opened.document.secrets.find(({ name }) => name === secret)?.envVar
  const value = variable === undefined ? undefined : deps.environment(variable)
  if (value === undefined || value === '') return false
  if (auth === 'bearer') return authorization !== undefined && deps.isSameText(authorization, `Bearer ${value}`)
  return signature !== undefined && deps.isSameText(signature, `sha256=${deps.hmacHex(value, body)}`)
}

/** A body in the format of an envelope is one; anything else is the data of one. */
function envelopeOf({ name, config }: WebhookGateway, { body, type }: WebhookEvent, ts: string): EventEnvelope {
  const value = parseIJson(body)
  if (!value.ok) return { source: name, type: type ?? config.event, ts, payload: { message: body } }
  if (!isJsonObject(value.value))
    return { source: name, type: type ?? config.event, ts, payload: { message: '', data: value.value } }
  const { type: own, payload } = value.value
  if (typeof own === 'string' && isJsonObject(payload) && typeof payload['message'] === 'string')
    return {
      source: name,
      type: own,
      ts,
      payload: { message: payload['message'], ...(payload['data'] === undefined ? {} : { data: payload['data'] }) },
    }
  return { source: name, type: type ?? config.event, ts, payload: { message: '', data: value.value } }
}

type EventRefusal = {
  readonly code: WorkflowError
  readonly says: string
  readonly of: string
  readonly meters?: readonly UnitMeter[]
}

async function noteRefusal(
  deps: TakePorts,
  { head, opened, gateway }: Pick<Gateway, 'head' | 'opened'> & { readonly gateway: { readonly name: string } },
  { code, says, of, meters = [] }: EventRefusal,
): Promise<void> {
  await commitWithin(deps, meters, [
    {
      kind: 'audit',
      entry: {
        at: deps.clock(),
        type: 'workflow.refused',
        actor: `gateway:${gateway.name}`,
        trace: deps.ids.trace(),
        subject: { document: `${head.name}@${opened.version}` },
        outcome: code,
        about: { says: says.slice(0, 500), level: 'warning', hash: deps.digest(of) },
      },
    },
  ])
}
