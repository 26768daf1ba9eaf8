import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { dryRun } from '../dry-run.ts'
import { runDocument } from '../run-document.ts'
import { applyDocument } from '../apply-document.ts'
import { readWorkflowRun } from '../read-documents.ts'
import { startModelServer, type ModelServer } from '../../agent/test/model-server.suite.ts'
import { ADMIN, until } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { clerk, FILE } from './clerk.suite.ts'
import { openWorkflows, type WorkflowRig } from './with-workflows.suite.ts'

vi.setConfig({ testTimeout: 60_000 })
const folder = mkdtempSync(join(tmpdir(), 'sluice-engine-'))
let model: ModelServer
let rig: WorkflowRig
const config = () => ({
  models: {
    agent: { provider: 'openai-compatible', url: `${model.url}/v1`, model: 'test', price: { input: 1e6, output: 1e6 } },
  },
})
beforeAll(async () => {
  model = await startModelServer()
  rig = await openWorkflows(folder, { config: config() })
})
afterAll(async () => {
  await rig.close()
  await model.close()
  rmSync(folder, { recursive: true, force: true })
})

let runs = 100
/** Applies a document and carries out one run of it. */
async function run(steps: string, input: object = {}, more: Parameters<typeof clerk>[1] = {}) {
  await rig.apply(clerk(steps, more))
  runs += 1
  return rig.ended(await rig.say(FILE({ run_id: runs, titles: ['x'], ...input })))
}
const noted = () =>
  rig
    .effects()
    .filter((line) => line.startsWith('note_again '))
    .map((line) => (JSON.parse(line.slice('note_again '.length)) as { text: string }).text)
const NOTE = (text: string) =>
  `- type: tool\n  tool: book__note_again\n  argsTemplate: { text: ${JSON.stringify(text)} }`

describe('a loop', () => {
  test('whose steps only read runs in parallel and keeps the order of its items', async () => {
    await rig.apply(
      clerk(`
- id: found
  type: for_each
  itemsExpr: input.titles
  itemVar: title
  steps:
    - type: tool
      tool: book__find_note
      argsTemplate: { title: "{{title}}" }
- type: collect
  collectFrom: state.found
  collectMode: item
- type: tool
  tool: book__note_again
  argsTemplate: { text: "found {{output}} {{state.found[0].result.found}}" }`),
    )
    const started = await rig.say(FILE({ run_id: 1, titles: ['waits', 'b', 'c'] }))
    // The first item is not answered before the file is there; the others get past it.
    await until(async () => {
      const { steps } = valueOf(await readWorkflowRun(rig.ports, ADMIN, started, 0))
      return steps[0]?.items?.done === 2
    })
    writeFileSync(join(folder, 'effects.txt.go'), '')
    expect(await rig.ended(started)).toMatchObject({ status: 'done' })
    expect(noted().at(-1)).toBe('found ["waits","b","c"] false')
  })

  test('with effects runs its items one after the other, also inside another loop, and shows what it did', async () => {
    const view = await run(
      `
- type: for_each
  itemsExpr: input.rows
  itemVar: row
  steps:
    - type: for_each
      itemsExpr: row
      itemVar: cell
      steps:
        - type: tool
          tool: book__note_again
          argsTemplate: { text: "cell {{cell}} of {{row}}" }
- type: branch
  when: [{ field: output, op: exists, goto: last }]
${NOTE('jumped over')}
- id: last
  type: collect
  collectFrom: steps.step_0
  collectFlatten: true
  collectMode: result`,
      { rows: [[1, 2], [3]] },
    )
    expect(view).toMatchObject({ status: 'done' })
    expect(noted().slice(-3)).toEqual(['cell 1 of [1,2]', 'cell 2 of [1,2]', 'cell 3 of [3]'])
    expect(view.steps.map(({ number, status }) => `${number} ${status}`)).toEqual([
      '0 done',
      '0.0 done',
      '0.0.0 done',
      '1 done',
      '2 skipped',
      '3 done',
    ])
    expect(view.output).toHaveLength(3)
  })

  test('over a value that is missing or not a list stops before it acts', async () => {
    const loop = (expression: string) =>
      `- type: for_each\n  itemsExpr: ${expression}\n  steps:\n    - type: tool\n      tool: book__note_again\n      argsTemplate: { text: looped }`
    for (const expression of ['input.run_id', 'input.nothing'])
      expect(await run(loop(expression))).toMatchObject({ error: { code: 'template_unresolved', step: '0' } })
    expect(await run(loop('input.titles'), { titles: Array.from({ length: 11 }, String) })).toMatchObject({
      error: { code: 'limit_exceeded', says: '11 items, and maxIterations is 10' },
    })
    expect(noted()).not.toContain('looped')
  })
})

describe('models', () => {
  test('parse a text into its schema, plan, and are shown the errors of their earlier answers', async () => {
    model.asked.length = 0
    const answers = ['[]', '{"text":"read"}', '{"steps":[1,2]}']
    model.say = () => ({ text: answers[model.asked.length - 1] ?? '' })
    const view = await run(
      `
- type: parse_input
  source: "{{input.letter}}"
  outputSchemaRef: summary
  retries: 1
- type: plan
  prompt: "Plan {{output.text}}"
- type: tool
  tool: book__note_again
  argsTemplate: { text: "planned {{output.steps[1]}} {{steps.step_0.text}} {{steps.step_1.steps}}" }`,
      { letter: 'Dear {{secret:token}} {{input.run_id}}' },
    )
    expect(view).toMatchObject({ status: 'done', usage: { model_calls: 3 } })
    expect(model.asked[0]?.messages.at(-1)?.text).toContain('Dear {{secret:token}} {{input.run_id}}')
    expect(model.asked[1]?.messages.at(-1)?.text).toMatch(/Your answer 1 was refused: .*must be an object/)
    expect(noted().at(-1)).toBe('planned 2 read [1,2]')
  })

  test('an explicit 0 overrides the retries of the protocol', async () => {
    model.asked.length = 0
    model.say = () => ({ text: 'never JSON' })
    const view = await run(`- type: plan\n  prompt: Plan\n  retries: 0\n${NOTE('after a plan')}`)
    expect(view).toMatchObject({ error: { code: 'retries_exhausted', step: '0' }, usage: { model_calls: 1 } })
    expect(noted()).not.toContain('after a plan')
  })

  test('are bounded by tokens, requests and cost', async () => {
    const plan = '- type: plan\n  prompt: Plan'
    model.say = () => ({ text: '{}' })
    for (const limit of ['maxTokensPerRequest: 5', 'maxMonthlyCostUSD: 0.000001', 'maxRequestsPerMinute: 1']) {
      const head = `limits: { ${limit} }`
      await run(plan, {}, { head }).catch(() => undefined)
      const second = await run(plan, {}, { head }).catch((error: unknown) => String(error))
      expect(typeof second === 'string' ? second : JSON.stringify(second.error), limit).toContain(
        limit.slice(0, limit.indexOf(':')),
      )
    }
  })
})

describe('a tool', () => {
  test('whose output does not match its schema has run, is not repeated, and stops the run', async () => {
    const step = `- type: tool\n  tool: book__note_again\n  argsTemplate: { text: "unfit" }\n  outputSchemaRef: summary\n  retries: 3`
    expect(await run(`${step}\n${NOTE('after unfit')}`)).toMatchObject({ error: { code: 'schema_validation' } })
    expect(noted().filter((text) => text === 'unfit')).toHaveLength(1)
    expect(noted()).not.toContain('after unfit')
  })

  test('that fails is retried only if that is harmless', async () => {
    const calls = async (trace: string) =>
      (await rig.gate.audit.page(undefined, 1, 100_000)).filter(
        (entry) => entry.trace === trace && entry.type === 'call.started',
      ).length
    const again = await run(`- type: tool\n  tool: book__fails\n  argsTemplate: {}\n  retries: 2`)
    expect(again).toMatchObject({ error: { code: 'tool_failed' } })
    // It only reads.
    expect(await calls(again.trace)).toBe(3)
  })

  test('that the document requires and the gate does not have: the document is not applied', async () => {
    const text = clerk(NOTE('x'), { head: 'mcps: [{ name: nowhere, command: nothing }]' })
    expect(await applyDocument(rig.ports, ADMIN, text)).toMatchObject({
      problem: { code: 'workflow.server_missing', about: { servers: 'nowhere' } },
    })
    expect(await rig.apply(clerk(NOTE('x'), { head: 'mcps: [{ name: book, command: node }]' }))).toBeGreaterThan(0)
  })
})

describe('the store of a document', () => {
  test('outlives the process, keeps types, and is bounded', async () => {
    const value = { list: [1, 'two'], text: '{{state.x}} {{secret:y}}' }
    expect(await run('- type: persist\n  key: kept\n  value: "{{input.value}}"', { value })).toMatchObject({
      status: 'done',
    })
    await rig.close()
    rig = await openWorkflows(folder, { config: config() })
    runs += 1_000
    await rig.apply(clerk(NOTE('{{store.kept.list[1]}} {{store.kept}}')))
    expect(await rig.ended(await rig.say(FILE(), { id: 'after the restart' }))).toMatchObject({ status: 'done' })
    expect(noted().at(-1)).toBe(`two ${JSON.stringify(value)}`)
    await rig.apply(clerk('- type: persist\n  key: kept\n  value: "{{input.value}}"'))
    const long = FILE({ run_id: 1, titles: ['x'], value: 'x'.repeat(65_536) })
    expect(await rig.ended(await rig.say(long, { id: 'too long' }))).toMatchObject({
      error: { code: 'limit_exceeded' },
    })
  })

  test('has 256 keys: one more is an error, and existing keys can still be replaced', async () => {
    const text = (steps: readonly number[]) =>
      clerk(steps.map((n) => `- { type: persist, key: k${n}, value: "{{input.run_id}}" }`).join('\n')).replace(
        'name: clerk',
        'name: keeper',
      )
    const all = Array.from({ length: 257 }, (_, n) => n)
    const carryOut = async (steps: readonly number[]) => {
      await rig.apply(text(steps))
      const wanted = { protocol: 'clerk.file.v1', input: { run_id: 1, titles: ['x'] } }
      return rig.ended(valueOf(await runDocument(rig.ports, ADMIN, 'keeper', wanted)).run_id)
    }
    expect(await carryOut(all)).toMatchObject({ status: 'failed', error: { code: 'limit_exceeded', step: '256' } })
    expect(await carryOut([255, 0])).toMatchObject({ status: 'done' })
    expect(await carryOut([300])).toMatchObject({ status: 'failed', error: { code: 'limit_exceeded' } })
  })
})

describe('a dry run', () => {
  test('shows arguments and verdicts of every step, reads the store, and leaves nothing behind', async () => {
    const before = rig.effects().length
    const text = clerk(`
- type: persist
  key: dry
  value: "{{input.run_id}}"
- type: tool
  tool: book__note
  argsTemplate: { text: "{{store.dry}} {{store.kept.list}}" }
- type: tool
  tool: book__wipe
  argsTemplate: { text: x }
- type: send_message
  targetAlias: boss
  payloadTemplate: "{{steps.step_0}}"
- type: tool
  tool: book__note_again
  argsTemplate: { text: "{{input.nothing}}" }`)
    const dry = valueOf(await dryRun(rig.ports, ADMIN, text, { input: { run_id: 5, titles: ['x'] } }))
    expect(dry.steps.map(({ step, verdict }) => `${step} ${verdict?.effect ?? ''}`)).toEqual([
      '0 ',
      '1 ask',
      '2 block',
      '3 allow',
    ])
    expect(dry.steps[1]?.args).toEqual({ text: '5 [1,"two"]' })
    expect(dry.stopped).toMatchObject({ code: 'template_unresolved', step: '4' })
    expect(rig.effects()).toHaveLength(before)
    expect(rig.transport.sent).toHaveLength(0)
    await rig.apply(clerk(NOTE('{{store.dry}}')))
    expect(await rig.ended(await rig.say(FILE(), { id: 'nothing was stored' }))).toMatchObject({
      error: { code: 'template_unresolved' },
    })
  })
})
