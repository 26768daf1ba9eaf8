import {
  JudgementAnswer,
  JudgementBody,
  ToolOutcomeAnswer,
  ToolOutcomeBody,
  UserWordsAnswer,
  UserWordsBody,
} from './judgement-answers.ts'
import { jsonResponse, problemResponse } from '../../adapters/http/problem.ts'
import { CALLERS } from '../../adapters/http/access.ts'
import { routeWithBody, type Routes } from '../../adapters/http/route.ts'

/** Hooks of coding agents: calls about to run, their outcomes, and what the user said. */
export const judgementRoutes: Routes = (app, gate) => {
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/judgements',
      access: CALLERS,
      summary: 'Judge and record a tool call that a coding agent runs itself; waits for a person up to wait_ms',
      answers: JudgementAnswer,
      body: JudgementBody,
      keeps_keys: true,
    }),
    async (c) => {
      const { wait_ms, ...use } = c.req.valid('json')
      const answer = await gate.judgements.judge({ ...use, caller: c.get('caller'), trace: c.get('trace') }, wait_ms)
      return jsonResponse(200, answer)
    },
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/judgements/outcomes',
      access: CALLERS,
      summary: 'Report the outcome of a tool call that a coding agent ran itself',
      answers: ToolOutcomeAnswer,
      body: ToolOutcomeBody,
      keeps_keys: true,
    }),
    async (c) => {
      const { output, failed, ...use } = c.req.valid('json')
      const reported = await gate.judgements.report({ ...use, caller: c.get('caller') }, { output, failed })
      return reported.ok ? jsonResponse(200, reported.value) : problemResponse(reported.problem, c.get('trace'))
    },
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/judgements/words',
      access: CALLERS,
      summary: 'What the user typed to a coding agent',
      answers: UserWordsAnswer,
      body: UserWordsBody,
      keeps_keys: true,
    }),
    async (c) => {
      const { thread, text } = c.req.valid('json')
      const caller = c.get('caller')
      // Only the owner of the data folder can open its socket, and a hook is started by the owner's own client.
      const speaker = c.env.local ? { ...caller, speaks_for_user: true as const } : caller
      const recorded = await gate.judgements.recordWords({ caller: speaker, thread, text })
      return recorded.ok ? jsonResponse(200, { heard: true }) : problemResponse(recorded.problem, c.get('trace'))
    },
  )
}
