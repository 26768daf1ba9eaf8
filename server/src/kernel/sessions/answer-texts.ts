import type { AgentAnswer, AgentEvent } from '../../guests/agent/agent.ts'
import type { CallLife } from '../contract/activity.ts'
import type { Outcome } from '../contract/call.ts'
import { isJsonObject, type Json } from '../contract/json.ts'
import type { ToolflowView } from '../../guests/toolflow/toolflow.ts'
import type { ValueSource } from './value-source.ts'
import type { WhyAnswer } from '../../guests/provenance/why.ts'
import type { WorkflowRunView } from '../../guests/workflows/workflow.ts'
import type { ThreadView } from '../../guests/agent/read-threads.ts'
import type { AnswerText } from './enter-session.ts'

/** Which parts of each answer somebody other than the reader wrote. Our own words, ids, states and times are not included. */

type Of = { readonly of_call?: string; readonly of_run?: string }
const text = (name: string, value: string | null | undefined, of: Of): AnswerText[] =>
  value === undefined || value === null || value === '' ? [] : [{ text: value, name, ...of }]

/** What was read back is reported as a sentence about the answer of another call. */
export function textsInOutcome(outcome: Outcome): readonly AnswerText[] {
  switch (outcome.status) {
    case 'executed':
      return [{ call: outcome.call_id }, ...text('a read-back', outcome.read_back, { of_call: outcome.call_id })]
    case 'failed':
      return outcome.result === undefined ? [] : [{ call: outcome.call_id }]
    default:
      return []
  }
}

/** For a packet: its preview, and the texts around its values. */
export type PacketTexts = {
  readonly approval_id: string
  readonly call_id: string
  readonly preview?: unknown
  readonly sources?: readonly ValueSource[]
}

export const textsInPacket = ({ approval_id, call_id, preview, sources = [] }: PacketTexts): readonly AnswerText[] => [
  ...(preview === undefined ? [] : [{ approval: approval_id }]),
  ...textsInSources(sources, { of_call: call_id }),
]

/** By reference if the text is the answer of a call. */
function textsInSources(sources: readonly ValueSource[], of: { readonly of_call: string }): readonly AnswerText[] {
  return sources.flatMap(({ where, excerpt, label }) =>
    where?.call_id === undefined ? text(label, excerpt, of) : [{ call: where.call_id }],
  )
}

export const textsInWhy = ({ call_id, values }: WhyAnswer): readonly AnswerText[] =>
  textsInSources(
    values.flatMap(({ source }) => source ?? []),
    { of_call: call_id },
  )

export function textsInLife({
  call_id,
  result,
  moments,
}: Pick<CallLife, 'call_id' | 'result' | 'moments'>): readonly AnswerText[] {
  const read = moments.filter(({ is }) => is === 'checked' || is === 'read_back')
  const said = read.flatMap(({ says }) => text('a read-back', says, { of_call: call_id }))
  return [...(result === undefined ? [] : [{ call: call_id }]), ...said]
}

/** What the user said is the user's in every session; what a model wrote may repeat a tool's words. */
export function textsInThread(view: ThreadView): readonly AnswerText[] {
  const of = { of_run: view.run_id }
  const said = view.messages.filter(({ role }) => role !== 'user').map((message) => message.text)
  const steps = view.plan.map(({ step }) => step)
  return [...said, ...steps, view.summary, view.question, view.last_tool_result?.output].flatMap((one) =>
    text('a thread', one, of),
  )
}

export const textsInAgent = ({ run_id, response }: AgentAnswer): readonly AnswerText[] =>
  text('a thread', response, { of_run: run_id })

/** For events while a thread works. */
export const textsInEvent = (run_id: string, { data }: Pick<AgentEvent, 'data'>): readonly AnswerText[] =>
  stringsUnder(data, EVENT_FIELDS).flatMap((one) => text('a thread', one, { of_run: run_id }))
const EVENT_FIELDS = new Set(['steps', 'args', 'output', 'response', 'text', 'message'])

export function textsInToolflow(view: ToolflowView): readonly AnswerText[] {
  const { exec_result, dry_run_result, call_id } = view.state
  const of = { of_run: view.run_id, ...(call_id === null ? {} : { of_call: call_id }) }
  const packet = 'approval_packet' in view ? view.approval_packet : undefined
  return [
    ...(exec_result === null ? [] : textsInOutcome(exec_result)),
    ...text('a dry run', dry_run_result, of),
    ...(packet === undefined || !('approval_id' in packet) ? [] : textsInPacket(packet as PacketTexts)),
  ]
}

export function textsInWorkflowRun({ run_id, output, error }: WorkflowRunView): readonly AnswerText[] {
  const of = { of_run: run_id }
  const said = output === undefined ? undefined : typeof output === 'string' ? output : JSON.stringify(output)
  return [...text('the run of a document', said, of), ...text('the run of a document', error?.says, of)]
}

/**
 * For a flow and its review: what the people and agents who work on it wrote. What this request itself says is the reader's own.
 */
export function textsInFlow(answer: object, asked: Json = null): readonly AnswerText[] {
  const own = new Set(stringsIn(asked))
  return stringsUnder(answer as Json, FLOW_FIELDS)
    .filter((one) => !own.has(one))
    .flatMap((one) => text('the run of a flow', one, {}))
}
const FLOW_FIELDS = new Set([
  'evidence_ref',
  'task_ref',
  'external_ref',
  'note',
  'reason',
  'intent',
  'comment',
  'output',
])

/** Every string in the fields with these names, at any depth. */
function stringsUnder(value: Json, fields: ReadonlySet<string>): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => stringsUnder(item, fields))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, inside]) =>
    fields.has(name) ? stringsIn(inside) : stringsUnder(inside, fields),
  )
}

function stringsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : []
}
