import type { CallRequest, Outcome } from '../../kernel/contract/call.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import type { WorkflowEffect, WorkflowFound } from './draft.ts'
import type { WorkflowState } from './state.ts'
import { grepArtifact, type GrepDeps } from '../../kernel/artifacts/grep-artifact.ts'
import { readArtifact } from '../../kernel/artifacts/read-artifact.ts'
import { describeCall, type Links } from '../../kernel/attempt/describe-call.ts'
import { isUnrecorded } from '../../kernel/changes/unrecorded.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import type { CallListeners } from '../../kernel/ports/upstream.ts'
import type { Perform, Performing, PerformersOf } from '../../kernel/runs/performer.ts'
import { loadValues } from './agent-store.ts'
import { commitWithin, countMessage, type Documents, type OpenDocument } from './api.ts'
import { askModel, type ModelStepDeps } from './model-step.ts'
import { ALL_WORK } from './steps/steps.ts'
import type { Doing } from './steps/step-type.ts'
import { foundIn, requestOf, textIn } from './tool-step.ts'

export type WorkflowEffectDeps = ModelStepDeps &
  GrepDeps & {
    readonly tables: Tables
    readonly documents: Documents
    readonly links: Links
    readonly dispatch: (request: CallRequest, live?: CallListeners) => Promise<Outcome>
  }

type Step = {
  readonly deps: WorkflowEffectDeps
  readonly state: WorkflowState
  readonly opened: OpenDocument
  readonly key: string
  readonly details: JsonObject
  readonly performing: Performing
}
type Work = (step: Step) => Promise<WorkflowFound | 'later'>

/** The work of each step. The run's own row says in whose name. */
export function workflowPerformers(deps: WorkflowEffectDeps): PerformersOf<WorkflowEffect> {
  const perform =
    (work: Work): Perform<WorkflowEffect> =>
    async ({ key, with: details }, performing) => {
      const row = (await deps.tables.row('runs', performing.run_id))?.row
      if (row === undefined) throw new Bug(`the run \`${performing.run_id}\` no longer exists`)
      // Written by this kind's own step.
      const state = row.state as WorkflowState
      const opened = await deps.documents.version(state.document, state.version)
      if (opened === undefined) throw new Bug(`version ${state.version} of \`${state.document}\` no longer exists`)
      const found = await work({ deps, state, opened, key, details, performing })
      return found === 'later' ? 'later' : { type: 'effect.done', at: deps.clock(), ...(found as JsonObject) }
    }
  const works = ALL_WORK.map(
    (work) => [`workflow_${work.does}`, perform((step) => work.perform(doingOf(step)))] as const,
  )
  return {
    workflow_load: perform(({ deps: all, state, details }) => loadValues(all, state.document, details)),
    ...Object.fromEntries(works),
    workflow_outcome: perform(readOutcome),
    workflow_release: perform(release),
  }
}

/** What the work of a step may use. */
function doingOf({ deps, state, opened, key, details, performing }: Step): Doing {
  const { signal } = performing
  return {
    state,
    key,
    details,
    tables: deps.tables,
    now: deps.clock,
    call: (tool, args) => deps.dispatch(requestOf(state, key, textIn(details, 'step'), tool, args), { signal }),
    found: (outcome) => found(deps, outcome),
    checked: (got) => checked(deps, opened, got, details),
    readArtifact: (tool, args) => builtIn(deps, state, tool, args),
    askModel: () => askModel(deps, opened, details, performing),
    countMessage: () => countMessage(deps, opened, key),
    commitWithin: (places, changes) => commitWithin(deps, places, changes),
  }
}

/** Whether repeating it does no harm is a property of the tool, stored with the call. */
async function found(deps: WorkflowEffectDeps, outcome: Outcome): Promise<WorkflowFound> {
  const id = 'call_id' in outcome ? outcome.call_id : undefined
  const row = outcome.status !== 'failed' || id === undefined ? undefined : (await deps.tables.row('calls', id))?.row
  return foundIn(outcome, row?.idempotent === true)
}

/** An output that does not match the document's schema does not count. The tool ran: nothing is repeated. */
async function checked(
  { judgement }: WorkflowEffectDeps,
  opened: OpenDocument,
  got: WorkflowFound,
  details: JsonObject,
): Promise<WorkflowFound> {
  const name = details['schema']
  if (typeof name !== 'string' || got.output === undefined) return got
  const schema = opened.document.workflow.schemas?.[name] as JsonObject
  const valid = await judgement.scanner.validate(schema, `${opened.row.sha256}/${name}`, got.output)
  if (valid.ok) return { ...got, checked: { schema: name, ok: true } }
  const says = valid.problem.about['paths'] ?? 'the output does not match its schema'
  return { failure: { code: 'schema_validation', says, again: false }, checked: { schema: name, ok: false } }
}

async function builtIn(
  deps: WorkflowEffectDeps,
  { caller, thread }: WorkflowState,
  tool: string,
  args: Json,
): Promise<WorkflowFound> {
  const given = isJsonObject(args) ? args : {}
  const digest = textIn(given, 'artifact').replace(/^artifact:\/\//, '')
  const owner = { kind: 'agent' as const, id: textIn(caller, 'id'), user: textIn(caller, 'user') }
  const reader = { caller: owner, thread }
  const number = (name: string, other: number) => (typeof given[name] === 'number' ? given[name] : other)
  const read =
    tool === 'artifact_read'
      ? await readArtifact(deps, reader, digest, number('from', 0), Math.min(50_000, number('length', 10_000)))
      : await grepArtifact(deps, reader, digest, {
          pattern: textIn(given, 'pattern'),
          regexp: given['regexp'] === true,
          around: number('around', 0),
          limit: number('limit', 50),
        })
  return read.ok
    ? { output: read.value as unknown as Json }
    : { failure: { code: 'tool_failed', says: read.problem.code, again: false } }
}

const DAY_MS = 86_400_000

const readOutcome: Work = async ({ deps, opened, details }) => {
  const row = (await deps.tables.row('calls', textIn(details, 'call_id')))?.row
  if (row === undefined) throw new Bug('the call of the run no longer exists')
  return checked(deps, opened, foundIn(describeCall(row, deps.links), row.idempotent), details)
}

/** The slot is released once. */
const release: Work = async ({ deps, state, details }) => {
  const until = deps.clock() + 365 * DAY_MS
  const given = await deps.ledger.commit([
    { kind: 'once', key: `workflow.release ${state.run_id}`, until },
    { kind: 'spend', account: textIn(details, 'account'), units: -1 },
  ])
  return isUnrecorded(given) ? 'later' : {}
}
