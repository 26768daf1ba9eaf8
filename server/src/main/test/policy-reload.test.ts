import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BOOK_TOOLS, until } from '../../../test/helpers/with-gate.ts'
import { startGate, type RunningGate } from '../../../test/helpers/with-running-gate.ts'

const GOOD = `preset: careful
rules:
  - id: no-wiping
    effect: block
    match: { tool: book__wipe }
    says: nobody wipes the book
`
const NOTES_RUN = `${GOOD}  - id: notes-run
    effect: allow
    match: { tool: book__note }
    when: args.text != "secret"
    says: notes are harmless
`
const BAD = GOOD.replace('effect: block', 'efect: block')

type Fault = { file: string; line: number; says: string; instead: string }
type Notice = { code: string; says: string; in_force: string; refused?: string; faults: Fault[] }
type Entry = { type: string; actor: string; about: Record<string, unknown> }

let gate: RunningGate & { stop(): Promise<void> }
let admin = ''
let agent = ''
let user = ''
const config = () => join(gate.folder, 'sluice.yaml')

beforeAll(async () => {
  gate = await startGate((folder) => {
    const book = {
      command: 'node',
      args: [resolve(import.meta.dirname, '../../../test/tool-servers/effects.ts')],
      env: { EFFECTS: join(folder, 'effects.txt') },
      tools: BOOK_TOOLS,
    }
    writeFileSync(join(folder, 'first.yaml'), GOOD)
    const policy = './first.yaml'
    writeFileSync(
      join(folder, 'sluice.yaml'),
      JSON.stringify({ listen: { port: 0 }, mcp: { surface: 'passthrough' }, policy, servers: { book } }),
    )
  })
  admin = await gate.key('admin', 'root')
  agent = await gate.key('agent', 'a', 'ana')
  user = await gate.key('user', 'ana', 'ana')
})
afterAll(() => gate.stop())

const place = (name: string) => join(gate.folder, name)
/** Replaces it as a whole: the gate reads the file while this process may be waiting for a processor. */
function edit(text: string): void {
  writeFileSync(place('first.new'), text)
  renameSync(place('first.new'), place('first.yaml'))
}
async function shown(): Promise<{ version: string; rules: { id: string }[]; notices: Notice[] }> {
  const { body } = await gate.http('GET', '/v1/policies', admin)
  return body as never
}
async function audited(type: string): Promise<readonly Entry[]> {
  const { body } = await gate.http('GET', '/v1/audit?limit=200', admin)
  return (body['items'] as Entry[]).filter((entry) => entry.type === type)
}
const statusOf = async (tool: string) => {
  const { body } = await gate.http('POST', '/v1/calls', agent, { tool, args: { text: 'x' } })
  return body['outcome'] ?? body['status']
}
const untilRefused = () => until(async () => (await shown()).notices.length > 0)
const untilQuiet = () => until(async () => (await shown()).notices.length === 0)

describe('a policy file that is edited while the gate runs', () => {
  test('replaces the previous one, and the audit names both', async () => {
    const before = (await shown()).version
    expect(await statusOf('book__note')).toBe('pending')
    edit(NOTES_RUN)
    await until(async () => (await shown()).version !== before)
    expect(await statusOf('book__note')).toBe('executed')
    const loaded = (await audited('policy.loaded')).at(-1)
    expect(loaded).toMatchObject({
      actor: 'gate',
      about: { because: 'file', before, version: (await shown()).version },
    })
  })

  test('with a mistake is rejected: the old one stays in force, and every door reports the mistake with its line', async () => {
    const { version } = await shown()
    edit(BAD)
    await untilRefused()
    const { notices, ...after } = await shown()
    expect(after.version).toBe(version)
    expect(await statusOf('book__wipe')).toBe('refused')
    expect(await statusOf('book__note')).toBe('executed')
    const [notice] = notices
    expect(notice).toMatchObject({ code: 'policy.refused', in_force: version })
    expect(notice?.refused).not.toBe(version)
    const fault = notice?.faults.find(({ line }) => line === 4)
    expect(fault).toMatchObject({ file: place('first.yaml'), says: 'unknown key `efect`', instead: 'write `effect`' })

    const line = `${place('first.yaml')}:4:5: unknown key \`efect\`; write \`effect\``
    for (const words of [['policy', 'show'], ['tools'], ['approvals']]) {
      const { err, code } = await gate.cli(...words)
      expect(err).toContain(line)
      expect(code).toBe(0)
    }
    const ready = await gate.http('GET', '/readyz', undefined)
    expect(ready).toMatchObject({ status: 200, body: { ok: true, warnings: [{ code: 'policy.refused' }] } })
    expect(JSON.stringify(ready.body)).not.toContain('efect')
    const rpc = async (method: string) =>
      JSON.stringify((await gate.http('POST', '/mcp', agent, { jsonrpc: '2.0', id: 1, method, params: {} })).body)
    expect(await rpc('initialize')).toContain('first.yaml:3: the rule has no `effect`; write one of')
    expect(await rpc('tools/list')).toContain('sluice/notices')

    const refused = (await audited('policy.refused')).at(-1)
    expect(refused).toMatchObject({ about: { because: 'file', in_force: version, refused: notice?.refused } })
    expect(await gate.http('POST', '/v1/policies/reload', admin)).toMatchObject({
      status: 409,
      body: { code: 'policy.refused' },
    })
    expect(await audited('policy.refused')).toHaveLength(1)
  })

  test('is used as soon as it is corrected, and the notice is gone', async () => {
    edit(GOOD)
    await untilQuiet()
    expect(await statusOf('book__note')).toBe('pending')
    expect((await gate.cli('tools')).err).toBe('')
    expect((await gate.http('GET', '/readyz', undefined)).body).toEqual({ ok: true })
  })

  test('is checked against the schemas of the tools', async () => {
    const { version } = await shown()
    edit(NOTES_RUN.replace('args.text', 'args.txt'))
    await untilRefused()
    const after = await shown()
    expect(after.version).toBe(version)
    expect(after.notices[0]?.faults[0]).toMatchObject({ line: 10 })
    expect(JSON.stringify(after.notices)).toContain('text')
    edit(GOOD)
    await untilQuiet()
  })

  test('that is removed leaves the old one in force', async () => {
    const { version } = await shown()
    rmSync(place('first.yaml'))
    await untilRefused()
    expect(await shown()).toMatchObject({ version, notices: [{ faults: [{ file: config(), line: 1 }] }] })
    expect(await statusOf('book__wipe')).toBe('refused')
    edit(GOOD)
    await untilQuiet()
  })

  test('can be read again by a signal, which ends nothing', async () => {
    for (;;) {
      const { length } = await audited('policy.loaded')
      edit(`${GOOD}# ${length}\n`)
      gate.process.kill('SIGHUP')
      await until(async () => (await audited('policy.loaded')).length > length)
      // The file watcher may have been first.
      if ((await audited('policy.loaded')).at(-1)?.about['because'] === 'signal') break
    }
    expect(gate.process.exitCode).toBeNull()
  })
})

describe('a configuration that is edited while the gate runs', () => {
  const withPolicy = (policy: unknown) => {
    const before = JSON.parse(readFileSync(config(), 'utf8')) as object
    writeFileSync(config(), JSON.stringify({ ...before, policy }, null, 2))
  }

  test('can carry the policy itself from then on', async () => {
    withPolicy({ rules: [{ id: 'inside', effect: 'block', match: { tool: 'book__note' }, says: 'no notes' }] })
    await until(async () => (await shown()).rules.some(({ id }) => id === 'inside'))
    expect(await statusOf('book__note')).toBe('refused')
  })

  test('that is not YAML, empty or removed, leaves the old one and the tool servers in force, and the command line still finds the gate', async () => {
    const good = readFileSync(config(), 'utf8')
    const { version } = await shown()
    for (const spoil of [
      () => writeFileSync(config(), good.replace('"inside"', '"inside')),
      () => writeFileSync(config(), ''),
      () => rmSync(config()),
    ]) {
      spoil()
      await untilRefused()
      expect((await shown()).version).toBe(version)
      expect((await gate.http('GET', '/v1/servers', admin)).body['items']).toMatchObject([
        { server: 'book', starts: 1 },
      ])
      expect((await gate.cli('policy', 'show')).err).toContain('policy.refused')
      writeFileSync(config(), good)
      await untilQuiet()
    }
  })
})

describe('who may read and test the policy', () => {
  test('an agent cannot see the policy, a user can see but not test it, and only an admin can reload it', async () => {
    const approver = await gate.key('approver', 'bob')
    const lint = ['POST', '/v1/policies/lint', {}] as const
    const asked = async (key: string, [method, path, body]: readonly [string, string, unknown?]) =>
      (await gate.http(method, path, key, body)).status
    expect(await asked(agent, ['GET', '/v1/policies'])).toBe(403)
    expect(await asked(user, ['GET', '/v1/policies'])).toBe(200)
    expect(await asked(user, lint)).toBe(403)
    expect(await asked(approver, lint)).toBe(200)
    expect(await asked(approver, ['POST', '/v1/policies/reload'])).toBe(403)
    expect(await asked(admin, ['POST', '/v1/policies/reload'])).toBe(200)
    for (const path of ['test', 'replay', 'diff'])
      expect(await asked(agent, ['POST', `/v1/policies/${path}`, {}])).toBe(403)
  })
})
