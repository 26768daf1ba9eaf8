import { textsInWorkflowRun } from '../../kernel/sessions/answer-texts.ts'
import { listOf } from '../../kernel/contract/answers.ts'
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
import type { Json } from '../../kernel/contract/json.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import { jsonResponse, problemResponse } from '../../adapters/http/problem.ts'
import { PAGED } from '../../adapters/http/parameters.ts'
import { numberOf, pageOf, partOf, readerOf } from '../../adapters/http/query.ts'
import { ADMINS, CALLERS, DECIDERS, OVERSEERS } from '../../adapters/http/access.ts'
import { route, routeWithBody, type Routes } from '../../adapters/http/route.ts'

const answer = (result: Result<unknown>, trace: string, status = 200): Response =>
  result.ok ? jsonResponse(status, result.value) : problemResponse(result.problem, trace)

/** Documents, their versions and their runs. */
export const workflowRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/workflows',
      access: OVERSEERS,
      summary: 'Documents, each with its version in force',
      answers: listOf(DocumentAnswer),
    }),
    async (c) => {
      const listed = await gate.workflows.list(c.get('caller'))
      return listed.ok ? jsonResponse(200, { items: listed.value }) : problemResponse(listed.problem, c.get('trace'))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/workflows',
      access: ADMINS,
      summary: 'Put a new version of a document in force; a document with mistakes changes nothing',
      body: ApplyBody,
      answers: AppliedAnswer,
    }),
    async (c) => answer(await gate.workflows.apply(c.get('caller'), c.req.valid('json').document), c.get('trace')),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/workflows/dry-run',
      access: DECIDERS,
      summary: 'Dry run of a document: the arguments and the verdict of each step',
      body: DryRunBody,
      answers: DryRunAnswer,
    }),
    async (c) => {
      const { document, protocol, input } = c.req.valid('json')
      return answer(
        await gate.workflows.dryRun(c.get('caller'), document, { protocol, input: input as Json }),
        c.get('trace'),
      )
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/workflows/{name}',
      query: ['version'],
      access: OVERSEERS,
      summary: 'One version of a document with its text',
      answers: VersionAnswer,
    }),
    async (c) =>
      answer(
        await gate.workflows.read(c.get('caller'), partOf(c, 'name'), numberOf(c, 'version', 0) || undefined),
        c.get('trace'),
      ),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/workflows/{name}/versions',
      query: PAGED,
      access: OVERSEERS,
      summary: 'Versions of a document, newest first',
      answers: listOf(VersionView),
    }),
    async (c) => answer(await gate.workflows.versions(c.get('caller'), partOf(c, 'name'), pageOf(c)), c.get('trace')),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/workflows/{name}/diff',
      query: ['from', 'version'],
      access: OVERSEERS,
      summary: 'The changes of a version, compared with the previous one or another',
      answers: DocumentDiffAnswer,
    }),
    async (c) =>
      answer(
        await gate.workflows.diff(
          c.get('caller'),
          partOf(c, 'name'),
          numberOf(c, 'from', 0) || undefined,
          numberOf(c, 'version', 0) || undefined,
        ),
        c.get('trace'),
      ),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/workflows/{name}/rollback',
      access: ADMINS,
      summary: 'Put the text of an earlier version in force, as a new version',
      body: RollBackBody,
      answers: AppliedAnswer,
    }),
    async (c) =>
      answer(await gate.workflows.rollBack(c.get('caller'), partOf(c, 'name'), c.req.valid('json').to), c.get('trace')),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/workflows/{name}/runs',
      status: [202],
      keeps_keys: true,
      access: ADMINS,
      summary: 'Start a protocol by hand',
      body: RunWorkflowBody,
      answers: StartedAnswer,
    }),
    async (c) =>
      answer(
        await gate.workflows.run(
          c.get('caller'),
          partOf(c, 'name'),
          c.req.valid('json'),
          c.req.header('idempotency-key'),
        ),
        c.get('trace'),
        202,
      ),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/workflows/{name}/runs',
      query: PAGED,
      access: OVERSEERS,
      summary: 'Runs of a document, newest first',
      answers: listOf(WorkflowRunView),
    }),
    async (c) => {
      const found = await gate.workflows.runs(c.get('caller'), partOf(c, 'name'), pageOf(c))
      const textsOf = ({ items }: { readonly items: readonly WorkflowRunView[] }) => items.flatMap(textsInWorkflowRun)
      return answer(await gate.readings.labelled(readerOf(c), found, textsOf), c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/workflow-runs/{run_id}',
      query: ['wait_ms', 'session'],
      access: CALLERS,
      summary: 'One run of a document: its steps, its graph and why it stopped (wait_ms until it next waits or ends)',
      answers: WorkflowRunView,
    }),
    async (c) => {
      const found = await gate.workflows.readRun(c.get('caller'), partOf(c, 'run_id'), numberOf(c, 'wait_ms', 0))
      return answer(await gate.readings.labelled(readerOf(c), found, textsInWorkflowRun), c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'post',
      path: '/v1/events/{source}',
      status: [202],
      keeps_keys: true,
      access: 'anyone',
      summary: 'An event for a webhook gateway of a document; its signature is the credential',
      answers: StartedAnswer,
    }),
    async (c) => {
      const header = (name: string) => c.req.header(name)
      const taken = await gate.workflows.takeWebhook({
        source: partOf(c, 'source'),
        authorization: header('authorization'),
        signature: header('x-hub-signature-256'),
        delivery: header('webhook-id') ?? header('x-github-delivery') ?? header('idempotency-key'),
        type: header('x-event-type') ?? header('x-github-event'),
        body: await c.req.text(),
      })
      return answer(taken, c.get('trace'), 202)
    },
  )
  app.openapi(
    route({
      method: 'post',
      path: '/v1/transports/{name}/messages',
      keeps_keys: true,
      access: 'anyone',
      summary: 'A message for documents, signed with the secret of its transport',
      answers: TakenAnswer,
    }),
    async (c) => {
      const taken = await gate.workflows.takeSigned({
        transport: partOf(c, 'name'),
        id: c.req.header('webhook-id') ?? '',
        timestamp: c.req.header('webhook-timestamp') ?? '',
        signature: c.req.header('webhook-signature') ?? '',
        body: await c.req.text(),
      })
      return taken.ok ? jsonResponse(200, { taken: taken.value }) : problemResponse(taken.problem, c.get('trace'))
    },
  )
}
