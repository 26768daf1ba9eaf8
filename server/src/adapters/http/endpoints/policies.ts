import { PolicyAnswer, PolicyPutAnswer, PolicyTextAnswer } from '../../../kernel/contract/answers.ts'
import {
  PolicyDiffBody,
  PolicyLintBody,
  PolicyPasskeyBody,
  PolicyPutBody,
  PolicyReplayBody,
  PolicyTestBody,
} from '../../../kernel/contract/api.ts'
import { PasskeyOptions } from '../../../kernel/identity/passkey.ts'
import type { Policies } from '../../../kernel/policy/policies.ts'
import { ADMINS, DECIDERS } from '../access.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'

export type PolicyPorts = { readonly policies: Policies }

export const policyEndpoints = ({ policies }: PolicyPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/policies',
    access: ['user', ...DECIDERS],
    says: 'The policy in force: its rules in words, and mistakes in a newer file that was not loaded',
    answers: PolicyAnswer,
    run: (caller) => policies.show(caller),
  }),
  endpoint({
    at: 'POST /v1/policies/reload',
    access: ADMINS,
    says: 'Reload the policy from disk',
    answers: PolicyAnswer,
    run: (caller) => policies.reload(caller),
  }),
  endpoint({
    at: 'POST /v1/policies/test',
    access: DECIDERS,
    says: 'Run test cases against a draft, or against the policy in force',
    body: PolicyTestBody,
    answers: PolicyAnswer,
    run: (caller, { body }) => policies.test(caller, body),
  }),
  endpoint({
    at: 'POST /v1/policies/lint',
    access: DECIDERS,
    says: 'Unreachable rules, gaps and contradictions, each with a call that shows it',
    body: PolicyLintBody,
    answers: PolicyAnswer,
    run: (caller, { body }) => policies.lint(caller, body),
  }),
  endpoint({
    at: 'POST /v1/policies/replay',
    access: DECIDERS,
    says: 'Judge the calls since `since` (ms) again under a draft; no call is executed',
    body: PolicyReplayBody,
    answers: PolicyAnswer,
    run: (caller, { body }) => policies.replay(caller, body),
  }),
  endpoint({
    at: 'POST /v1/policies/diff',
    access: DECIDERS,
    says: 'Compare a draft with the policy in force: rules, test cases and recorded calls that change',
    body: PolicyDiffBody,
    answers: PolicyAnswer,
    run: (caller, { body }) => policies.diff(caller, body),
  }),
  endpoint({
    at: 'GET /v1/policies/text',
    access: DECIDERS,
    says: 'The policy in force as it is written, to be edited',
    answers: PolicyTextAnswer,
    run: (caller) => policies.text(caller),
  }),
  endpoint({
    at: 'POST /v1/policies/put',
    access: ADMINS,
    says: 'Write a draft to the policy file and put it in force, if the policy is still the one it was compared with',
    grants: 'in_body',
    body: PolicyPutBody,
    answers: PolicyPutAnswer,
    run: (caller, { body, site }) => policies.put(caller, body, site),
  }),
  endpoint({
    at: 'POST /v1/policies/passkey',
    access: ADMINS,
    says: 'The options for `navigator.credentials.get`, to put exactly this draft in force',
    body: PolicyPasskeyBody,
    answers: PasskeyOptions,
    run: (caller, { body, site }) => policies.passkey(caller, body, site),
  }),
]
