import { PolicyAnswer, PolicyPutAnswer, PolicyTextAnswer } from '../../kernel/contract/answers.ts'
import {
  PolicyDiffBody,
  PolicyLintBody,
  PolicyPasskeyBody,
  PolicyPutBody,
  PolicyReplayBody,
  PolicyTestBody,
} from '../../kernel/contract/api.ts'
import { PasskeyOptions } from '../../kernel/identity/passkey.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { siteOf } from './proof.ts'
import { ADMINS, DECIDERS } from './access.ts'
import { route, routeWithBody, type Routes } from './route.ts'

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
  app.openapi(
    route({
      method: 'get',
      path: '/v1/policies/text',
      access: DECIDERS,
      summary: 'The policy in force as it is written, to be edited',
      answers: PolicyTextAnswer,
    }),
    (c) => answer(gate.policies.text(c.get('caller')), c.get('trace')),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/policies/put',
      access: ADMINS,
      summary:
        'Write a draft to the policy file and put it in force, if the policy is still the one it was compared with',
      grants: true,
      body: PolicyPutBody,
      answers: PolicyPutAnswer,
    }),
    async (c) =>
      answer(await gate.policies.put(c.get('caller'), c.req.valid('json'), siteOf(c, c.get('login'))), c.get('trace')),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/policies/passkey',
      access: ADMINS,
      summary: 'The options for `navigator.credentials.get`, to put exactly this draft in force',
      body: PolicyPasskeyBody,
      answers: PasskeyOptions,
    }),
    async (c) =>
      answer(
        await gate.policies.passkey(c.get('caller'), c.req.valid('json'), siteOf(c, c.get('login'))),
        c.get('trace'),
      ),
  )
}

const answer = (result: Result<object>, trace: string): Response =>
  result.ok ? jsonResponse(200, result.value) : problemResponse(result.problem, trace)
