import { type Caller, DECIDING_KINDS } from '../../kernel/contract/caller.ts'
import type { DiffLine } from '../../kernel/approvals/packet-parts.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import type { DocumentVersion, VersionView, WorkflowRunView, WorkflowStepView } from './workflow.ts'
import { lineDiff } from '../../kernel/text/line-diff.ts'
import type { WorkflowState, Frame } from './state.ts'
import { workflow } from './step.ts'
import { isEndedRun, type RunRow } from '../../kernel/contract/run.ts'
import type { Stored, Page, Tables } from '../../kernel/ports/reads.ts'
import { visibleRun, type ReadRunPorts } from '../../kernel/runs/read-run.ts'
import { waitForRun, type WaitForRunPorts } from '../../kernel/runs/wait-for-run.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import { agentCaller, type Documents } from './api.ts'
import { graphOf } from './graph.ts'
import { innerOf } from './steps/steps.ts'
import type { AnyStep } from './steps/step-type.ts'
import { protocolOf } from './workflow-document.ts'
import { refuse } from './problems.ts'

export type ReadDocumentsPorts = WaitForRunPorts &
  Pick<ReadRunPorts, 'kinds'> & { readonly tables: Tables; readonly documents: Documents }

export type DocumentView = VersionView & {
  readonly protocols: readonly { readonly id: string; readonly trigger: string; readonly steps: number }[]
  readonly description?: string
}

/** Every document, with the active version. */
export async function listDocuments({ documents }: ReadDocumentsPorts): Promise<readonly DocumentView[]> {
  const heads = await documents.heads()
  const views = await Promise.all(
    heads.map(async ({ name, current, sha256, author, at }): Promise<DocumentView[]> => {
      const opened = await documents.version(name, current)
      if (opened === undefined) return []
      const { description } = opened.document.metadata
      const protocols = opened.document.workflow.protocols.map(({ id, trigger, steps }) => ({
        id,
        trigger: `${trigger.type} ${trigger.prefix}`.trim(),
        steps: steps.length,
      }))
      return [
        {
          name,
          version: current,
          sha256,
          author,
          at,
          protocols,
          ...(description === undefined ? {} : { description }),
        },
      ]
    }),
  )
  return views.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const viewOf = ({ name, number, sha256, author, at, rolled_back_to }: DocumentVersion): VersionView => ({
  name,
  version: number,
  sha256,
  author,
  at,
  ...(rolled_back_to === undefined ? {} : { rolled_back_to }),
})

/** The versions of a document, newest first. */
export async function listVersions(
  { tables }: ReadDocumentsPorts,
  name: string,
  page: Page,
): Promise<Result<{ readonly items: readonly VersionView[]; readonly next?: number }>> {
  const held = await tables.list('documents', { part: 'version', name }, { ...page, newest_first: true })
  if (held.length === 0 && page.after === undefined) return refuse('workflow.unknown', { name })
  const items = held.flatMap(({ row }) => (row.part === 'version' ? [viewOf(row)] : []))
  const last = held.length === page.limit ? held.at(-1) : undefined
  return ok({ items, ...(last === undefined ? {} : { next: last.cursor }) })
}

/** One version with its text; the active one by default. */
export async function readVersion(
  { documents }: ReadDocumentsPorts,
  name: string,
  version: number | undefined,
): Promise<Result<VersionView & { readonly text: string }>> {
  const opened = version === undefined ? await documents.current(name) : await documents.version(name, version)
  if (opened === undefined)
    return refuse('workflow.unknown', { name, ...(version === undefined ? {} : { version: String(version) }) })
  return ok({ ...viewOf(opened.row), text: opened.row.text })
}

export type DocumentDiff = {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly added: number
  readonly removed: number
  readonly cut: boolean
  readonly lines: readonly DiffLine[]
}

/** What changed between two versions; by default from the one before the newest. */
export async function diffVersions(
  { documents }: ReadDocumentsPorts,
  name: string,
  from: number | undefined,
  to: number | undefined,
): Promise<Result<DocumentDiff>> {
  const head = (await documents.head(name))?.row
  const last = to ?? head?.current ?? 0
  const first = from ?? last - 1
  const [before, after] = await Promise.all([
    first === 0 ? undefined : documents.version(name, first),
    documents.version(name, last),
  ])
  if (after === undefined || (before === undefined && first !== 0))
    return refuse('workflow.unknown', { name, version: String(after === undefined ? last : first) })
  return ok({ name, from: first, to: last, ...lineDiff(before?.row.text ?? '', after.row.text) })
}

/** One run of a document, after an optional wait for its end or for a person. */
export async function readWorkflowRun(
  deps: ReadDocumentsPorts,
  caller: Caller,
  run_id: string,
  wait_ms: number,
): Promise<Result<WorkflowRunView>> {
  const held = await visibleRun(deps, caller, run_id)
  if (held === undefined || held.row.kind !== workflow.kind || held.row.expired_at !== undefined)
    return refuse('workflow.unknown', { run_id })
  const read = async () => (await visibleRun(deps, caller, run_id)) ?? held
  const isAtRest = ({ row }: Stored<'runs'>) =>
    isEndedRun(row) || (row.status === 'waiting' && row.waits_for !== undefined) || row.status === 'faulted'
  const last = await waitForRun(deps, held.row.run_id, wait_ms, read, isAtRest)
  const row = await withOpenRequest(deps, last.row)
  return ok(viewOfRun(row, row.state as WorkflowState, DECIDING_KINDS.includes(caller.kind)))
}

/** An approver who edits the arguments replaces the request: the run waits for the new one. */
async function withOpenRequest({ tables }: ReadDocumentsPorts, row: RunRow): Promise<RunRow> {
  const [what, first] = (row.waits_for ?? '').split(' ')
  if (what !== 'approval' || first === undefined) return row
  let id = first
  for (;;) {
    const next = (await tables.row('approvals', id))?.row.replaced_by
    if (next === undefined) return { ...row, waits_for: `approval ${id}` }
    id = next
  }
}

/** Runs of one document, newest first. */
export async function listWorkflowRuns(
  { tables, documents }: ReadDocumentsPorts,
  name: string,
  page: Page,
): Promise<Result<{ readonly items: readonly WorkflowRunView[]; readonly next?: number }>> {
  const head = (await documents.head(name))?.row
  if (head === undefined) return refuse('workflow.unknown', { name })
  const held = await tables.list(
    'runs',
    { kind: workflow.kind, owner: callerIdentity(agentCaller(head)) },
    { ...page, newest_first: true },
  )
  const items = held.flatMap(({ row }) =>
    row.expired_at === undefined ? [viewOfRun(row, row.state as WorkflowState, false)] : [],
  )
  const last = held.length === page.limit ? held.at(-1) : undefined
  return ok({ items, ...(last === undefined ? {} : { next: last.cursor }) })
}

/** What people see of a run: where it is, and why it stopped. Outputs only if requested. */
function viewOfRun(row: RunRow, state: WorkflowState, withOutput: boolean): WorkflowRunView {
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
