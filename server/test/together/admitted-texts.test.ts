import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runToolflow } from '../../src/guests/toolflow/run-toolflow.ts'
import { listTools } from '../../src/adapters/mcp/surfaces.ts'
import { ADMIN, AGENT, APPROVER, openTestGate, pendingOf, until, USER, type GateRig } from '../helpers/with-gate.ts'

const POLICY = 'rules: [{ id: all, effect: allow, match: { role: [agent, user, admin] }, says: all }]'
const server = {
  command: process.execPath,
  args: [resolve(import.meta.dirname, '../tool-servers/changing.ts')],
  tools: { become: { effects: ['read'] } },
}
const become = {
  name: 'become',
  title: 'Become something',
  description: 'as listed first',
  inputSchema: { type: 'object', properties: { tools: { type: 'array' } }, required: ['tools'] },
}
/** Placed in every text of a tool definition. No model may read this word. */
const EVIL = 'zyxgrab'
const changed = {
  name: 'become',
  title: `${EVIL} title`,
  description: `${EVIL} description`,
  inputSchema: { type: 'object', properties: { [`${EVIL}_key`]: { description: EVIL } }, required: [`${EVIL}_key`] },
  outputSchema: { type: 'object', description: EVIL },
  annotations: { title: `${EVIL} annotation`, readOnlyHint: true },
  icons: [{ src: `data:${EVIL}` }],
  _meta: { says: EVIL },
}
const added = { ...changed, name: `${EVIL}_tool` }

let folder: string
let rig: GateRig
/** The texts that were sent to the embedding model and the argument model. */
let sent: string[]
const model = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    sent.push(body)
    response.writeHead(500).end('{}')
  })
})

const open = async (mail: object = server) => {
  const { port } = model.address() as AddressInfo
  const settings = { provider: 'openai-compatible', url: `http://127.0.0.1:${port}/v1`, model: 'm' }
  const config = { servers: { mail }, search: { embeddings: settings }, models: { toolflow: settings } }
  rig = await openTestGate(folder, { policy: POLICY, config })
}
beforeEach(async () => {
  sent = []
  await new Promise<void>((done) => model.listen(0, '127.0.0.1', done))
  folder = mkdtempSync(join(tmpdir(), 'sluice-admitted-'))
  await open()
})
afterEach(async () => {
  await rig.opened.close()
  await new Promise((done) => model.close(done))
  rmSync(folder, { recursive: true, force: true })
})

const rowOf = (name: string) => rig.gate.catalogue.tools(ADMIN).find(({ row }) => row.definition.name === name)?.row
/** Admits the first tool with a title and a schema, then lets the server list other tools. */
async function change(): Promise<void> {
  await rig.call('mail__become', { tools: [become] })
  await until(() => rowOf('become')?.definition.title === become.title)
  await rig.gate.catalogue.admit(ADMIN, 'mail__become', rowOf('become')?.definition_hash ?? '')
  expect(await rig.call('mail__become', { tools: [changed, added] })).toMatchObject({ status: 'executed' })
  await until(() => rowOf(added.name) !== undefined)
}

/** Everything a model can be shown by any caller's key. */
async function modelsRead(): Promise<string> {
  const texts: unknown[] = []
  for (const caller of [AGENT, USER, ADMIN]) {
    texts.push(listTools(rig.ports, caller, 'passthrough', 'old'), listTools(rig.ports, caller, 'passthrough', 'new'))
    for (const query of [EVIL, `${EVIL} title description`, 'become something']) {
      texts.push(await rig.gate.catalogue.search(caller, query, 50))
      texts.push(await runToolflow(rig.ports, caller, { user_prompt: query, top_k: 5 }))
    }
    texts.push(rig.gate.catalogue.card(caller, 'mail__become', true))
  }
  texts.push(rig.gate.catalogue.tools(AGENT).map(({ row, ...more }) => [row.tool_id, more]))
  texts.push(await rig.call('mail__become', { tools: [] }), await rig.call('mail__become', {}))
  texts.push(await rig.call(`mail__${added.name}`, {}))
  return JSON.stringify([texts, sent])
    .replaceAll(`mail__${EVIL}_tool`, '')
    .replaceAll(`"${EVIL} title description"`, '')
    .replaceAll(`"${EVIL}"`, '')
}

describe('until a definition is admitted', () => {
  test('no model reads any of it, and models see the admitted definition instead', async () => {
    await change()
    const read = await modelsRead()
    expect(read).not.toContain(EVIL)
    const [listed] = (listTools(rig.ports, AGENT, 'passthrough', 'new')?.tools ?? []).filter(
      ({ name }) => name === 'mail__become',
    )
    expect(listed).toEqual({ ...become, name: 'mail__become' })
    const found = await rig.gate.catalogue.search(AGENT, 'become something')
    expect(found).toMatchObject({ value: [{ skill_id: 'mail__become', title: become.title }] })
    expect(rig.gate.catalogue.card(AGENT, 'mail__become', true)).toMatchObject({
      value: { purpose: 'as listed first' },
    })
  })

  test('the same holds after a restart, before its server has listed anything', async () => {
    await change()
    await rig.opened.close()
    await open({ ...server, args: ['-e', 'process.exit(1)'] })
    expect(rowOf('become')?.definition.title).toBe(changed.title)
    expect(await modelsRead()).not.toContain(EVIL)
  })

  test('a new tool is not listed for agents and has no card, and a call to it is held', async () => {
    await change()
    const id = `mail__${added.name}`
    expect(rig.gate.catalogue.tool(AGENT, id)).toBeUndefined()
    expect(rig.gate.catalogue.card(AGENT, id, true)).toMatchObject({ problem: { code: 'tool.unknown' } })
    expect(rig.gate.catalogue.card(ADMIN, id, true)).toMatchObject({ problem: { code: 'tool.unadmitted' } })
    const refused = await rig.call(id, {})
    expect(refused).toMatchObject({ status: 'refused', problem: { code: 'call.args_invalid' } })
    expect(JSON.stringify(refused)).not.toContain(`${EVIL}_key`)
    expect(pendingOf(await rig.call(id, { [`${EVIL}_key`]: 'x' })).evidence[0]).toMatchObject({
      rule: 'definition.new',
    })
  })

  test('arguments are checked against the schema that was shown, and people see both', async () => {
    await change()
    const held = pendingOf(await rig.call('mail__become', { tools: [] }))
    const packet = await rig.gate.approvals.read(APPROVER, held.approval_id)
    expect(packet).toMatchObject({
      value: {
        title: become.title,
        definition: {
          status: 'changed',
          before: { definition: become },
          after: { hash: rowOf('become')?.definition_hash, definition: { description: `${EVIL} description` } },
        },
      },
    })
    const paths = packet.ok ? packet.value.definition?.changes.map(({ path }) => path) : []
    expect(paths).toEqual(expect.arrayContaining(['/description', '/title', '/inputSchema/required/0']))
    const own = await rig.gate.approvals.read(USER, held.approval_id)
    expect(JSON.stringify(own)).not.toContain(EVIL)
  })

  test('approvers and admins can read both texts; agents and users cannot', async () => {
    await change()
    expect(rig.gate.catalogue.review(APPROVER, `mail__${added.name}`)).toMatchObject({ value: { status: 'new' } })
    for (const caller of [AGENT, USER])
      expect(rig.gate.catalogue.review(caller, 'mail__become')).toMatchObject({ problem: { code: 'auth.forbidden' } })
  })

  test('only the shown hash can be admitted; after that models read the new definition', async () => {
    await change()
    const old = rowOf('become')?.admitted?.hash ?? ''
    expect(await rig.gate.catalogue.admit(ADMIN, 'mail__become', old)).toMatchObject({
      problem: { code: 'tool.hash_differs' },
    })
    await rig.gate.catalogue.admit(ADMIN, 'mail__become', rowOf('become')?.definition_hash ?? '')
    const shown = listTools(rig.ports, AGENT, 'passthrough', 'new')
    expect(JSON.stringify(shown)).toContain(`${EVIL} description`)
    // Icons and _meta are not part of a definition, so they are not passed on.
    expect(JSON.stringify(shown)).not.toContain(`data:${EVIL}`)
  })
})
