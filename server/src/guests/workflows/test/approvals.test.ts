import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ADMIN, APPROVER, approveShown, SECOND } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { clerk, FILE } from './clerk.suite.ts'
import { openWorkflows, type WorkflowRig } from './with-workflows.suite.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })
const HOUR = 3_600_000
const CONFIG = { approvals: { expires_s: 30 * 86_400, expires_s_for: {} } }

const folder = mkdtempSync(join(tmpdir(), 'sluice-workflow-approvals-'))
let rig: WorkflowRig
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  rig = await openWorkflows(folder, { config: CONFIG })
})
afterAll(async () => {
  await rig.close()
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

/** Two notes: the first waits for a person. */
const HELD = (approvals = '') =>
  clerk(
    `
- type: tool
  tool: book__note
  argsTemplate: { text: "held {{input.run_id}}" }
- type: tool
  tool: book__note_again
  argsTemplate: { text: "then {{input.run_id}} {{output}}" }
`,
    { head: approvals },
  )
const lines = (text: string) => rig.effects().filter((line) => line.includes(text))
const requestOf = async (run: string) => ((await rig.rested(run)).waits_for ?? '').replace('approval ', '')

/** Another process, this much later. */
async function later(hours: number): Promise<void> {
  await rig.close()
  vi.setSystemTime(Date.now() + hours * HOUR)
  rig = await openWorkflows(folder, { config: CONFIG })
}

describe('a step that waits for a person', () => {
  test('continues when the approval comes days later, after a restart', async () => {
    await rig.apply(HELD())
    const run = await rig.say(FILE({ run_id: 11, titles: ['x'] }), { id: 'r11' })
    const request = await requestOf(run)
    await later(5 * 24)
    expect(await rig.rested(run)).toMatchObject({ status: 'waiting', waits_for: `approval ${request}` })
    expect(lines('"held 11')).toHaveLength(0)
    valueOf(await approveShown(rig.gate, APPROVER, request))
    expect(await rig.ended(run)).toMatchObject({ status: 'done' })
    expect(lines('"held 11')).toHaveLength(1)
    expect(lines('then 11 noted held 11')).toHaveLength(1)
    // The same decision again changes nothing.
    expect(await approveShown(rig.gate, APPROVER, request)).toMatchObject({ ok: false })
    expect(lines('"held 11')).toHaveLength(1)
  })

  test('rejects the call after the document`s waiting time, and no later step runs', async () => {
    await rig.apply(HELD('approvals: { ttlSeconds: 3600 }'))
    const run = await rig.say(FILE({ run_id: 12, titles: ['x'] }), { id: 'r12' })
    const request = await requestOf(run)
    await later(2)
    expect(await approveShown(rig.gate, APPROVER, request)).toMatchObject({ ok: false })
    expect(await rig.ended(run)).toMatchObject({ status: 'failed', error: { code: 'approval_timeout', step: '0' } })
    expect(lines(' 12')).toHaveLength(0)
  })

  test('executes the approver`s correction once, and names the request it waits for', async () => {
    await rig.apply(HELD())
    const run = await rig.say(FILE({ run_id: 13, titles: ['x'] }), { id: 'r13' })
    const first = await requestOf(run)
    const edited = valueOf(await rig.gate.approvals.edit(APPROVER, first, { text: 'corrected 13' }))
    expect(await requestOf(run)).toBe(edited.approval_id)
    expect(edited.approval_id).not.toBe(first)
    expect(await approveShown(rig.gate, APPROVER, first)).toMatchObject({ ok: false })
    valueOf(await approveShown(rig.gate, APPROVER, edited.approval_id))
    expect(await rig.ended(run)).toMatchObject({ status: 'done' })
    expect(lines('"corrected 13')).toHaveLength(1)
    expect(lines('"held 13')).toHaveLength(0)
    expect(lines('then 13 noted corrected 13')).toHaveLength(1)
  })

  test('is rejected if the document switched approvals off', async () => {
    await rig.apply(HELD('approvals: { enabled: false }'))
    expect(await rig.ended(await rig.say(FILE({ run_id: 14, titles: ['x'] }), { id: 'r14' }))).toMatchObject({
      status: 'failed',
      error: { code: 'policy_denied' },
    })
  })
})

describe('a document that names its approvers', () => {
  test('is decided only by them, not by others with the role, also after a restart and for corrections', async () => {
    await rig.apply(HELD('approvals: { approvers: ["@eve:test"] }'))
    const run = await rig.say(FILE({ run_id: 21, titles: ['x'] }), { id: 'r21' })
    const request = await requestOf(run)
    await later(1)
    expect(await rig.gate.approvals.decide(APPROVER, request, { says: 'deny' })).toMatchObject({
      problem: { code: 'approval.unknown' },
    })
    expect(await rig.gate.approvals.edit(APPROVER, request, { text: 'mine' })).toMatchObject({
      problem: { code: 'approval.unknown' },
    })
    expect(await rig.gate.approvals.decide(ADMIN, request, { says: 'deny' })).toMatchObject({
      problem: { code: 'approval.not_asked' },
    })
    valueOf(await approveShown(rig.gate, SECOND, request))
    expect(await rig.ended(run)).toMatchObject({ status: 'done' })
    expect(lines('"held 21')).toHaveLength(1)
  })
})

describe('a document that names the room of its approvers', () => {
  const chat = mkdtempSync(join(tmpdir(), 'sluice-approvals-room-'))
  const bodies: string[] = []
  let other: WorkflowRig
  let board: Server
  beforeAll(async () => {
    board = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => (body += text))
      request.on('end', () => {
        bodies.push(body)
        response.writeHead(204).end()
      })
    })
    await new Promise<void>((done) => board.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(board.address() as AddressInfo).port}/`
    const secret = 'env:SECRET_OF_THE_BOARD'
    process.env['SECRET_OF_THE_BOARD'] = 'a-secret-for-the-board-0815'
    const room = { homeserver: 'http://127.0.0.1:9', user: '@gate:test', token: secret, room: '!approvers:test' }
    const channels = {
      webhooks: [{ name: 'board', url, secret, events: ['approval.pending'] }],
      matrix: [{ name: 'approvers', ...room, people: { '@eve:test': { approver: 'eve' } } }],
    }
    other = await openWorkflows(chat, { config: { ...CONFIG, channels } })
  })
  afterAll(async () => {
    await other.close()
    await new Promise((done) => board.close(done))
    rmSync(chat, { recursive: true, force: true })
  })

  test('asks in that room and in no other channel; a room that is not a channel changes nothing', async () => {
    const hold = async (id: number, approvals: string) => {
      await other.apply(HELD(approvals))
      await other.rested(await other.say(FILE({ run_id: id, titles: ['x'] }), { id: `room ${id}` }))
    }
    const about = (id: number) => bodies.filter((body) => body.includes(`held ${id}`)).length
    await hold(31, 'approvals: { room: "!approvers:test" }')
    await hold(32, 'approvals: { room: "!nowhere:test" }')
    await hold(33, '')
    await vi.waitFor(() => expect([about(32), about(33)]).toEqual([1, 1]), { timeout: 60_000, interval: 20 })
    expect(about(31)).toBe(0)
    const { items } = await other.gate.approvals.list(APPROVER, 'pending', { limit: 10 })
    expect(items).toHaveLength(3)
  })
})
