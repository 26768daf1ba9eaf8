import { PolicyAnswer } from '../../contract/answers.ts'
import { PolicyDiffBody, PolicyLintBody, PolicyReplayBody, PolicyTestBody } from '../../contract/api.ts'
import type { Result } from '../../contract/problems.ts'
import { jsonResponse, problemResponse } from '../entrance/problem.ts'
import { ADMINS, DECIDERS, route, routeWithBody, type Routes } from './route.ts'

export const policyRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/policies',
      access: ['user', ...DECIDERS],
      summary: 'The policy in force: its rules in words, and mistakes in a newer file that was not loaded',
      answers: PolicyAnswer,
    }),
    (c) => answer(gate.policies.show(c.get('caller')), c.get('trace')),
  )
  app.openapi(
    route({
      method: 'post',
      path: '/v1/policies/reload',
      access: ADMINS,
      summary: 'Reload the policy from disk',
      answers: PolicyAnswer,
    }),
    async (c) => answer(await gate.policies.reload(c.get('caller')), c.get('trace')),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/policies/test',
      access: DECIDERS,
      summary: 'Run test cases against a draft, or against the policy in force',
      body: PolicyTestBody,
      answers: PolicyAnswer,
    }),
    (c) => answer(gate.policies.test(c.get('caller'), c.req.valid('json')), c.get('trace')),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/policies/lint',
      access: DECIDERS,
      summary: 'Unreachable rules, gaps and contradictions, each with a call that shows it',
      body: PolicyLintBody,
      answers: PolicyAnswer,
    }),
    async (c) => answer(await gate.policies.lint(c.get('caller'), c.req.valid('json')), c.get('trace')),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/policies/replay',
      access: DECIDERS,
      summary: 'Judge the calls since `since` (ms) again under a draft; no call is executed',
      body: PolicyReplayBody,
      answers: PolicyAnswer,
    }),
    async (c) => answer(await gate.policies.replay(c.get('caller'), c.req.valid('json')), c.get('trace')),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/policies/diff',
      access: DECIDERS,
      summary: 'Compare a draft with the policy in force: rules, test cases and recorded calls that change',
      body: PolicyDiffBody,
      answers: PolicyAnswer,
    }),
    async (c) => answer(await gate.policies.diff(c.get('caller'), c.req.valid('json')), c.get('trace')),
  )
}

const answer = (result: Result<object>, trace: string): Response =>
  result.ok ? jsonResponse(200, result.value) : problemResponse(result.problem, trace)
