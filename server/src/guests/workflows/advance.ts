import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import type { StepOf, WorkflowStep } from './workflow-document.ts'
import { branchTarget } from './branch.ts'
import { auditEntry, failed, keyAt, type Draft, type WorkflowEffect } from './draft.ts'
import { around, lookupIn, storeKeysOf, type Around } from './scope.ts'
import { newFrame, type Frame, type Work, type WorkflowState } from './state.ts'
import { pathOfExpression, renderTemplate, type Lookup } from './templates.ts'
import { toolIdOf } from './tool-names.ts'

export type Advanced = { readonly draft: Draft; readonly frame: Frame }

/** How many iterations of a loop run in parallel. */
const LANES = 4
/** How many characters of the state a model is shown. */
const LONGEST_STATE = 40_000
/** How many characters all outputs of a run may have together. */
const MOST_HELD = 4_000_000

/** Continues a list of steps until every piece of work is in progress, waits or is done. */
export function advanceFrame(before: Draft, from: Frame, steps: readonly WorkflowStep[], outer: Around): Advanced {
  let [draft, frame] = [before, from]
  while (frame.work === undefined && frame.done === undefined && draft.state.failure === null) {
    const step = steps[frame.at]
    if (step === undefined) return { draft, frame: { ...frame, done: true } }
    const next =
      frame.loop === undefined ? beginStep(draft, frame, step, steps, outer) : advanceLoop(draft, frame, step, outer)
    ;({ draft, frame } = next)
    if (next.rests === true) break
  }
  return { draft, frame }
}

type Moved = Advanced & { readonly rests?: true }

function beginStep(
  draft: Draft,
  frame: Frame,
  step: WorkflowStep,
  steps: readonly WorkflowStep[],
  outer: Around,
): Moved {
  const number = `${outer.prefix}${frame.at}`
  const keys = frame.loaded === undefined ? storeKeysOf(step) : []
  if (keys.length > 0) return begin(draft, frame, 'load', number, { keys, step: number })
  const lookup = lookupIn(draft.state, frame, outer)
  switch (step.type) {
    case 'branch':
      return jump(draft, frame, step, steps, lookup, number)
    case 'collect':
      return collect(draft, frame, step, lookup, number)
    case 'for_each':
      return openLoop(draft, frame, step, lookup, number)
    default:
      return act(draft, frame, step, lookup, { number, outer })
  }
}

type Place = { readonly number: string; readonly outer: Around }
type Acting = Exclude<WorkflowStep, StepOf<'branch'> | StepOf<'collect'> | StepOf<'for_each'>>

/** Fills the step's templates; a missing value stops the run before the step does anything. */
function act(draft: Draft, frame: Frame, step: Acting, lookup: Lookup, { number, outer }: Place): Moved {
  const rendered = renderTemplate(templateOf(step), lookup)
  if (!rendered.ok) return { draft: failed(draft, 'template_unresolved', rendered.says, number), frame }
  const { value, secrets } = rendered
  const filled = isJsonObject(value) ? value : {}
  switch (step.type) {
    case 'tool':
      return begin(draft, frame, 'tool', number, {
        tool: toolIdOf(step.tool) ?? step.tool,
        args: filled['args'] ?? {},
        secrets: inside(secrets, '/args'),
        step: number,
        ...schemaOf(step),
      })
    case 'send_message':
      return begin(draft, frame, 'send', number, {
        room: draft.state.targets[step.targetAlias] ?? '',
        text: textOf(filled['text']),
        step: number,
      })
    case 'persist':
      return begin(draft, frame, 'persist', number, { key: step.key, value: filled['value'] ?? null, step: number })
    default:
      return begin(draft, frame, 'model', number, {
        does: step.type,
        prompt: textOf(filled['prompt']),
        source: step.type === 'parse_input' ? textOf(filled['source']) : '',
        state: step.type === 'parse_input' ? '' : stateText(draft.state, frame, outer),
        errors: frame.errors ?? [],
        step: number,
        ...schemaOf(step),
      })
  }
}

function templateOf(step: Acting): JsonObject {
  if (step.type === 'tool') return { args: step.argsTemplate }
  if (step.type === 'send_message') return { text: step.payloadTemplate }
  if (step.type === 'persist') return { value: step.value }
  if (step.type !== 'parse_input') return { prompt: step.prompt }
  return { prompt: step.prompt ?? '', source: step.source ?? '{{run.message}}' }
}

const schemaOf = (step: { readonly outputSchemaRef?: string | undefined }): JsonObject =>
  step.outputSchemaRef === undefined ? {} : { schema: step.outputSchemaRef }

/** Pointers of secrets, relative to the arguments. */
const inside = (secrets: Readonly<Record<string, string>>, prefix: string): JsonObject =>
  Object.fromEntries(Object.entries(secrets).map(([pointer, name]) => [pointer.slice(prefix.length), name]))

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

/** The state for a model, as JSON, cut if it is long. */
function stateText(state: WorkflowState, frame: Frame, outer: Around): string {
  const shown = {
    input: state.input,
    steps: outer.steps(frame.outputs),
    ...(frame.last === undefined ? {} : { output: frame.last }),
    ...outer.variables,
  }
  return JSON.stringify(shown).slice(0, LONGEST_STATE)
}

function begin(draft: Draft, frame: Frame, does: Work['does'], number: string, details: JsonObject): Moved {
  const { state } = draft
  const key = keyAt(state, number)
  const effect: WorkflowEffect = { key, kind: `workflow_${does}`, with: details }
  return {
    draft: { ...draft, state: { ...state, works: state.works + 1 }, effects: [...draft.effects, effect] },
    frame: { ...frame, work: { key, does, is: 'begun', attempt: does === 'load' ? 1 : (frame.tried ?? 0) + 1 } },
  }
}

/** The step is done, with its output if it has one. */
export function completed(
  draft: Draft,
  frame: Frame,
  step: WorkflowStep,
  number: string,
  output: Json | undefined,
): Advanced {
  const { work: _work, loaded: _loaded, loop: _loop, tried: _tried, errors: _errors, ...rest } = frame
  const entry = auditEntry(draft.state, 'workflow.stepped', {
    outcome: 'done',
    about: { step: number, type: step.type },
  })
  const audited = { ...draft, audit: [...draft.audit, entry] }
  if (output === undefined) return { draft: audited, frame: { ...rest, at: frame.at + 1 } }
  const next: Frame = {
    ...rest,
    at: frame.at + 1,
    outputs: { ...frame.outputs, [frame.at]: output },
    ids: step.id === undefined ? frame.ids : { ...frame.ids, [step.id]: output },
    last: output,
  }
  const isTooMuch = JSON.stringify(next.outputs).length > MOST_HELD
  return {
    draft: isTooMuch
      ? failed(audited, 'limit_exceeded', `the outputs of the run hold more than ${MOST_HELD} characters`, number)
      : audited,
    frame: next,
  }
}

function jump(
  draft: Draft,
  frame: Frame,
  step: StepOf<'branch'>,
  steps: readonly WorkflowStep[],
  lookup: Lookup,
  number: string,
): Moved {
  const to = branchTarget(step, lookup)
  const index = to === null ? frame.at + 1 : steps.findIndex(({ id }) => id === to)
  const { loaded: _, ...rest } = frame
  // The document parser has rejected every other target.
  if (index <= frame.at)
    return { draft: failed(draft, 'template_unresolved', `goto \`${to ?? ''}\` does not exist`, number), frame }
  const entry = auditEntry(draft.state, 'workflow.stepped', {
    outcome: 'done',
    about: { step: number, type: 'branch', to: to ?? '' },
  })
  return {
    draft: { ...draft, audit: [...draft.audit, entry] },
    frame: { ...rest, at: index, passed: [...(frame.passed ?? []), frame.at] },
  }
}

function listAt(expression: string, lookup: Lookup): readonly Json[] | string {
  const path = pathOfExpression(expression)
  const value = path === undefined ? undefined : lookup(path)
  if (value === undefined) return `\`${expression}\` has no value`
  return Array.isArray(value) ? (value as readonly Json[]) : `\`${expression}\` is not a list`
}

function collect(draft: Draft, frame: Frame, step: StepOf<'collect'>, lookup: Lookup, number: string): Moved {
  const list = listAt(step.collectFrom, lookup)
  if (typeof list === 'string') return { draft: failed(draft, 'template_unresolved', list, number), frame }
  const values: Json[] = []
  for (const entry of list) {
    const value =
      step.collectMode === 'entry' || !isJsonObject(entry) || !Object.hasOwn(entry, 'outputs')
        ? entry
        : entry[step.collectMode]
    if (step.collectFlatten && Array.isArray(value)) values.push(...(value as readonly Json[]))
    else values.push(value ?? null)
  }
  return completed(draft, frame, step, number, values)
}

function openLoop(draft: Draft, frame: Frame, step: StepOf<'for_each'>, lookup: Lookup, number: string): Moved {
  const items = listAt(step.itemsExpr, lookup)
  if (typeof items === 'string') return { draft: failed(draft, 'template_unresolved', items, number), frame }
  if (items.length > step.maxIterations) {
    const says = `${items.length} items, and maxIterations is ${step.maxIterations}`
    return { draft: failed(draft, 'limit_exceeded', says, number), frame }
  }
  const parallel = step.steps.every((inner) => canRunInParallel(inner, draft.state.reads))
  const { loaded: _, ...rest } = frame
  return { draft, frame: { ...rest, loop: { items, parallel, frames: items.map(() => newFrame(frame.last)) } } }
}

/** Steps whose order has no visible effect. */
function canRunInParallel(step: WorkflowStep, reads: readonly string[]): boolean {
  if (step.type === 'tool') return reads.includes(toolIdOf(step.tool) ?? '')
  if (step.type === 'for_each') return step.steps.every((inner) => canRunInParallel(inner, reads))
  return step.type !== 'send_message' && step.type !== 'persist'
}

/** Continues the first open iteration, or the first few if order does not matter. Their results keep the order of the items. */
function advanceLoop(before: Draft, frame: Frame, step: WorkflowStep, outer: Around): Moved {
  const { loop } = frame
  if (loop === undefined || step.type !== 'for_each') return { draft: before, frame, rests: true }
  let draft = before
  let lanes = loop.parallel ? LANES : 1
  const frames = loop.frames.map((one, index) => {
    if (one.done === true || lanes === 0) return one
    lanes -= 1
    const inner = around(outer, frame, step.itemVar, loop.items[index] ?? null)
    const advanced = advanceFrame(draft, one, step.steps, inner)
    draft = advanced.draft
    // A finished iteration makes room at once.
    if (advanced.frame.done === true) lanes += 1
    return advanced.frame
  })
  const next: Frame = { ...frame, loop: { ...loop, frames } }
  if (!frames.every(({ done }) => done === true)) return { draft, frame: next, rests: true }
  const entries = frames.map((one, index): JsonObject => ({
    index,
    item: loop.items[index] ?? null,
    outputs: namedOutputs(one, step.steps),
    result: lastOf(one),
  }))
  return completed(draft, next, step, `${outer.prefix}${frame.at}`, entries)
}

/** By id if the step has one, otherwise by `step_N`. */
function namedOutputs({ outputs }: Frame, steps: readonly WorkflowStep[]): JsonObject {
  return Object.fromEntries(
    Object.entries(outputs).map(([index, output]) => [steps[Number(index)]?.id ?? `step_${index}`, output]),
  )
}

/** The output of the last step that had one; null if none had. */
function lastOf({ outputs }: Frame): Json {
  const last = Math.max(...Object.keys(outputs).map(Number))
  return outputs[last] ?? null
}
