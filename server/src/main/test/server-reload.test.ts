import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GUESTS } from '../guests.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BOOK_TOOLS } from '../../../test/helpers/with-gate.ts'
import { startGate, type RunningGate } from '../../../test/helpers/with-running-gate.ts'

/** Tool servers are added, changed and removed while the gate runs, by changing its configuration. */
let gate: RunningGate & { stop(): Promise<void> }
let admin = ''
let log = ''
beforeAll(async () => {
  gate = await startGate()
  gate.process.stderr?.on('data', (text: string) => (log += text))
  admin = await gate.key('admin', 'root', 'root')
})
afterAll(() => gate.stop())

type Written = { servers: Record<string, { tools: Record<string, object> }> }
const file = () => join(gate.folder, 'sluice.yaml')
function change(edit: (config: Written) => void): void {
  const config = JSON.parse(readFileSync(file(), 'utf8')) as Written
  edit(config)
  // Replaced as a whole: the gate reads the file while this process may be waiting for a processor.
  writeFileSync(`${file()}.new`, JSON.stringify(config))
  renameSync(`${file()}.new`, file())
}
async function toolsOf(server: string): Promise<readonly Record<string, unknown>[]> {
  const { body } = await gate.http('GET', '/v1/tools', admin)
  return (body['items'] as Record<string, unknown>[]).filter(({ tool_id }) => String(tool_id).startsWith(`${server}__`))
}
async function until<T>(look: () => Promise<T>, isRight: (found: T) => boolean): Promise<T> {
  for (;;) {
    const found = await look()
    if (isRight(found)) return found
    await sleep(50)
  }
}
const call = (tool: string) => gate.http('POST', '/v1/calls', admin, { tool, args: { where: 'x' } })

test('a server that is added answers, one that is removed is gone, and both are in the audit', async () => {
  change((config) => (config.servers['second'] = { ...(config.servers['book'] as Written['servers'][string]) }))
  const added = await until(
    () => toolsOf('second'),
    (tools) => tools.length > 0,
  )
  expect(added.every(({ admitted }) => admitted === true)).toBe(true)
  expect((await call('second__look')).body['status']).toBe('executed')
  // The other one was not touched.
  expect((await gate.http('GET', '/v1/servers', admin)).body['items']).toMatchObject([
    { server: 'book', state: 'ready', starts: 1 },
    { server: 'second', state: 'ready' },
  ])

  change((config) => delete config.servers['second'])
  await until(
    () => toolsOf('second'),
    (tools) => tools.length === 0,
  )
  expect((await call('second__look')).body['code']).toBe('tool.unknown')
  expect((await call('book__look')).body['status']).toBe('executed')
  const { body } = await gate.http('GET', '/v1/audit?last=100', admin)
  const changes = (body['items'] as { type: string; about: object }[]).filter(({ type }) => type === 'servers.changed')
  expect(changes.map(({ about }) => about)).toMatchObject([{ added: ['second'] }, { removed: ['second'] }])
})

test('a changed setting of a tool takes effect immediately, without a restart of its server', async () => {
  change(
    (config) => ((config.servers['book'] as Written['servers'][string]).tools['look'] = { effects: ['destructive'] }),
  )
  const isChanged = (tools: readonly Record<string, unknown>[]) =>
    tools.some(({ tool_id, risk }) => tool_id === 'book__look' && risk === 'high')
  await until(() => toolsOf('book'), isChanged)
  expect((await call('book__look')).body['status']).toBe('pending')
  expect((await gate.http('GET', '/v1/servers', admin)).body['items']).toMatchObject([{ server: 'book', starts: 1 }])
})

test('a configuration with a mistake changes nothing, and doctor says that file and gate differ', async () => {
  change((config) => (config.servers['third'] = { comand: 'x' } as never))
  await gate.http('POST', '/v1/policies/reload', admin)
  expect((await call('book__look')).body['status']).toBe('pending')
  change((config) => {
    delete config.servers['third']
    Object.assign(config, { approvals: { expires_s: 60 } })
  })
  const { out } = await gate.cli('doctor')
  expect(out).toContain('approvals')
  expect(out).toContain('takes effect after a restart')
})

const RULE = { id: 'no-looks', effect: 'block', match: { tool: 'book__lok' }, says: 'no looks' }
type Misspelt = { readonly what: string; readonly edit: (config: Written) => void; readonly says: string }
const MISSPELT: readonly Misspelt[] = [
  {
    what: 'settings of a tool that the server does not list',
    edit: (config) => {
      const { tools } = config.servers['book'] as Written['servers'][string]
      tools['lok'] = { effects: ['destructive'] }
    },
    says: 'the configuration names `book__lok`, which this server does not list; did you mean `book__look`?',
  },
]
const MISSPELT_IN_RULE: Misspelt = {
  what: 'a rule for a tool that no server lists',
  edit: (config) => void Object.assign(config, { policy: { rules: [RULE] } }),
  says: '`no-looks` names `book__lok`, which no tool server lists; did you mean `book__look`?',
}
/** Some guest checks policies. */
const hasLint = GUESTS.some(({ policyCheck }) => policyCheck !== undefined)
test.each([...MISSPELT, ...(hasLint ? [MISSPELT_IN_RULE] : [])])(
  'doctor and the log name $what',
  async ({ edit, says }) => {
    const before = readFileSync(file(), 'utf8')
    change(edit)
    await until(
      async () => log,
      (text) => text.includes(says),
    )
    expect((await gate.cli('doctor')).out).toContain(says)
    writeFileSync(file(), before)
    await gate.http('POST', '/v1/policies/reload', admin)
    expect((await gate.cli('doctor')).out).not.toContain('book__lok')
  },
)

test('a call that was judged before its server is replaced is judged and checked again, and does not run unchecked', async () => {
  const replacement = join(gate.folder, 'second.txt')
  // The replacement already has this note; the first server does not. Both wait with their answer until they are released.
  writeFileSync(replacement, 'keep_note {"title":"waits","text":"old"}\n')
  const kept = { tool: 'book__keep_note', args: { title: 'waits', text: 'new' } }
  const called = gate.http('POST', '/v1/calls', admin, kept)
  const typesOf = async () => {
    const { body } = await gate.http('GET', '/v1/audit?last=100', admin)
    return (body['items'] as { type: string }[]).map(({ type }) => type)
  }
  await until(typesOf, (types) => types.includes('call.check_started'))
  const before = (await typesOf()).filter((type) => type === 'servers.changed').length
  change((config) =>
    Object.assign(config.servers['book'] as object, { env: { EFFECTS: replacement }, tools: BOOK_TOOLS }),
  )
  await until(typesOf, (types) => types.filter((type) => type === 'servers.changed').length > before)
  writeFileSync(`${replacement}.go`, '')
  writeFileSync(join(gate.folder, 'effects.txt.go'), '')
  expect((await called).body).toMatchObject({ code: 'call.check_failed' })
  expect(readFileSync(replacement, 'utf8').trimEnd().split('\n')).toHaveLength(1)
})
