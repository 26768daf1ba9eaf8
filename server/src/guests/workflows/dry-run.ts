import type { Caller } from '../../kernel/contract/caller.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { Bug, ok, specOf, type Result } from '../../kernel/contract/problems.ts'
import type { DocumentVersion } from './workflow.ts'
import type { WorkflowDocument } from './workflow-document.ts'
import { inForce } from '../../kernel/contract/tool.ts'
import { compileCapabilities } from './capabilities.ts'
import type { WorkflowEffect, WorkflowFound } from './draft.ts'
import { readDocument, spellFault } from './read-document.ts'
import { startWorkflow, type WorkflowState } from './state.ts'
import { workflow, type WorkflowEvent } from './step.ts'
import { compileTriggers } from './triggers.ts'
import { judgeCall, type JudgeDeps } from '../../kernel/attempt/judge-call.ts'
import { prepareCall, type PrepareDeps } from '../../kernel/attempt/prepare-call.ts'
import { agentCaller } from './api.ts'
import { loadValues, type LoadPorts } from './agent-store.ts'
import type { OpenDocument } from './api.ts'
import { schemaFault } from './take-message.ts'
import { workNamed } from './steps/steps.ts'
import { requestOf, textIn } from './tool-step.ts'
import { refuse } from './problems.ts'

export type DryRunPorts = PrepareDeps & JudgeDeps & LoadPorts

export type DryStep = {
  readonly step: string
  readonly does: string
  /** Its arguments with every template filled. A secret is shown as its placeholder. */
  readonly args: Json
  readonly verdict?: { readonly effect: string; readonly why: readonly string[] }
  /** What the following steps get instead of an output. */
  readonly assumed: Json
}

export type WorkflowDryRun = {
  readonly document: string
  readonly protocol: string
  readonly steps: readonly DryStep[]
  readonly stopped?: { readonly code: string; readonly says: string; readonly step: string | null }
}

const MOST_STEPS = 500

/** Simulates a protocol: what each step would be given, and how the gate would judge it. */
export async function dryRun(
  deps: DryRunPorts,
  by: Caller,
  text: string,
  asked: { readonly protocol?: string | undefined; readonly input: Json },
): Promise<Result<WorkflowDryRun>> {
  const read = readDocument(text)
  if (!read.ok)
    return refuse('workflow.invalid', {
      faults: read.faults
        .slice(0, 20)
        .map((fault) => spellFault('document', fault))
        .join('\n'),
      count: String(read.faults.length),
    })
  const { document } = read
  const { protocols } = document.workflow
  const protocol =
    asked.protocol === undefined && protocols.length === 1
      ? protocols[0]
      : protocols.find(({ id }) => id === asked.protocol)
  if (protocol === undefined)
    return refuse('workflow.unknown', {
      protocol: asked.protocol ?? `one of ${protocols.map(({ id }) => id).join(', ')}`,
    })
  if (!isJsonObject(asked.input)) return refuse('workflow.schema_validation', { paths: 'the input is a JSON object' })
  const opened = openText(deps, document, text, by)
  const invalid = await schemaFault(deps, opened, protocol, asked.input)
  if (invalid !== undefined) return refuse('workflow.schema_validation', { paths: invalid })
  const now = deps.clock()
  let state: WorkflowState = startWorkflow({
    run_id: deps.ids.run(),
    document: opened.name,
    version: 0,
    caller: JSON.parse(JSON.stringify(agentCaller({ name: opened.name, owner: by.user }))) as JsonObject,
    thread: `workflow.dry-run.${deps.ids.trace()}`,
    trace: deps.ids.trace(),
    protocol: JSON.parse(JSON.stringify(protocol)) as JsonObject,
    targets: Object.fromEntries(document.messaging.allowedTargets.map(({ alias, roomId }) => [alias, roomId])),
    reads: [],
    place: null,
    hold_s: null,
    trigger: { type: 'manual', sender: null, room: null, source: null, message: JSON.stringify(asked.input) },
    input: asked.input,
    started_at: now,
  })
  const steps: DryStep[] = []
  /** What its own steps would have stored. */
  const kept = new Map<string, Json>()
  const events: WorkflowEvent[] = [{ type: 'workflow.started', at: now }]
  for (let event = events.shift(); event !== undefined && steps.length < MOST_STEPS; event = events.shift()) {
    const next = workflow.step(state, event)
    ;({ state } = next)
    for (const effect of next.effects as readonly WorkflowEffect[]) {
      const done = await assume(deps, opened, state, effect, kept)
      if (done.step !== undefined) steps.push(done.step)
      events.push({ type: 'effect.done', key: effect.key, at: now, ...(done.found as JsonObject) })
    }
  }
  const { failure } = state
  return ok({ document: opened.name, protocol: protocol.id, steps, ...(failure === null ? {} : { stopped: failure }) })
}

function openText({ clock, digest }: DryRunPorts, document: WorkflowDocument, text: string, by: Caller): OpenDocument {
  const { name } = document.metadata
  const row: DocumentVersion = {
    v: 1,
    part: 'version',
    name,
    number: 0,
    sha256: digest(text),
    author: by.id,
    at: clock(),
    text,
  }
  return {
    name,
    version: 0,
    row,
    document,
    capabilities: compileCapabilities(`${name}@0`, document),
    triggers: compileTriggers(document),
  }
}

type Assumed = { readonly step?: DryStep; readonly found: WorkflowFound }

async function assume(
  deps: DryRunPorts,
  opened: OpenDocument,
  state: WorkflowState,
  { kind, key, with: details }: WorkflowEffect,
  kept: Map<string, Json>,
): Promise<Assumed> {
  if (kind === 'workflow_load') {
    const { loaded } = await loadValues(deps, opened.name, details)
    return { found: { loaded: { ...loaded, ...Object.fromEntries(kept) } } }
  }
  const work = workNamed(kind.slice('workflow_'.length))
  if (work === undefined) throw new Bug(`a dry run has no \`${kind}\``)
  const step = textIn(details, 'step')
  const { does, args, verdict, assumed } = await work.assume({
    state,
    details,
    step,
    kept,
    schemaNamed: (name) => opened.document.workflow.schemas?.[name] as JsonObject | undefined,
    outputSchemaOf(tool) {
      const known = deps.catalogue.tool(tool)
      return known === undefined ? undefined : inForce(known.row).definition.outputSchema
    },
    judged: (tool, given) => verdictOf(deps, opened, state, key, step, tool, given),
  })
  const judged = verdict === undefined ? {} : { verdict }
  return { step: { step, does, args, ...judged, assumed }, found: { output: assumed } }
}

async function verdictOf(
  deps: DryRunPorts,
  opened: OpenDocument,
  state: WorkflowState,
  key: string,
  step: string,
  tool: string,
  args: Json,
): Promise<NonNullable<DryStep['verdict']>> {
  const { idempotency_key: _, ...request } = requestOf(state, key, step, tool, args)
  const prepared = await prepareCall(deps, request, state.thread)
  if (!prepared.ok) {
    const { paths } = prepared.problem.about
    const { says } = specOf(prepared.problem)
    return {
      effect: 'block',
      why: [paths === undefined ? says : `${says}: ${paths}`],
    }
  }
  const { call, tool: known, integrity } = prepared.value
  const documents = { version: () => Promise.resolve(opened) }
  const { verdict } = await judgeCall({ ...deps, documents }, call, known, { integrity }, {})
  return {
    effect: verdict.effect,
    why: verdict.evidence
      .filter(({ effect }) => effect === verdict.effect)
      .map(({ decider, says }) => `${decider}: ${says}`),
  }
}
