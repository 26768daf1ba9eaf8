import { problemsOf, type ProblemsIn, type ProblemTable } from '../../kernel/contract/problems.ts'

export const WORKFLOW_PROBLEMS = {
  'workflow.invalid': {
    http: 422,
    retry: 'never',
    says: 'the document has mistakes and was not applied',
    do: 'correct the places named in `faults`; `sluice workflow validate FILE` shows them too',
  },
  'workflow.unknown': {
    http: 404,
    retry: 'never',
    says: 'no document, version, protocol or run has this name',
    do: 'list the documents with `sluice workflow list`, and their runs with `sluice runs --kind workflow`',
  },
  'workflow.conflict': {
    http: 409,
    retry: 'later',
    says: 'another version was applied at the same time',
    do: 'check the newest version and apply again',
  },
  'workflow.server_missing': {
    http: 422,
    retry: 'never',
    says: 'the document needs a tool server that this gate does not have',
    do: 'add the server to sluice.yaml under its name in `mcps`, or remove it from the document',
  },
  'workflow.trust_mismatch': {
    http: 403,
    retry: 'never',
    says: 'the document does not trust this sender',
    do: 'ask the owner of the document to add the sender, the room and the protocol to `trust`',
  },
  'workflow.invalid_protocol_message': {
    http: 400,
    retry: 'never',
    says: 'this is not a message that the document understands',
    do: 'begin with the prefix of a protocol, followed by one JSON object',
  },
  'workflow.schema_validation': {
    http: 422,
    retry: 'never',
    says: 'the input does not match the schema of the protocol',
    do: 'correct the fields named in `paths`',
  },
  'workflow.limit_exceeded': {
    http: 429,
    retry: 'later',
    says: 'a limit of the document is reached',
    do: 'try again later; `limit` names the limit',
  },
  'event.unknown': {
    http: 404,
    retry: 'never',
    says: 'no active document has a webhook gateway with this name',
    do: 'use `gateway`, or `document:gateway` if several documents have one with that name',
  },
  'event.not_genuine': {
    http: 401,
    retry: 'never',
    says: 'the event is not signed with the secret of its gateway',
    do: 'send `Authorization: Bearer …` or `X-Hub-Signature-256`, whichever the gateway is configured for',
  },
  'transport.unknown': {
    http: 404,
    retry: 'never',
    says: 'no transport with incoming messages has this name',
    do: 'use a name from `transports` in the configuration',
  },
  'transport.not_genuine': {
    http: 401,
    retry: 'never',
    says: 'the message is not signed with the secret of its transport',
    do: 'sign id, time and body as described in server/src/guests/workflows/README.md, and check the clock of the sender',
  },
  'hub.absent': {
    http: 400,
    retry: 'never',
    says: 'the document requires its approvals to be decided at a hub, and this gate is not attached to one',
    do: 'attach the gate (`sluice node --hub`), or use `approvals.transport: local`',
  },
  'hub.local_transport': {
    http: 400,
    retry: 'never',
    says: 'this gate is attached to a hub, so the approvals of a document cannot be local',
    do: 'set `approvals.transport: hub` in the document',
  },
} as const satisfies ProblemTable

declare module '../../kernel/contract/problems.ts' {
  interface Problems extends ProblemsIn<typeof WORKFLOW_PROBLEMS> {}
}

export const { problem, refuse } = problemsOf(WORKFLOW_PROBLEMS)
