import { listOf } from '../../kernel/contract/answers.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { ADMINS, CALLERS, DECIDERS, OVERSEERS } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { PAGED } from '../../adapters/http/parameters.ts'
import { applyDocument, rollBack, type ApplyPorts } from './apply-document.ts'
import { dryRun, type DryRunPorts } from './dry-run.ts'
import {
  diffVersions,
  listDocuments,
  listVersions,
  listWorkflowRuns,
  readVersion,
  readWorkflowRun,
  type ReadDocumentsPorts,
} from './read-documents.ts'
import { runDocument } from './run-document.ts'
import { takeWebhook, type EventPorts } from './take-event.ts'
import { ApplyBody, RunWorkflowBody, VersionView, WorkflowRunView } from './workflow.ts'
import { answerText } from '../../kernel/sessions/answer-texts.ts'
import type { AnswerText } from '../../kernel/sessions/enter-session.ts'
import { issueLines } from '../../kernel/contract/issue-lines.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { IncomingBody } from './section.ts'
import type { WebhookKey } from '../../kernel/ports/keys.ts'
import type { TakenMessage } from '../../kernel/ports/transports.ts'
import { readJson } from '../../kernel/json/read-json.ts'
import { takeMessage, type TakePorts } from './take-message.ts'
import { z } from 'zod'
import { DiffLine } from '../../kernel/approvals/packet-parts.ts'
import { problem, refuse } from './problems.ts'

export type WorkflowPorts = ApplyPorts & ReadDocumentsPorts & EventPorts & DryRunPorts & SignedPorts

/** Documents, their versions and their runs. */
export const endpoints = (k: WorkflowPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/workflows',
    access: OVERSEERS,
    says: 'Documents, each with its version in force',
    answers: listOf(DocumentAnswer),
    run: async () => ({ ok: true, value: { items: await listDocuments(k) } }),
  }),
  endpoint({
    at: 'POST /v1/workflows',
    access: ADMINS,
    says: 'Put a new version of a document in force; a document with mistakes changes nothing',
    body: ApplyBody,
    answers: AppliedAnswer,
    run: (caller, { body }) => applyDocument(k, caller, body.document),
  }),
  endpoint({
    at: 'POST /v1/workflows/dry-run',
    access: DECIDERS,
    says: 'Dry run of a document: the arguments and the verdict of each step',
    body: DryRunBody,
    answers: DryRunAnswer,
    run: (caller, { body: { document, protocol, input } }) =>
      dryRun(k, caller, document, { protocol, input: input as Json }),
  }),
  endpoint({
    at: 'GET /v1/workflows/{name}',
    access: OVERSEERS,
    says: 'One version of a document with its text',
    query: ['version'],
    answers: VersionAnswer,
    run: (_, { params, number }) => readVersion(k, params.name, number('version', 0) || undefined),
  }),
  endpoint({
    at: 'GET /v1/workflows/{name}/versions',
    access: OVERSEERS,
    says: 'Versions of a document, newest first',
    query: PAGED,
    answers: listOf(VersionView),
    run: (_, { params, page }) => listVersions(k, params.name, page),
  }),
  endpoint({
    at: 'GET /v1/workflows/{name}/diff',
    access: OVERSEERS,
    says: 'The changes of a version, compared with the previous one or another',
    query: ['from', 'version'],
    answers: DocumentDiffAnswer,
    run: (_, { params, number }) =>
      diffVersions(k, params.name, number('from', 0) || undefined, number('version', 0) || undefined),
  }),
  endpoint({
    at: 'POST /v1/workflows/{name}/rollback',
    access: ADMINS,
    says: 'Put the text of an earlier version in force, as a new version',
    body: RollBackBody,
    answers: AppliedAnswer,
    run: (caller, { params, body }) => rollBack(k, caller, params.name, body.to),
  }),
  endpoint({
    at: 'POST /v1/workflows/{name}/runs',
    access: ADMINS,
    says: 'Start a protocol by hand',
    status: 202,
    keeps_keys: true,
    body: RunWorkflowBody,
    answers: StartedAnswer,
    run: (caller, { params, body, key }) => runDocument(k, caller, params.name, body, key),
  }),
  endpoint({
    at: 'GET /v1/workflows/{name}/runs',
    access: OVERSEERS,
    says: 'Runs of a document, newest first',
    query: PAGED,
    answers: listOf(WorkflowRunView),
    run: (_, { params, page }) => listWorkflowRuns(k, params.name, page),
    reads: ({ items }) => items.flatMap(textsInWorkflowRun),
  }),
  endpoint({
    at: 'GET /v1/workflow-runs/{run_id}',
    access: CALLERS,
    says: 'One run of a document: its steps, its graph and why it stopped (wait_ms until it next waits or ends)',
    query: ['wait_ms', 'session'],
    answers: WorkflowRunView,
    run: (caller, { params, number }) => readWorkflowRun(k, caller, params.run_id, number('wait_ms', 0)),
    reads: textsInWorkflowRun,
  }),
  endpoint({
    at: 'POST /v1/events/{source}',
    access: 'anyone',
    says: 'An event for a webhook gateway of a document; its signature is the credential',
    status: 202,
    keeps_keys: true,
    answers: StartedAnswer,
    run: async (_, { params, header, text }) =>
      takeWebhook(k, {
        source: params.source,
        authorization: header('authorization'),
        signature: header('x-hub-signature-256'),
        delivery: header('webhook-id') ?? header('x-github-delivery') ?? header('idempotency-key'),
        type: header('x-event-type') ?? header('x-github-event'),
        body: await text(),
      }),
  }),
  endpoint({
    at: 'POST /v1/transports/{name}/messages',
    access: 'anyone',
    says: 'A message for documents, signed with the secret of its transport',
    keeps_keys: true,
    answers: TakenAnswer,
    run: async (_, { params, header, text }) =>
      takeSigned(k, {
        transport: params.name,
        id: header('webhook-id') ?? '',
        timestamp: header('webhook-timestamp') ?? '',
        signature: header('webhook-signature') ?? '',
        body: await text(),
      }),
    shows: (taken) => ({ taken }),
  }),
]

function textsInWorkflowRun({ run_id, output, error }: WorkflowRunView): readonly AnswerText[] {
  const of = { of_run: run_id }
  const said = output === undefined ? undefined : typeof output === 'string' ? output : JSON.stringify(output)
  return [...answerText('the run of a document', said, of), ...answerText('the run of a document', error?.says, of)]
}

/** A message from a signed request. */
type SignedMessage = {
  readonly transport: string
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string
}

/** `incoming`: who may send, by the name of the transport. */
type SignedPorts = TakePorts & { readonly incoming: ReadonlyMap<string, WebhookKey> }

/** How far the sender's clock may be off. */
const TOLERANCE_MS = 300_000
const ID = /^[\x21-\x7e]{1,128}$/
const SECONDS = /^\d{1,12}$/

/**
 * The signature covers id, time and body, so a captured request is valid for a few minutes, and then only as the same message.
 */
async function takeSigned(
  deps: SignedPorts,
  { transport, id, timestamp, signature, body }: SignedMessage,
): Promise<Result<readonly TakenMessage[]>> {
  const key = deps.incoming.get(transport)
  if (key === undefined) return refuse('transport.unknown', { name: transport.slice(0, 64) })
  const isWellFormed = ID.test(id) && SECONDS.test(timestamp)
  if (!isWellFormed || !key.isGenuine(id, Number(timestamp), body, signature))
    return refuse('transport.not_genuine', { name: transport })
  if (Math.abs(deps.clock() - Number(timestamp) * 1000) > TOLERANCE_MS)
    return refuse('transport.not_genuine', { name: transport, why: 'outdated' })
  const json = readJson(body)
  if (!json.ok) return json
  const read = IncomingBody.safeParse(json.value)
  if (!read.success) return refuse('request.invalid', { paths: issueLines(read.error.issues, 'the body').join('; ') })
  const { agent, ...message } = read.data
  const taken = await takeMessage(deps, { transport, id, ...message, ...(agent === undefined ? {} : { agent }) })
  return taken === 'later' ? { ok: false, problem: problem('audit.unavailable') } : ok(taken)
}

const AppliedAnswer = VersionView.extend({ changed: z.boolean() })
const DocumentAnswer = VersionView.extend({
  description: z.string().optional(),
  protocols: z.array(z.strictObject({ id: z.string(), trigger: z.string(), steps: z.int() })),
})
const VersionAnswer = VersionView.extend({ text: z.string() })
const DocumentDiffAnswer = z.strictObject({
  name: z.string(),
  from: z.int(),
  to: z.int(),
  added: z.int(),
  removed: z.int(),
  cut: z.boolean(),
  lines: z.array(DiffLine),
})
const DryRunAnswer = z.strictObject({
  document: z.string(),
  protocol: z.string(),
  steps: z.array(
    z.strictObject({
      step: z.string(),
      does: z.string(),
      args: z.unknown(),
      verdict: z.strictObject({ effect: z.string(), why: z.array(z.string()) }).optional(),
      assumed: z.unknown(),
    }),
  ),
  stopped: z.strictObject({ code: z.string(), says: z.string(), step: z.string().nullable() }).optional(),
})
const StartedAnswer = z.strictObject({ run_id: z.string() })
const TakenAnswer = z.strictObject({
  taken: z.array(
    z.strictObject({
      is: z.enum(['started', 'refused', 'turn', 'ignored']),
      document: z.string().nullable(),
      run_id: z.string().optional(),
      code: z.string().optional(),
      says: z.string().optional(),
    }),
  ),
})

const DryRunBody = z.strictObject({
  document: z.string().max(1_000_000),
  protocol: z.string().optional(),
  input: z.unknown().default({}),
})
const RollBackBody = z.strictObject({ to: z.int().positive().optional() })
