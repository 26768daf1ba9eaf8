import { PAGED } from './parameters.ts'
import {
  ArtifactAnswer,
  DoctorAnswer,
  ErasureAnswer,
  FeaturesAnswer,
  KeyAnswer,
  KeyGrantsAnswer,
  listOf,
  NewKeyAnswer,
  PauseAnswer,
  RevokedKeyAnswer,
  RotatedAnswer,
  ServerAnswer,
  SettingsAnswer,
} from '../../kernel/contract/answers.ts'
import { EraseBody, KeyBody, PauseBody, RotateBody } from '../../kernel/contract/api.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { MOST_ITEMS, numberOf, partOf, pageIn, readerOf } from './query.ts'
import { ADMINS, CALLERS, DECIDERS, PEOPLE } from './access.ts'
import { withoutProof } from './proof.ts'
import { route, routeWithBody, type Routes } from './route.ts'

const LONGEST_READ = 100_000

export const adminRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/servers',
      query: PAGED,
      access: PEOPLE,
      summary: 'Tool servers and their health',
      answers: listOf(ServerAnswer),
    }),
    (c) => jsonResponse(200, { version: gate.version, ...pageIn(c, gate.catalogue.servers(), MOST_ITEMS) }),
  )
  app.openapi(
    route({
      method: 'post',
      path: '/v1/servers/{server}/retry',
      access: DECIDERS,
      summary: 'Try at once to reach a tool server that is down; answers with its state after the attempt',
      answers: ServerAnswer,
    }),
    async (c) => {
      const tried = await gate.catalogue.retry(c.get('caller'), partOf(c, 'server'))
      return tried.ok ? jsonResponse(200, tried.value) : problemResponse(tried.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/features',
      access: PEOPLE,
      summary: 'Whether a model is configured for the agent, and whether flows are on',
      answers: FeaturesAnswer,
    }),
    async () => jsonResponse(200, { agent: gate.agent.model(), flows: await gate.flows.switches() }),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/settings',
      access: ADMINS,
      summary:
        'The configuration file of this gate, and a digest of each section that takes effect only after a restart',
      answers: SettingsAnswer,
    }),
    () => jsonResponse(200, gate.settings),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/doctor',
      access: ADMINS,
      summary: 'The findings of `sluice doctor` on the machine of the gate, each with what to do about it',
      answers: DoctorAnswer,
    }),
    async () => jsonResponse(200, await gate.doctor()),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/artifacts/{digest}',
      query: ['from', 'length', 'session'],
      access: CALLERS,
      summary: 'A part of an output in the artifact store (from, length)',
      answers: ArtifactAnswer,
    }),
    async (c) => {
      const length = Math.min(numberOf(c, 'length', LONGEST_READ), LONGEST_READ)
      const read = await gate.artifacts.read(readerOf(c), partOf(c, 'digest'), numberOf(c, 'from', 0), length)
      return read.ok ? jsonResponse(200, read.value) : problemResponse(read.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/pauses',
      query: PAGED,
      access: CALLERS,
      summary: 'What is paused',
      answers: listOf(PauseAnswer),
    }),
    async (c) => jsonResponse(200, pageIn(c, await gate.pauses.list(), MOST_ITEMS)),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/pauses',
      access: ADMINS,
      summary: 'Start or end a pause',
      answers: PauseAnswer,
      grants: true,
      body: PauseBody,
    }),
    async (c) => {
      const set = await gate.pauses.set(c.get('caller'), withoutProof(c.req.valid('json')), c.get('proof'))
      return set.ok ? jsonResponse(200, set.value) : problemResponse(set.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/keys',
      query: PAGED,
      access: ADMINS,
      summary: 'Keys, without their secrets',
      answers: listOf(KeyAnswer),
    }),
    async (c) => {
      const listed = await gate.identity.listCredentials(c.get('caller'))
      return listed.ok
        ? jsonResponse(200, pageIn(c, listed.value, MOST_ITEMS))
        : problemResponse(listed.problem, c.get('trace'))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/keys',
      status: [201],
      access: ADMINS,
      summary: 'Create a key; it is shown once',
      answers: NewKeyAnswer,
      grants: true,
      body: KeyBody,
    }),
    async (c) => {
      const wanted = withoutProof(c.req.valid('json'))
      const created = await gate.identity.createCredential(c.get('caller'), wanted, c.get('proof'))
      if (!created.ok) return problemResponse(created.problem, c.get('trace'))
      const { key_hash: _, ...row } = created.value.row
      return jsonResponse(201, { key: created.value.key, ...row })
    },
  )
  app.openapi(
    route({
      method: 'delete',
      path: '/v1/keys/{key_id}',
      query: ['keep_grants'],
      access: ADMINS,
      summary: 'Revoke a key, and with it what it granted',
      answers: RevokedKeyAnswer,
    }),
    async (c) => {
      const keep_grants = c.req.query('keep_grants') === '1'
      const revoked = await gate.identity.revokeCredential(c.get('caller'), partOf(c, 'key_id'), keep_grants)
      if (!revoked.ok) return problemResponse(revoked.problem, c.get('trace'))
      const { key_id, revoked_at, grants } = revoked.value
      return jsonResponse(200, { key_id, revoked_at, grants })
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/keys/{key_id}/grants',
      access: ADMINS,
      summary: 'What goes back to a key, and what of it ends when the key is revoked',
      answers: KeyGrantsAnswer,
    }),
    async (c) => {
      const found = await gate.identity.keyGrants(c.get('caller'), partOf(c, 'key_id'))
      return found.ok ? jsonResponse(200, { grants: found.value }) : problemResponse(found.problem, c.get('trace'))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/keys/rotate',
      access: ADMINS,
      summary: 'Replace a signing key',
      body: RotateBody,
      answers: RotatedAnswer,
    }),
    async (c) => {
      const rotated = await gate.identity.rotateKeys(c.get('caller'), c.req.valid('json').which)
      return rotated.ok
        ? jsonResponse(200, { rotated: c.req.valid('json').which })
        : problemResponse(rotated.problem, c.get('trace'))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/erasures',
      access: ADMINS,
      summary: "Remove one person's arguments, outputs and artifacts now",
      answers: ErasureAnswer,
      body: EraseBody,
    }),
    async (c) => {
      const erased = await gate.retention.eraseUser(c.get('caller'), c.req.valid('json'))
      return erased.ok ? jsonResponse(200, erased.value) : problemResponse(erased.problem, c.get('trace'))
    },
  )
}
