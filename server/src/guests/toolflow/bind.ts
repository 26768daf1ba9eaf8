import type { Caller } from '../../kernel/contract/caller.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type { ToolflowAnswer, ToolflowBody, ToolflowView } from './toolflow.ts'
import { readToolflow } from './read-toolflow.ts'
import type { Site } from '../../kernel/ports/keys.ts'
import { resumeToolflow, type ResumeToolflowDeps } from './resume-toolflow.ts'
import { runOf, runToolflow, type RunToolflow, type RunToolflowDeps } from './run-toolflow.ts'

export type ToolflowDeps = RunToolflowDeps & ResumeToolflowDeps

/** Search, choose, judge and run, as one durable flow. */
export interface ToolflowGate {
  run(caller: Caller, body: ToolflowBody, more?: RunToolflow): Promise<Result<ToolflowView>>
  read(caller: Caller, run_id: string, wait_ms?: number): Promise<Result<ToolflowView>>
  /** The flow that this caller started under an idempotency key. */
  readByKey(caller: Caller, key: string, wait_ms?: number): Promise<Result<ToolflowView>>
  /** `site`: of the page that shows a passkey. */
  resume(
    caller: Caller,
    run_id: string,
    answer: ToolflowAnswer,
    wait_ms?: number,
    site?: Site,
  ): Promise<Result<ToolflowView>>
}

export const bindToolflow = (deps: ToolflowDeps): ToolflowGate => ({
  run: (caller, body, more) => runToolflow(deps, caller, body, more),
  read: (caller, id, wait) => readToolflow(deps, caller, id, wait),
  readByKey: async (caller, key, wait) => readToolflow(deps, caller, await runOf(deps, caller, key), wait),
  resume: (caller, id, answer, wait, site) => resumeToolflow(deps, caller, id, answer, wait, site),
})
