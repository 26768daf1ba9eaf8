import type { Caller } from '../contract/caller.ts'
import type { RunId } from '../contract/ids.ts'
import type { Json } from '../contract/json.ts'
import type { Result } from '../contract/problems.ts'
import type { Page } from '../ports/reads.ts'
import { cancelRun, type CancelRunDeps } from './cancel-run.ts'
import {
  listRuns,
  readRun,
  type ReadRunDeps,
  type RunDetails,
  type RunFilter,
  type RunsPage,
  type RunView,
} from './read-run.ts'
import { maySeeOutput } from './may-see-run.ts'
import type { RunOutput } from './run-output.ts'
import { resumeRun, type ResumeRunDeps } from './resume-run.ts'

export type RunsDeps = ReadRunDeps & CancelRunDeps & ResumeRunDeps & { readonly shown: Pick<RunOutput, 'onAny'> }

export interface RunsGate {
  /** The names of all kinds of runs. */
  readonly kinds: readonly string[]
  list(caller: Caller, filter: RunFilter, page: Page): Promise<RunsPage>
  read(caller: Caller, run_id: string, page: Page): Promise<Result<RunDetails>>
  cancel(caller: Caller, run_id: string, reason?: string): Promise<Result<RunView>>
  /** Intermediate output of performers of the caller's own runs, on this node. Returns a function that stops it. */
  onShown(caller: Caller, listener: (run_id: RunId, key: string, news: Json) => void): () => void
  /** Drives a faulted run again. */
  resume(caller: Caller, run_id: string): Promise<Result<RunView>>
}

export const bindRuns = (deps: RunsDeps): RunsGate => ({
  kinds: [...deps.kinds.keys()],
  list: (caller, filter, page) => listRuns(deps, caller, filter, page),
  read: (caller, id, page) => readRun(deps, caller, id, page),
  cancel: (caller, id, reason) => cancelRun(deps, caller, id, reason),
  onShown: (caller, listener) =>
    deps.shown.onAny((run, key, news) => {
      if (maySeeOutput(caller, run)) listener(run.run_id, key, news)
    }),
  resume: (caller, id) => resumeRun(deps, caller, id),
})
