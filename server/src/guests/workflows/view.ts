import type { RunRow } from '../../kernel/contract/run.ts'
import type { WorkflowRunView, WorkflowStepView } from './workflow.ts'
import { graphOf } from './graph.ts'
import type { Frame, WorkflowState } from './state.ts'
import { innerOf } from './steps/steps.ts'
import type { AnyStep } from './steps/step-type.ts'
import { protocolOf } from './workflow-document.ts'

/** What people see of a run: where it is, and why it stopped. Outputs only if requested. */
export function viewOfRun(row: RunRow, state: WorkflowState, withOutput: boolean): WorkflowRunView {
  const protocol = protocolOf(state)
  const { run_id, status, created_at, ended_at, waits_for } = row
  const { failure } = state
  return {
    run_id,
    document: state.document,
    version: state.version,
    protocol: protocol.id,
    status,
    trace: state.trace,
    created_at,
    ...(ended_at === undefined ? {} : { ended_at }),
    ...(waits_for === undefined ? {} : { waits_for }),
    ...(failure === null ? {} : { error: { ...failure } }),
    steps: stepViews(protocol.steps, state.main, state, ''),
    usage: state.usage,
    graph: graphOf(protocol),
    ...(withOutput && state.main.last !== undefined
      ? { output: JSON.parse(JSON.stringify(state.main.last)) as never }
      : {}),
  }
}

function stepViews(
  steps: readonly AnyStep[],
  frame: Frame | undefined,
  state: WorkflowState,
  prefix: string,
): WorkflowStepView[] {
  return steps.flatMap((step, index) => {
    const number = `${prefix}${index}`
    const isHere = frame?.at === index && frame.done === undefined
    const loop = isHere ? frame.loop : undefined
    const open = loop?.frames.find(({ done }) => done === undefined)
    const own: WorkflowStepView = {
      number,
      ...(step.id === undefined ? {} : { id: step.id }),
      type: step.type,
      status: statusOf(frame, index, state, number),
      ...(loop === undefined
        ? {}
        : { items: { done: loop.frames.filter(({ done }) => done === true).length, of: loop.items.length } }),
    }
    const inner = stepViews(innerOf(step), open, state, `${number}.`)
    const isOver = own.status === 'done' || own.status === 'skipped'
    return [own, ...(isOver ? inner.map((one) => ({ ...one, status: own.status })) : inner)]
  })
}

function statusOf(
  frame: Frame | undefined,
  index: number,
  { failure }: WorkflowState,
  number: string,
): WorkflowStepView['status'] {
  if (failure?.step === number) return 'failed'
  if (frame === undefined || frame.at < index) return 'pending'
  if (frame.at > index)
    return Object.hasOwn(frame.outputs, index) || frame.passed?.includes(index) === true ? 'done' : 'skipped'
  if (frame.work !== undefined) return frame.work.is === 'waiting' ? 'waiting' : 'running'
  return frame.loop === undefined ? 'pending' : 'running'
}
