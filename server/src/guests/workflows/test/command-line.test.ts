import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { IS_WHOLE, someOf } from '../../../../test/some-of.ts'
import { clerk } from './clerk.suite.ts'

let gate: RunningGate & { stop(): Promise<void> }
beforeAll(async () => {
  gate = await startGate()
})
afterAll(() => gate.stop())

const HELD = clerk(`
- type: tool
  tool: book__look
- type: tool
  tool: book__note
  argsTemplate: { text: "{{input.titles[0]}}" }
- type: branch
  when: [{ field: input.run_id, op: ">", value: 100, goto: last }]
- id: last
  type: persist
  key: last
  value: "{{input.run_id}}"
`)
const BROKEN = HELD.replace('type: persist', 'type: persits').replace('inputSchemaRef: request', 'inputSchemaRef: nope')
const INPUT = JSON.stringify({ run_id: 1, titles: ['from the command line'] })

const write = (name: string, text: string) => writeFileSync(join(gate.folder, name), text)
const workflow = (...words: readonly string[]) => gate.cli('workflow', ...words)

describe('sluice workflow', { timeout: 120_000 }, () => {
  test('validate names every mistake with file, line and column; graph and apply do nothing with such a document', async () => {
    write('clerk.yaml', HELD)
    write('broken.yaml', BROKEN)
    expect(await workflow('validate', 'clerk.yaml')).toMatchObject({
      code: 0,
      out: 'clerk.yaml: clerk is valid, 1 protocol\n',
    })
    const faults = await workflow('validate', 'broken.yaml')
    expect(faults.code).toBe(1)
    const lineOf = (piece: string) => BROKEN.slice(0, BROKEN.indexOf(piece)).split('\n').length
    const [first = '', second = ''] = faults.out.split('\n')
    expect(first).toMatch(
      new RegExp(
        `^broken\\.yaml:${lineOf('inputSchemaRef: nope')}:\\d+: workflow protocol clerk\\.file\\.v1: input schema ref nope not found`,
      ),
    )
    expect(second).toMatch(
      new RegExp(
        `^broken\\.yaml:${lineOf('type: persits')}:\\d+: workflow protocol clerk\\.file\\.v1, step 3: unknown step type "persits"`,
      ),
    )
    for (const command of ['graph', 'apply']) {
      const refused = await workflow(command, 'broken.yaml')
      expect(refused, command).toMatchObject({ code: 1, out: '' })
      expect(refused.err, command).toContain('unknown step type "persits"')
    }
    expect(await workflow('list')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^no documents; apply one with `\S*sluice workflow apply FILE`\n$/) as string,
    })
  })

  test.skipIf(!IS_WHOLE)('graph draws Mermaid with every case of a branch', async () => {
    const { code, out } = await workflow('graph', 'clerk.yaml')
    expect(code).toBe(0)
    expect(out).toMatch(/^%% clerk\nflowchart TD\n/)
    expect(out).toMatch(/p0_2 -->\|"input\.run_id #62; 100"\| p0_3/)
    expect(out).toMatch(/p0_2 -->\|"otherwise"\| p0_3/)
  })

  test.skipIf(!IS_WHOLE)('dry-run shows arguments and verdicts, and executes nothing', async () => {
    const { code, out } = await workflow('dry-run', 'clerk.yaml', '--input', INPUT)
    expect(code, out).toBe(0)
    expect(out).toContain('0  tool book__look  allow')
    expect(out).toContain('1  tool book__note  ask')
    expect(out).toContain('{"text":"from the command line"}')
    expect(out).toMatch(/nothing was executed\n$/)
    expect(await workflow('dry-run', 'clerk.yaml', '--input', '{"run_id":0,"titles":["x"]}')).toMatchObject({ code: 1 })
  })

  test('apply, run, watch: a run waits with exit code 2, and ends with 0 after the approval', async () => {
    expect((await workflow('apply', 'clerk.yaml')).out).toMatch(
      /^clerk version 1 is in force \(sha256 [0-9a-f]{12}\)\n$/,
    )
    expect((await workflow('apply', 'clerk.yaml')).out).toBe('clerk version 1 is already in force\n')
    const held = await workflow('run', 'clerk', '--input', INPUT)
    expect(held.code, held.out).toBe(2)
    const [, run = '', approval = ''] = /(run_\w+) {2}waiting, waits for approval (auth_\w+)/.exec(held.out) ?? []
    const approver = await gate.key('approver', 'bob')
    expect((await gate.approve(approval, approver)).status).toBe(200)
    let watched = await workflow('watch', run)
    for (let tries = 0; watched.code === 2 && tries < 100; tries += 1) watched = await workflow('watch', run)
    expect(watched.code, watched.out).toBe(0)
    expect(watched.out).toContain('2  branch  done')
    expect(watched.out).toContain(`${run}  done`)
    const json = await gate.cli('--json', 'workflow', 'watch', run)
    expect(JSON.parse(json.out)).toMatchObject({ run_id: run, status: 'done' })
  })

  test.skipIf(!IS_WHOLE)('diff, rollback and list', async () => {
    write('clerk.yaml', HELD.replace('key: last', 'key: newest'))
    await workflow('apply', 'clerk.yaml')
    const { out } = await workflow('diff', 'clerk')
    expect(out).toMatch(/^clerk: version 1 to 2, 1 lines added, 1 removed\n/)
    expect(out).toMatch(/^- +key: last$/m)
    expect(out).toMatch(/^\+ +key: newest$/m)
    expect((await workflow('rollback', 'clerk')).out).toMatch(/^clerk version 3 is in force/)
    const list = await workflow('list', 'clerk')
    expect(
      list.out
        .split('\n')
        .slice(1, 4)
        .map((line) => line.split(/\s+/).slice(0, 2).join(' ')),
    ).toEqual(['clerk 3', 'clerk 2', 'clerk 1'])
  })

  test.skipIf(!IS_WHOLE)('mistakes on the command line are named, and nothing happens', async () => {
    const mistakes = [
      [['validate', 'nowhere.yaml'], 64, '`nowhere.yaml` cannot be read'],
      [['rollback', 'clerk', '--to', 'first'], 64, 'is not the number of a version'],
      [['rollback', 'clerk', '--to', '99'], 1, 'no document, version, protocol or run has this name'],
      [['diff', 'nobody'], 1, 'no document, version, protocol or run has this name'],
      [['run', 'nobody', '--input', '{}'], 1, 'no document, version, protocol or run has this name'],
      [
        ['run', 'clerk', '--protocol', 'none', '--input', INPUT],
        1,
        'no document, version, protocol or run has this name',
      ],
      [['run', 'clerk', '--input', '{"run_id":'], 64, 'JSON'],
      [['watch', 'run_nobody'], 1, 'no document, version, protocol or run has this name'],
    ] as const
    for (const [words, code, says] of someOf(mistakes, 3)) {
      const ran = await workflow(...words)
      expect(ran.code, `${words.join(' ')}: ${ran.out}${ran.err}`).toBe(code)
      expect(ran.out + ran.err, words.join(' ')).toContain(says)
    }
    expect((await workflow('list', 'clerk')).out).toMatch(/^clerk +3 /m)
  })
})
