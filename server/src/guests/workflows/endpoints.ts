import { listOf } from '../../kernel/contract/answers.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { textsInWorkflowRun } from './answer-texts.ts'
import { ADMINS, CALLERS, DECIDERS, OVERSEERS } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { PAGED } from '../../adapters/http/parameters.ts'
import { applyDocument, rollBack, type ApplyDeps } from './apply-document.ts'
import { dryRun, type DryRunDeps } from './dry-run.ts'
import {
  diffVersions,
  listDocuments,
  listVersions,
  listWorkflowRuns,
  readVersion,
  readWorkflowRun,
  type ReadDocumentsDeps,
} from './read-documents.ts'
import { runDocument } from './run-document.ts'
import { takeWebhook, type EventDeps } from './take-event.ts'
import { takeSigned, type SignedDeps } from './take-signed.ts'
import { ApplyBody, RunWorkflowBody, VersionView, WorkflowRunView } from './workflow.ts'
import {
  AppliedAnswer,
  DocumentAnswer,
  DocumentDiffAnswer,
  DryRunAnswer,
  DryRunBody,
  RollBackBody,
  StartedAnswer,
  TakenAnswer,
  VersionAnswer,
} from './workflow-answers.ts'

export type WorkflowPorts = ApplyDeps & ReadDocumentsDeps & EventDeps & DryRunDeps & SignedDeps

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
