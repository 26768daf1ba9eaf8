import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  ADMIN,
  APPROVER,
  BOOK_TOOLS,
  effectsIn,
  pendingOf,
  withGate,
  type GateRig,
  approveShown,
} from '../helpers/with-gate.ts'
import { startHttp, withHttp, type HttpProcess } from './with-http-servers.ts'

const { look, note, slow_note, wipe, fails } = BOOK_TOOLS

/** The whole gate, with its only tool server on the other side of HTTP. */
async function withHttpGate(
  use: (rig: GateRig, server: HttpProcess, effects: () => readonly string[]) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-http-'))
  const starting = [startHttp('effects-http.ts', { env: { EFFECTS: join(folder, 'effects.txt') } })]
  await withHttp(starting, async (server) => {
    if (server === undefined) throw new Error('no server')
    const book = {
      url: server.url,
      headers: { 'x-key': 'key-of-the-book' },
      tools: { look, note, slow_note, wipe, fails },
    }
    await withGate((rig) => use(rig, server, () => effectsIn(folder)), { config: { servers: { book } } })
  })
  rmSync(folder, { recursive: true, force: true })
}

describe('the corridor to a tool server over HTTP', () => {
  test('reads run at once, blocked calls reach no server, and held calls run once after an approval', () =>
    withHttpGate(async ({ gate, call, outcome }, _server, effects) => {
      expect(await call('book__look')).toMatchObject({
        status: 'executed',
        result: { content: [{ text: 'nothing to see' }] },
      })
      expect(await call('book__wipe', { text: 'all' }, { caller: ADMIN })).toMatchObject({
        problem: { code: 'call.blocked' },
      })
      const held = pendingOf(await call('book__note', { text: 'one' }))
      expect(effects()).toEqual([])
      await approveShown(gate, APPROVER, held.approval_id)
      expect(await outcome(held.call_id)).toMatchObject({
        status: 'executed',
        result: { content: [{ text: 'noted one' }] },
      })
      expect(effects()).toEqual(['note {"text":"one"}'])
      expect(JSON.stringify(gate.catalogue.servers())).not.toContain('key-of-the-book')
    }))

  test('a session that is gone at the time of the approval is opened again, and the call runs once', () =>
    withHttpGate(async ({ gate, call, outcome }, _server, effects) => {
      const held = pendingOf(await call('book__note', { text: 'two' }))
      expect(await call('book__fails')).toMatchObject({ status: 'executed' })
      await approveShown(gate, APPROVER, held.approval_id)
      expect(await outcome(held.call_id)).toMatchObject({ status: 'executed' })
      expect(effects()).toEqual(['note {"text":"two"}'])
    }))

  test('a server that disconnects after acting leaves a call with an unknown outcome, which is not repeated', () =>
    withHttpGate(async ({ gate, call, outcome }, _server, effects) => {
      const held = pendingOf(await call('book__slow_note', { text: 'three' }))
      const approved = await approveShown(gate, APPROVER, held.approval_id)
      expect(approved).toMatchObject({ ok: true })
      expect(await outcome(held.call_id)).toMatchObject({ status: 'unknown', problem: { code: 'tool.broke_off' } })
      expect(effects()).toEqual(['slow_note {"text":"three"}'])
    }))

  test('a server that is gone runs nothing, and the call says so', () =>
    withHttpGate(async ({ call }, { stop }, effects) => {
      await stop()
      await expect.poll(async () => JSON.stringify(await call('book__look'))).toContain('tool.unavailable')
      expect(effects()).toEqual([])
    }))
})
