import type { Caller } from '../../kernel/contract/caller.ts'
import type { JudgementAnswer } from './judgement-answers.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import { recordUserWords, type RecordUserWordsDeps } from '../../kernel/sessions/record-user-words.ts'
import { endUnreported, endUnused } from './end-unreported.ts'
import type { Ids } from '../../kernel/ports/runtime.ts'
import { judgeToolUse, type JudgeUseDeps, type ToolUse } from './judge-tool-use.ts'
import { reportToolUse, type ReportDeps, type Reported } from './report-tool-use.ts'

export type JudgementsDeps = JudgeUseDeps & ReportDeps & RecordUserWordsDeps & { readonly ids: Ids }

/** Tools that coding agents run themselves, and what their users say to them. */
export interface JudgementsGate {
  judge(use: ToolUse, wait_ms: number): Promise<JudgementAnswer>
  report(use: ToolUse, reported: Reported): Promise<Result<{ readonly recorded: boolean }>>
  /** Records what the user said. */
  recordWords(said: { readonly caller: Caller; readonly thread: string; readonly text: string }): Promise<Result<void>>
  /** Ends calls that were never reported, and approvals that expired before they were used. Returns how many. */
  sweep(): Promise<{ readonly unreported: number; readonly unused: number }>
}

export function bindJudgements(deps: JudgementsDeps): JudgementsGate {
  return {
    judge: (use, wait_ms) => judgeToolUse(deps, use, wait_ms),
    report: (use, reported) => reportToolUse(deps, use, reported),
    recordWords: (said) => recordUserWords(deps, { ...said, id: deps.ids.call() }),
    sweep: async () => ({ unreported: await endUnreported(deps), unused: await endUnused(deps) }),
  }
}
