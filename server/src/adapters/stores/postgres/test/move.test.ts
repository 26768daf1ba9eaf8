import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { configure, run, runGate } from '../../../../../test/helpers/with-running-gate.ts'
import { isWhole } from '../../../../../test/helpers/postgres-stores.ts'
import { freshSchema, hasPostgres, testDatabase } from '../../../../../test/helpers/with-postgres.ts'

/** By `npm run test:cluster`. */
describe.skipIf(!hasPostgres || !isWhole)('a store that moves', () => {
  const home = mkdtempSync(join(tmpdir(), 'sluice-move-'))
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  const setStore = (folder: string, store: object) => {
    const file = join(folder, 'sluice.yaml')
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), store }))
  }
  const verified = async (folder: string) =>
    JSON.parse((await run(folder, ['--json', 'audit', 'verify'])).out) as unknown

  test('is moved from the data folder to Postgres, to a backup, and back to a folder and a database without losses', async () => {
    const folder = join(home, 'embedded')
    mkdirSync(folder)
    configure(folder)
    const before = await runGate(folder)
    const agent = await before.key('agent', 'a', 'ana')
    const approver = await before.key('approver', 'bob')
    const held = await before.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: 'moved-71c' } })
    await before.approve(held.body['approval_id'], approver)
    const path = `/v1/calls/${String(held.body['call_id'])}`
    const first = (await before.http('GET', `${path}?wait_ms=60000`, agent)).body
    expect(first).toMatchObject({ status: 'executed' })
    const waiting = await before.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: 'later' } })
    before.process.kill('SIGTERM')
    await new Promise((done) => before.process.once('exit', done))

    const store = { postgres: await testDatabase(), schema: freshSchema() }
    const moved = await run(folder, ['--json', 'store', 'move', store.postgres, '--schema', store.schema])
    expect(moved, moved.err).toMatchObject({ code: 0 })
    expect(existsSync(join(folder, '.sluice', 'ledger.sqlite'))).toBe(false)
    setStore(folder, store)
    expect(await verified(folder)).toMatchObject({ ok: true })

    const after = await runGate(folder)
    expect((await after.http('GET', path, agent)).body).toEqual(first)
    // What waited for a person still does, and runs when it is approved.
    await after.approve(waiting.body['approval_id'], approver)
    const done = await after.http('GET', `/v1/calls/${String(waiting.body['call_id'])}?wait_ms=60000`, agent)
    expect(done.body).toMatchObject({ status: 'executed' })
    expect(await run(folder, ['backup', join(home, 'all.backup')])).toMatchObject({ code: 0 })
    after.process.kill('SIGTERM')
    await new Promise((ended) => after.process.once('exit', ended))

    const places = [
      { name: 'folder', store: {} },
      { name: 'database', store: { ...store, schema: freshSchema() } },
    ]
    for (const place of places) {
      const target = join(home, place.name)
      mkdirSync(target)
      configure(target)
      setStore(target, place.store)
      const restored = await run(target, ['restore', join(home, 'all.backup')])
      expect(restored, restored.err).toMatchObject({ code: 0 })
      expect(await verified(target)).toMatchObject({ ok: true })
      const again = await runGate(target)
      expect((await again.http('GET', path, agent)).body).toEqual(first)
      const look = await again.http('POST', '/v1/calls', agent, { tool: 'book__look', args: {} })
      expect(look.body).toMatchObject({ status: 'executed' })
      await again.stop()
    }
  }, 180_000)

  test('is not moved to a place where another gate has stored something', async () => {
    const folder = join(home, 'second')
    mkdirSync(folder)
    configure(folder)
    expect(await run(folder, ['keys', 'create', 'agent', 'a', '--new-folder'])).toMatchObject({ code: 0 })
    const schema = freshSchema()
    const words = ['--json', 'store', 'move', await testDatabase(), '--schema', schema]
    expect(await run(folder, words)).toMatchObject({ code: 0 })
    const other = join(home, 'third')
    mkdirSync(other)
    configure(other)
    expect(await run(other, ['keys', 'create', 'agent', 'a', '--new-folder'])).toMatchObject({ code: 0 })
    const refused = await run(other, words)
    expect(JSON.parse(refused.out)).toMatchObject({ code: 'store.not_empty' })
    expect(existsSync(join(other, '.sluice', 'ledger.sqlite'))).toBe(true)
  }, 120_000)
})
