import { ok } from '../../kernel/contract/problems.ts'
import type { Ids } from '../../kernel/ports/runtime.ts'
import { recordUserWords, type RecordUserWordsDeps } from '../../kernel/sessions/record-user-words.ts'
import { CALLERS } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { judgeToolUse, type JudgeUseDeps } from './judge-tool-use.ts'
import {
  JudgementAnswer,
  JudgementBody,
  ToolOutcomeAnswer,
  ToolOutcomeBody,
  UserWordsAnswer,
  UserWordsBody,
} from './judgement-answers.ts'
import { reportToolUse, type ReportDeps } from './report-tool-use.ts'

export type HookPorts = JudgeUseDeps & ReportDeps & RecordUserWordsDeps & { readonly ids: Ids }

/** Hooks of coding agents: calls about to run, their outcomes, and what the user said. */
export const endpoints = (k: HookPorts): readonly Endpoint[] => [
  endpoint({
    at: 'POST /v1/judgements',
    access: CALLERS,
    says: 'Judge and record a tool call that a coding agent runs itself; waits for a person up to wait_ms',
    keeps_keys: true,
    body: JudgementBody,
    answers: JudgementAnswer,
    run: async (caller, { body: { wait_ms, ...use }, trace }) =>
      ok(await judgeToolUse(k, { ...use, caller, trace }, wait_ms)),
  }),
  endpoint({
    at: 'POST /v1/judgements/outcomes',
    access: CALLERS,
    says: 'Report the outcome of a tool call that a coding agent ran itself',
    keeps_keys: true,
    body: ToolOutcomeBody,
    answers: ToolOutcomeAnswer,
    run: (caller, { body: { output, failed, ...use } }) => reportToolUse(k, { ...use, caller }, { output, failed }),
  }),
  endpoint({
    at: 'POST /v1/judgements/words',
    access: CALLERS,
    says: 'What the user typed to a coding agent',
    keeps_keys: true,
    body: UserWordsBody,
    answers: UserWordsAnswer,
    run(caller, { body: { thread, text }, local }) {
      // Only the owner of the data folder can open its socket, and a hook is started by the owner's own client.
      const speaker = local ? { ...caller, speaks_for_user: true as const } : caller
      return recordUserWords(k, { caller: speaker, thread, text, id: k.ids.call() })
    },
    shows: () => ({ heard: true }),
  }),
]
