import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import type { DocumentHead, WorkflowError } from './workflow.ts'
import type { Protocol } from './workflow-document.ts'
import { parseIJson } from '../../kernel/json/parse-ijson.ts'
import { admitsRoom, judgeMessage } from './triggers.ts'
import type { Intake } from '../../kernel/attempt/intake.ts'
import { isUnrecorded } from '../../kernel/changes/unrecorded.ts'
import type { Ids } from '../../kernel/ports/runtime.ts'
import type { IncomingMessage, TakenMessage } from '../../kernel/ports/transports.ts'
import type { Documents, OpenDocument, TakeTurn } from './api.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'
import { runOfDelivery, startRun, type StartPorts } from './start-run.ts'
import { problem } from './problems.ts'

export type TakePorts = StartPorts & {
  readonly documents: Documents
  readonly ids: Ids
  readonly intake: Intake
  readonly judgement: Pick<Judgement, 'scanner'>
  /** Without it, documents only take messages of their protocols. */
  readonly takeTurn?: TakeTurn
}

/** The maximum size from a transport. */
const LONGEST_MESSAGE = 1_048_576
/** How long a rejection is remembered: the same message sent again is not recorded again. */
const REFUSAL_KNOWN_MS = 86_400_000

/**
 * A message from a transport: room, sender, prefix, peer, payload, schema, run, in this order, for each document that it is for.
 * Every rejection is recorded.
 * INVARIANT: the payload of an untrusted peer is not parsed.
 */
export async function takeMessage(
  deps: TakePorts,
  message: IncomingMessage,
): Promise<readonly TakenMessage[] | 'later'> {
  if (deps.intake.closedBy() !== undefined) return 'later'
  const found = await documentsFor(deps, message)
  if (found.length === 0) {
    const refused = { code: 'trust_mismatch' as const, says: 'no document admits this room', document: null }
    return (await refuse(deps, message, refused)) ? [{ is: 'refused', ...refused }] : 'later'
  }
  const taken: TakenMessage[] = []
  for (const { head, opened } of found) {
    const one = await takeFor(deps, message, head, opened)
    if (one === 'later') return 'later'
    taken.push(one)
  }
  return taken
}

type Found = { readonly head: DocumentHead; readonly opened: OpenDocument }

async function documentsFor({ documents }: TakePorts, { agent, room }: IncomingMessage): Promise<readonly Found[]> {
  const open = async (head: DocumentHead): Promise<Found[]> => {
    const opened = await documents.version(head.name, head.current)
    return opened === undefined ? [] : [{ head, opened }]
  }
  if (agent !== undefined) {
    const held = await documents.head(agent)
    return held === undefined ? [] : open(held.row)
  }
  const all = (await Promise.all((await documents.heads()).map(open))).flat()
  return all.filter(({ opened }) => admitsRoom(opened.triggers, room))
}

async function takeFor(
  deps: TakePorts,
  message: IncomingMessage,
  head: DocumentHead,
  opened: OpenDocument,
): Promise<TakenMessage | 'later'> {
  const document = head.name
  const refused = async (code: WorkflowError, says: string, protocol?: string): Promise<TakenMessage | 'later'> => {
    const why = {
      code,
      says,
      document: `${head.name}@${opened.version}`,
      ...(protocol === undefined ? {} : { protocol }),
    }
    return (await refuse(deps, message, why)) ? { is: 'refused', document, code, says } : 'later'
  }
  if (message.text.length > LONGEST_MESSAGE) return refused('invalid_protocol_message', 'the message is too long')
  const judged = judgeMessage(opened.triggers, message)
  if (judged.is === 'refused') return refused(judged.code, judged.says, judged.protocol)
  if (judged.is === 'ignored') return { is: 'ignored', document }
  const delivery = deliveryOf(message, document)
  if (judged.is === 'turn') {
    if (deps.takeTurn === undefined) return refused('invalid_protocol_message', 'nothing here answers people')
    const taken = await deps.takeTurn({ head, opened, message, delivery })
    if (taken === 'later') return 'later'
    return taken.is === 'refused' ? refused(taken.code, taken.says) : { ...taken, document }
  }
  const { protocol } = judged
  const payload = parseIJson(judged.payload)
  if (!payload.ok || !isJsonObject(payload.value))
    return refused('invalid_protocol_message', 'the text after the prefix is not a single JSON object', protocol.id)
  const invalid = await schemaFault(deps, opened, protocol, payload.value)
  if (invalid !== undefined) return refused('schema_validation', invalid, protocol.id)
  const started = await startRun(deps, {
    head,
    opened,
    protocol,
    input: payload.value,
    trigger: {
      type: 'matrix.protocol_message',
      sender: message.sender,
      room: message.room,
      source: null,
      message: message.text,
    },
    trace: deps.ids.trace(),
    about: {
      transport: message.transport,
      sender: message.sender.slice(0, 256),
      room: message.room.slice(0, 256),
      message_hash: deps.digest(message.text),
    },
    delivery,
    run_id: runOfDelivery(deps, delivery),
  })
  if (started.is === 'unrecorded') return 'later'
  return started.is === 'refused'
    ? refused(started.code, started.says, protocol.id)
    : { is: 'started', document, run_id: started.run_id }
}

const deliveryOf = ({ transport, id }: IncomingMessage, document: string): string =>
  JSON.stringify(['message', transport, id, document])

/** What is wrong with an input, by the schema of its protocol. */
export async function schemaFault(
  { judgement }: Pick<TakePorts, 'judgement'>,
  opened: OpenDocument,
  { inputSchemaRef }: Protocol,
  input: JsonObject,
): Promise<string | undefined> {
  if (inputSchemaRef === undefined) return undefined
  const schema = opened.document.workflow.schemas?.[inputSchemaRef] as JsonObject
  const valid = await judgement.scanner.validate(schema, `${opened.row.sha256}/${inputSchemaRef}`, input)
  return valid.ok ? undefined : (valid.problem.about['paths'] ?? problem('workflow.schema_validation').code)
}

type Refusal = {
  readonly code: WorkflowError
  readonly says: string
  readonly document: string | null
  readonly protocol?: string
}

/** False if it could not be recorded. */
async function refuse(
  deps: TakePorts,
  message: IncomingMessage,
  { code, says, document, protocol }: Refusal,
): Promise<boolean> {
  const at = deps.clock()
  const recorded = await deps.ledger.commit([
    {
      kind: 'once',
      key: `workflow.refused ${deps.digest(deliveryOf(message, document ?? ''))}`,
      until: at + REFUSAL_KNOWN_MS,
    },
    {
      kind: 'audit',
      entry: {
        at,
        type: 'workflow.refused',
        actor: `transport:${message.transport}`.slice(0, 128),
        trace: deps.ids.trace(),
        subject: { ...(document === null ? {} : { document }), ...(protocol === undefined ? {} : { protocol }) },
        outcome: code,
        about: {
          says,
          level: 'warning',
          sender: message.sender.slice(0, 256),
          room: message.room.slice(0, 256),
          message_hash: deps.digest(message.text),
        },
      },
    },
  ])
  return !isUnrecorded(recorded)
}
