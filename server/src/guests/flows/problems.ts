import { problemsOf, type ProblemsIn, type ProblemTable } from '../../kernel/contract/problems.ts'

export const FLOW_PROBLEMS = {
  BAD_REQUEST: {
    http: 400,
    retry: 'never',
    says: 'the flow request cannot be carried out as sent',
    do: 'correct what `message` describes',
  },
  RUNTIME_ERROR: {
    http: 500,
    retry: 'later',
    says: 'the proposal could not be stored, so nothing was submitted',
    do: 'try again; `/readyz` says when the gate records again',
  },
  unknown_flow: {
    http: 404,
    retry: 'never',
    says: 'there is no such flow or version, or it is not visible to you',
    do: 'list the flows that you can see with `sluice flow list`',
  },
  unknown_run: {
    http: 404,
    retry: 'never',
    says: 'there is no flow run with this id, or it is not visible to you',
    do: 'list the runs that you can see with `sluice flow runs`',
  },
  unknown_consent: {
    http: 404,
    retry: 'never',
    says: 'there is no flow consent with this id, or it is not visible to you',
    do: 'list the consents of a run with `sluice flow get RUN`',
  },
  FLOW_SCOPE_AMBIGUOUS: {
    http: 400,
    retry: 'never',
    says: 'the configuration grants this person different flow scopes',
    do: 'leave one grant for this person in `flows.grants`',
  },
  FLOW_LINEAGE_CONFLICT: {
    http: 409,
    retry: 'never',
    says: 'the bundle does not continue the newest version of this flow',
    do: 'set `base_version` to the newest version and raise `version`; a new flow has no `base_version`',
  },
  FLOW_IMPORT_AUTOMATABLE_DENIED: {
    http: 403,
    retry: 'never',
    says: 'the flow policy forbids automatable steps, so the bundle was not imported',
    do: 'make the steps named in `steps` manual, or ask an operator to change the policy',
  },
  FLOW_EXECUTION_POLICY_FORBIDDEN: {
    http: 403,
    retry: 'never',
    says: 'the flow policy forbids this',
    do: 'see `because`; an operator can change `hub_flow_execution_policy.json` or `FLOW_EXECUTION_POLICY_FORBIDDEN`',
  },
  FLOW_AUTOMATABLE_EXECUTION_DISABLED: {
    http: 403,
    retry: 'never',
    says: 'automatic execution of flow steps is off',
    do: 'write `{ "flow_run_writes_enabled": true, "execution": { "automatable_enabled": true } }` to `hub_flow_execution_policy.json` in the data folder; it takes effect at once (or set `FLOW_AUTOMATABLE_EXECUTION_ENABLED=1` and restart)',
  },
  FLOW_RUN_WRITES_DISABLED: {
    http: 403,
    retry: 'never',
    says: 'flows are read-only: changes to runs are off',
    do: 'write `{ "flow_run_writes_enabled": true }` to `hub_flow_execution_policy.json` in the data folder; it takes effect at once (or set `FLOW_RUN_WRITES_ENABLED=1` and restart)',
  },
  FLOW_RUN_NOT_IN_PROGRESS: {
    http: 409,
    retry: 'never',
    says: 'the run has ended',
    do: 'start a new run of this flow',
  },
  FLOW_STEP_OUT_OF_ORDER: {
    http: 409,
    retry: 'never',
    says: 'this step cannot be changed yet',
    do: 'finish or skip the steps before it first; a done step stays done',
  },
  FLOW_VERIFICATION_UNSATISFIED: {
    http: 403,
    retry: 'never',
    says: 'the verification of this step is not satisfied',
    do: 'attach evidence that exists and matches the step; for a human review, submit a proposal and have it approved',
  },
  FLOW_EXECUTION_CONSENT_REQUIRED: {
    http: 403,
    retry: 'never',
    says: 'there is no valid consent of yours for this',
    do: 'grant one with `sluice flow consent RUN`; a consent that is revoked, expired or from another person is not valid',
  },
  FLOW_EXECUTION_CONSENT_RUN_MISMATCH: {
    http: 403,
    retry: 'never',
    says: 'the consent was granted for another run',
    do: 'grant one for this run with `sluice flow consent RUN`',
  },
  FLOW_EXECUTION_LANE_DENIED: {
    http: 403,
    retry: 'never',
    says: 'this model lane is not permitted',
    do: 'use a lane that the policy and the consent permit and that has a model in `models.lanes`',
  },
  FLOW_EXECUTION_COST_CAPPED: {
    http: 403,
    retry: 'never',
    says: 'the consent has no units left',
    do: 'grant another consent for this run with `sluice flow consent RUN`',
  },
  FLOW_STEP_NOT_AUTOMATABLE: {
    http: 400,
    retry: 'never',
    says: 'this step is not marked as automatable',
    do: 'advance it by hand',
  },
  FLOW_ETAG_MISMATCH: {
    http: 412,
    retry: 'later',
    says: 'it has changed since you read it, so nothing was changed',
    do: 'read it again and repeat the request with its new etag',
  },
  EVALUATION_REQUIRED: {
    http: 403,
    retry: 'never',
    says: 'the proposal has no passed evaluation',
    do: 'answer its rubric, or waive the evaluation with a reason',
  },
  'proposal.unknown': {
    http: 404,
    retry: 'never',
    says: 'there is no proposal with this id, or it is not visible to you',
    do: 'list the proposals with `sluice flow reviews`',
  },
  'proposal.decided': {
    http: 409,
    retry: 'never',
    says: 'the proposal was already decided',
    do: 'submit a new one',
  },
  'proposal.own': {
    http: 403,
    retry: 'never',
    says: 'you cannot review your own proposal',
    do: 'ask another reviewer',
  },
} as const satisfies ProblemTable

declare module '../../kernel/contract/problems.ts' {
  interface Problems extends ProblemsIn<typeof FLOW_PROBLEMS> {}
}

export const { problem, refuse } = problemsOf(FLOW_PROBLEMS)
