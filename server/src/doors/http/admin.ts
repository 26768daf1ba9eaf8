import { AdmitBody, KeyBody, PauseBody, RotateBody } from '../../contract/api.ts'
import type { Tool } from '../../contract/tool.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { numberOf, partOf } from './query.ts'
import { ADMINS, CALLERS, PEOPLE, route, routeWithBody, type Routes } from './route.ts'

const LONGEST_READ = 100_000

export const adminRoutes: Routes = (app, gate) => {
  app.openapi(route({ method: 'get', path: '/v1/tools', access: CALLERS, summary: 'The tools' }), (c) =>
    jsonResponse(200, {
      items: gate.tools(c.get('caller')).map((tool) => ({ ...shown(tool), ...gate.standardOf(tool) })),
      notices: gate.policies.notices(),
    }),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/tools/{tool_id}',
      access: CALLERS,
      summary: 'The card of one tool: what is needed to call it once (`full=1` for all of it)',
    }),
    (c) => {
      const card = gate.card(c.get('caller'), partOf(c, 'tool_id'), c.req.query('full') === '1')
      return card.ok ? jsonResponse(200, card.value) : problemResponse(card.problem, c.get('trace'))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/tools/{tool_id}/admit',
      access: ADMINS,
      summary: 'Admit exactly this definition',
      body: AdmitBody,
    }),
    async (c) => {
      const admitted = await gate.admitTool(c.get('caller'), partOf(c, 'tool_id'), c.req.valid('json').definition_hash)
      return admitted.ok
        ? jsonResponse(200, { tool_id: partOf(c, 'tool_id') })
        : problemResponse(admitted.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({ method: 'get', path: '/v1/servers', access: PEOPLE, summary: 'Tool servers and their health' }),
    () => jsonResponse(200, { items: gate.servers() }),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/artifacts/{digest}',
      access: CALLERS,
      summary: 'A part of an evicted output (from, length)',
    }),
    async (c) => {
      const length = Math.min(numberOf(c, 'length', LONGEST_READ), LONGEST_READ)
      const read = await gate.artifact(c.get('caller'), partOf(c, 'digest'), numberOf(c, 'from', 0), length)
      return read.ok ? jsonResponse(200, read.value) : problemResponse(read.problem, c.get('trace'))
    },
  )
  app.openapi(route({ method: 'get', path: '/v1/pauses', access: CALLERS, summary: 'What is paused' }), async () =>
    jsonResponse(200, { items: await gate.listPauses() }),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/pauses',
      access: ADMINS,
      summary: 'Pause, or let go on',
      body: PauseBody,
    }),
    async (c) => {
      const set = await gate.setPause(c.get('caller'), c.req.valid('json'))
      return set.ok ? jsonResponse(200, set.value) : problemResponse(set.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({ method: 'get', path: '/v1/keys', access: ADMINS, summary: 'Keys, without their text' }),
    async (c) => {
      const listed = await gate.listCredentials(c.get('caller'))
      return listed.ok ? jsonResponse(200, { items: listed.value }) : problemResponse(listed.problem, c.get('trace'))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/keys',
      access: ADMINS,
      summary: 'Create a key; it is shown once',
      body: KeyBody,
    }),
    async (c) => {
      const { kind, name, user, ttl_s, tools, calls } = c.req.valid('json')
      const wanted = {
        kind,
        name,
        ...(user === undefined ? {} : { user }),
        ...(ttl_s === undefined ? {} : { ttl_s }),
        ...(tools === undefined ? {} : { tools }),
        ...(calls === undefined ? {} : { calls }),
      }
      const created = await gate.createCredential(c.get('caller'), wanted)
      if (!created.ok) return problemResponse(created.problem, c.get('trace'))
      const { key_hash: _, ...row } = created.value.row
      return jsonResponse(201, { key: created.value.key, ...row })
    },
  )
  app.openapi(
    route({ method: 'delete', path: '/v1/keys/{key_id}', access: ADMINS, summary: 'Revoke a key' }),
    async (c) => {
      const revoked = await gate.revokeCredential(c.get('caller'), partOf(c, 'key_id'))
      return revoked.ok
        ? jsonResponse(200, { key_id: revoked.value.key_id, revoked_at: revoked.value.revoked_at })
        : problemResponse(revoked.problem, c.get('trace'))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/keys/rotate',
      access: ADMINS,
      summary: 'A new signing key',
      body: RotateBody,
    }),
    async (c) => {
      const rotated = await gate.rotateKeys(c.get('caller'), c.req.valid('json').which)
      return rotated.ok
        ? jsonResponse(200, { rotated: c.req.valid('json').which })
        : problemResponse(rotated.problem, c.get('trace'))
    },
  )
}

function shown({ row, title, tags, effects, effects_from, risk, idempotent, dry_run }: Tool) {
  const { description, inputSchema } = row.definition
  const admitted = row.admitted?.hash === row.definition_hash
  return {
    tool_id: row.tool_id,
    server: row.server,
    title: title ?? row.definition.title,
    tags,
    description,
    input_schema: inputSchema,
    effects,
    effects_from,
    risk,
    idempotent,
    dry_run: dry_run !== undefined,
    definition_hash: row.definition_hash,
    admitted,
    ...(row.gone_at === undefined ? {} : { gone_at: row.gone_at }),
  }
}
