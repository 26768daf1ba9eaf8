import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { modern, rpc, sendRaw } from '../../../../test/helpers/send-raw.ts'

let gate: RunningGate & { stop(): Promise<void> }
let agent = ''
const policyFile = () => join(gate.folder, '.sluice/hub_flow_execution_policy.json')

beforeAll(async () => {
  gate = await startGate((folder) => {
    const typed = {
      command: 'node',
      args: [resolve(import.meta.dirname, '../../../../test/tool-servers/typed-outputs.ts')],
    }
    const effects = { effects: ['write'] }
    const tools = { plain: effects, object: effects, list: effects }
    mkdirSync(join(folder, '.sluice'), { recursive: true, mode: 0o700 })
    const config = { listen: { port: 0 }, mcp: { surface: 'passthrough' }, servers: { typed: { ...typed, tools } } }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
  })
  agent = await gate.key('agent', 'a', 'ana')
})
afterAll(() => gate.stop())

type Result = Record<string, unknown> & { tools?: { name: string; outputSchema?: object }[] }
async function ask(
  era: 'old' | 'new',
  method: string,
  params: Record<string, unknown> = {},
  path = '/mcp',
): Promise<Result> {
  const { body } = await sendRaw(
    gate,
    agent,
    era === 'new' ? { path, ...modern(method, params) } : { path, body: rpc(method, params) },
  )
  return body['result'] as Result
}
const called = (era: 'old' | 'new', tool: string) => ask(era, 'tools/call', { name: `typed__${tool}`, arguments: {} })
const namesOf = ({ tools = [] }: Result) => tools.map(({ name }) => name)

describe.each(['old', 'new'] as const)('in the %s era', (era) => {
  test('a held call is an error only if the client was shown an output schema', async () => {
    const { tools = [] } = await ask(era, 'tools/list')
    for (const tool of ['plain', 'object', 'list']) {
      const isTyped = tools.find(({ name }) => name === `typed__${tool}`)?.outputSchema !== undefined
      const { isError, structuredContent, _meta } = await called(era, tool)
      expect([tool, isError]).toEqual([tool, isTyped])
      expect((isTyped ? (_meta as Result)['sluice/outcome'] : structuredContent) as Result).toMatchObject({
        status: 'pending',
      })
    }
    expect((await called(era, 'object'))['isError']).toBe(true)
    expect((await called(era, 'plain'))['isError']).toBe(false)
  })

  test('a held call is never an error through the search tools, which have no output schema', async () => {
    const asked = { name: 'execute_skill_proxy', arguments: { skill_id: 'typed__object', args: {} } }
    const answer = await ask(era, 'tools/call', asked, '/mcp?surface=search')
    expect(answer).toMatchObject({ isError: false, structuredContent: { status: 'pending' } })
  })

  test('`flow_run` is listed only while flows are on', async () => {
    const lists = async () => [await ask(era, 'tools/list'), await ask(era, 'tools/list', {}, '/mcp?surface=search')]
    const isListed = async () => (await lists()).map((list) => namesOf(list).includes('flow_run'))
    const write = (policy: object) => writeFileSync(policyFile(), JSON.stringify(policy))
    write({})
    expect(await isListed()).toEqual([false, false])
    write({ flow_run_writes_enabled: true })
    expect(await isListed()).toEqual([true, true])
    write({ flow_run_writes_enabled: true, execution: { forbidden: true } })
    expect(await isListed()).toEqual([false, false])
  })
})

test('whether flows are on, and whether a model is configured, can be asked', async () => {
  const person = gate.key('user', 'ben', 'ben')
  const features = async () => (await gate.http('GET', '/v1/features', await person)).body
  writeFileSync(policyFile(), '{}')
  expect(await features()).toMatchObject({
    agent: { model: 'scripted' },
    flows: { runs: { on: false, code: 'FLOW_RUN_WRITES_DISABLED' }, execution: { on: false } },
  })
  writeFileSync(policyFile(), JSON.stringify({ flow_run_writes_enabled: true }))
  expect(await features()).toMatchObject({
    flows: { runs: { on: true }, execution: { on: false, code: 'FLOW_AUTOMATABLE_EXECUTION_DISABLED' } },
  })
})
