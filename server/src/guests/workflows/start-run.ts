import { onlyReads } from '../../kernel/contract/tool.ts'
import type { RunId } from '../../kernel/contract/ids.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { problem, type Problem } from '../../kernel/contract/problems.ts'
import type { DocumentHead, WorkflowError } from './workflow.ts'
import type { Protocol } from './workflow-document.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import { beginRun } from '../../kernel/runs/begin-run.ts'
import { startWorkflow, type WorkflowTrigger } from './state.ts'
import { workflow } from './step.ts'
import {
  agentCaller,
  commitWithin,
  DELIVERY_KNOWN_MS,
  isOver,
  overSays,
  requestMeters,
  type UnitMeter,
  type MeterPorts,
  type OpenDocument,
} from './api.ts'
import { toolsIn } from './steps/steps.ts'
import type { Catalogue } from '../../kernel/ports/catalogue.ts'
import type { Change } from '../../kernel/ports/ledger.ts'
import type { Clock, Digest } from '../../kernel/ports/runtime.ts'
import { isUnrecorded, lostAt, whyUnrecorded } from '../../kernel/changes/unrecorded.ts'
import { newRunChanges } from '../../kernel/runs/run-changes.ts'
import { textLabel, wordsLabel } from '../../kernel/sessions/labels.ts'

export type StartPorts = MeterPorts & {
  readonly clock: Clock
  readonly digest: Digest
  readonly catalogue: Catalogue
}

export type RunToStart = {
  readonly head: DocumentHead
  readonly opened: OpenDocument
  readonly protocol: Protocol
  readonly trigger: WorkflowTrigger
  readonly input: Json
  readonly trace: string
  /** What arrived, in short, for the audit: ids and hashes. */
  readonly about: Record<string, string | number>
  /** Identifies the delivery: the same one starts nothing twice. Absent for a run that a person starts. */
  readonly delivery?: string
  readonly run_id: RunId
  /** Besides the limits of every run. */
  readonly meters?: readonly UnitMeter[]
  readonly actor?: string
}

/** `known`: this delivery was processed before, and this is its run. */
export type StartedRun =
  | { readonly is: 'started' | 'known'; readonly run_id: RunId }
  | { readonly is: 'refused'; readonly code: WorkflowError; readonly says: string }
  | { readonly is: 'unrecorded'; readonly problem: Problem }

/** The same delivery is the same run: no table of deliveries is needed. */
export const runOfDelivery = ({ digest }: Pick<StartPorts, 'digest'>, delivery: string): RunId =>
  `run_${digest(JSON.stringify(['workflow', delivery])).slice(0, 16)}`

/** Records a run, within the limits of its document. The driver does the rest. */
export async function startRun(deps: StartPorts, run: RunToStart): Promise<StartedRun> {
  const { head, opened, run_id, delivery } = run
  const now = deps.clock()
  const request = requestMeters(head.name, opened, now)
  const meters = [...(run.meters ?? []), ...request.meters]
  const once: Change[] =
    delivery === undefined
      ? []
      : [{ kind: 'once', key: `workflow.delivery ${delivery}`, until: now + DELIVERY_KNOWN_MS }]
  const committed = await commitWithin(deps, meters, [...once, ...runChanges(deps, run, request.place, now)])
  if (isOver(committed) && delivery !== undefined && (await isKnown(deps, run_id))) return { is: 'known', run_id }
  if (isOver(committed))
    return {
      is: 'refused',
      code: 'limit_exceeded',
      says: overSays(committed.over),
    }
  if (committed === 'committed') return { is: 'started', run_id }
  if (isUnrecorded(committed)) return { is: 'unrecorded', problem: whyUnrecorded(committed) }
  return lostAt(committed) === undefined
    ? { is: 'unrecorded', problem: problem('audit.unavailable') }
    : { is: 'known', run_id }
}

/** A repeated delivery is not a new request, whatever the limit is by now. */
const isKnown = async ({ ledger }: StartPorts, run_id: RunId): Promise<boolean> =>
  lostAt(await ledger.commit([{ kind: 'expect', table: 'runs', id: run_id, version: 'absent' }])) === 0

function runChanges(deps: StartPorts, run: RunToStart, place: string | null, now: number): Change[] {
  const { head, opened, protocol, trigger, input, trace, run_id } = run
  const caller = agentCaller(head)
  const thread = `workflow.${run_id}`
  const { approvals, messaging } = opened.document
  const reads = toolsIn(protocol.steps).filter((id) => onlyReads(deps.catalogue.tool(id)))
  const state = startWorkflow({
    run_id,
    document: head.name,
    version: opened.version,
    caller: JSON.parse(JSON.stringify(caller)) as JsonObject,
    thread,
    trace,
    protocol: JSON.parse(JSON.stringify(protocol)) as JsonObject,
    targets: Object.fromEntries(messaging.allowedTargets.map(({ alias, roomId }) => [alias, roomId])),
    reads,
    place,
    hold_s: approvals.ttlSeconds ?? null,
    trigger,
    input,
    started_at: now,
  })
  const labels = { owner: callerIdentity(caller), thread, document: `${head.name}@${opened.version}` }
  const subject = { run: run_id, document: `${head.name}@${opened.version}`, protocol: protocol.id }
  const from = { name: trigger.sender ?? trigger.source ?? 'manual' }
  return [
    ...newRunChanges(beginRun(workflow, run_id, { state }, now, labels), { type: 'workflow.started', at: now }),
    // The operator wrote the document; what arrived comes from outside.
    ...wordsLabel(
      run_id,
      caller,
      thread,
      { text: JSON.stringify([protocol.steps, messaging.allowedTargets]), trust: 'user' },
      now,
    ),
    ...textLabel({
      id: run_id,
      caller,
      thread,
      kind: 'log',
      source: from,
      text: JSON.stringify([trigger.message, input]),
      at: now,
    }),
    {
      kind: 'audit',
      entry: {
        at: now,
        type: 'workflow.started',
        actor: run.actor ?? caller.id,
        trace,
        subject,
        about: { trigger: trigger.type, sha256: opened.row.sha256, ...run.about },
      },
    },
    ...(protocol.inputSchemaRef === undefined
      ? []
      : [
          {
            kind: 'audit' as const,
            entry: {
              at: now,
              type: 'workflow.validated' as const,
              actor: caller.id,
              trace,
              subject,
              outcome: 'valid',
              about: { schema: protocol.inputSchemaRef },
            },
          },
        ]),
  ]
}
