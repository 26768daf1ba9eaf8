import { PAGED } from './parameters.ts'
import {
  AuditEntryAnswer,
  AuditKeysAnswer,
  AuditPageAnswer,
  CheckpointAnswer,
  listOf,
  ProofAnswer,
  VerifiedAnswer,
} from '../../kernel/contract/answers.ts'
import { stream } from 'hono/streaming'
import { BreakBody, VerifyBody } from '../../kernel/contract/api.ts'
import { problem } from '../../kernel/contract/problems.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { MOST_ITEMS, numberOf, pageOf, partOf } from './query.ts'
import { ADMINS, DECIDERS } from './access.ts'
import { route, routeWithBody, type Routes } from './route.ts'

export const auditRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/audit',
      query: ['stream', 'from', 'last', ...PAGED],
      access: DECIDERS,
      summary: 'Entries of a stream from `from` on, or after `after`, or the `last` ones',
      answers: listOf(AuditEntryAnswer),
    }),
    async (c) => {
      const newest = c.req.query('last')
      if (newest !== undefined)
        return jsonResponse(200, {
          items: await gate.audit.newest(c.req.query('stream'), Math.min(numberOf(c, 'last', 1), MOST_ITEMS)),
        })
      const { limit } = pageOf(c)
      const from = Math.max(1, numberOf(c, 'after', numberOf(c, 'from', 1) - 1) + 1)
      const items = await gate.audit.page(c.req.query('stream'), from, limit)
      const last = items.length === limit ? items.at(-1) : undefined
      return jsonResponse(200, { items, ...(last === undefined ? {} : { next: last.seq }) })
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/audit/newest',
      query: ['stream', 'from', 'limit', 'cursor'],
      access: DECIDERS,
      summary: 'Entries of all streams, newest first; with `from`, those of one stream from this entry backwards',
      answers: AuditPageAnswer,
    }),
    async (c) => {
      const { limit } = pageOf(c)
      const [cursor, seq] = [c.req.query('cursor'), numberOf(c, 'from', 0)]
      const page = await gate.audit.backwards({
        limit,
        ...(cursor === undefined ? {} : { cursor }),
        ...(seq < 1 ? {} : { at: { stream: c.req.query('stream'), seq } }),
      })
      return page.ok ? jsonResponse(200, page.value) : problemResponse(page.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/audit/verify',
      access: DECIDERS,
      summary: 'Verify the whole hash chain',
      answers: VerifiedAnswer,
    }),
    async () => jsonResponse(200, await gate.audit.verify([])),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/audit/verify/progress',
      media: 'text/event-stream',
      access: DECIDERS,
      summary: 'The same as server-sent events: `progress` with how many of how many entries, then `report`',
    }),
    (c) => {
      c.header('content-type', 'text/event-stream')
      c.header('cache-control', 'no-store')
      return stream(c, async (out) => {
        let written: Promise<unknown> = Promise.resolve()
        const send = (event: string, data: object) => {
          written = written.then(() => out.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
        }
        const report = await gate.audit.verify([], (done) => send('progress', done))
        send('report', report)
        await written
      })
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/audit/verify',
      access: DECIDERS,
      summary: 'Verify the whole hash chain, and compare it with checkpoints that were saved elsewhere',
      body: VerifyBody,
      answers: VerifiedAnswer,
    }),
    async (c) => jsonResponse(200, await gate.audit.verify(c.req.valid('json').against)),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/audit/export',
      query: ['format', 'since'],
      media: 'application/jsonl',
      access: DECIDERS,
      summary: 'Entries and checkpoints since `since` (ms), as jsonl or csv',
    }),
    (c) => {
      const format = c.req.query('format') ?? 'jsonl'
      if (format !== 'jsonl' && format !== 'csv') {
        return problemResponse(problem('request.invalid', { paths: 'format: jsonl or csv' }), c.get('trace'))
      }
      c.header('content-type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8')
      return stream(c, async (out) => {
        for await (const line of gate.audit.export(numberOf(c, 'since', 0), format)) await out.writeln(line)
      })
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/audit/prove/{seq}',
      query: ['stream'],
      access: DECIDERS,
      summary: 'A portable proof of one entry',
      answers: ProofAnswer,
    }),
    async (c) => {
      const seq = Number(partOf(c, 'seq'))
      if (!Number.isSafeInteger(seq) || seq < 1)
        return problemResponse(problem('request.invalid', { paths: 'seq: a whole number from 1' }), c.get('trace'))
      const proof = await gate.audit.prove(c.req.query('stream'), seq)
      return proof.ok ? jsonResponse(200, proof.value) : problemResponse(proof.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'post',
      path: '/v1/audit/checkpoint',
      access: ADMINS,
      summary: 'Sign a checkpoint now',
      answers: CheckpointAnswer,
    }),
    async (c) => {
      const written = await gate.audit.presentCheckpoint()
      if (!written.ok) return problemResponse(written.problem, c.get('trace'))
      return jsonResponse(200, { checkpoint: written.value ?? null })
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/audit/breaks',
      access: ADMINS,
      summary: 'Continue after a broken audit: sign the stored entries as they are, with the reason',
      body: BreakBody,
      answers: CheckpointAnswer,
    }),
    async (c) => {
      const accepted = await gate.audit.acceptBreak(c.get('caller'), c.req.valid('json').reason)
      if (!accepted.ok) return problemResponse(accepted.problem, c.get('trace'))
      return jsonResponse(200, { checkpoint: accepted.value })
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/audit/keys',
      access: DECIDERS,
      summary: 'The public keys that checkpoints are verified with, the active one first',
      answers: AuditKeysAnswer,
    }),
    () => jsonResponse(200, { items: gate.audit.checkpointKeys() }),
  )
}
