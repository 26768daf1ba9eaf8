import { CancelRunBody } from '../../../kernel/contract/api.ts'
import { listOf, RunAnswer, RunDetailsAnswer } from '../../../kernel/contract/answers.ts'
import { RunId } from '../../../kernel/contract/ids.ts'
import { ok, refuse } from '../../../kernel/contract/problems.ts'
import { RunStatus } from '../../../kernel/contract/run.ts'
import { cancelRun, type CancelRunPorts } from '../../../kernel/runs/cancel-run.ts'
import { listRuns, readRun, type ReadRunPorts } from '../../../kernel/runs/read-run.ts'
import { resumeRun, type ResumeRunPorts } from '../../../kernel/runs/resume-run.ts'
import { ADMINS, CALLERS } from '../access.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { PAGED } from '../parameters.ts'

export type RunPorts = ReadRunPorts & CancelRunPorts & ResumeRunPorts

const TEXTS = ['kind', 'owner', 'user', 'thread'] as const

export const runEndpoints = (k: RunPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/runs',
    access: CALLERS,
    says: 'Background runs (held calls, deliveries, toolflows, agent threads, workflows), newest first',
    query: ['status', ...TEXTS, 'parent', ...PAGED],
    answers: listOf(RunAnswer),
    async run(caller, { query, page }) {
      const status = RunStatus.optional().safeParse(query.status)
      const parent = RunId.optional().safeParse(query.parent)
      const { kind } = query
      const faults = [
        ...(status.success ? [] : [`status: one of ${RunStatus.options.join(', ')}`]),
        ...(parent.success ? [] : ['parent: not the id of a run']),
        ...(kind === undefined || k.kinds.has(kind) ? [] : [`kind: one of ${[...k.kinds.keys()].join(', ')}`]),
      ]
      if (!status.success || !parent.success || faults.length > 0)
        return refuse('request.invalid', { paths: faults.join('; ') })
      const asked = TEXTS.map((name) => [name, query[name]]).filter(([, value]) => value !== undefined)
      const filter = {
        ...(Object.fromEntries(asked) as Partial<Record<(typeof TEXTS)[number], string>>),
        ...(status.data === undefined ? {} : { status: status.data }),
        ...(parent.data === undefined ? {} : { parent: parent.data }),
      }
      return ok(await listRuns(k, caller, filter, page))
    },
  }),
  endpoint({
    at: 'GET /v1/runs/{run_id}',
    access: CALLERS,
    says: 'One run and a page of its journal: types, keys and times, but no arguments or outputs',
    query: PAGED,
    answers: RunDetailsAnswer,
    run: (caller, { params, page }) => readRun(k, caller, params.run_id, page),
  }),
  endpoint({
    at: 'POST /v1/runs/{run_id}/cancel',
    access: CALLERS,
    says: 'Ask a run to stop; a call that is waiting for approval is withdrawn, one that is executing is allowed to finish',
    status: 202,
    body: CancelRunBody,
    answers: RunAnswer,
    run: (caller, { params, body }) => cancelRun(k, caller, params.run_id, body.reason),
  }),
  endpoint({
    at: 'POST /v1/runs/{run_id}/resume',
    access: ADMINS,
    says: 'Resume a faulted run, after its cause was fixed',
    answers: RunAnswer,
    run: (caller, { params }) => resumeRun(k, caller, params.run_id),
  }),
]
