import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GUESTS } from '../../../main/guests.ts'
import { type Ran } from '../../../../test/helpers/host-command.ts'
import { run, startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

/** Some guest checks policies. */
const hasLint = GUESTS.some(({ policyCheck }) => policyCheck !== undefined)

const DRAFT = `preset: careful
rules:
  - { id: notes-run, effect: allow, match: { tool: book__note }, says: notes are harmless }
  - { id: failing-runs, effect: allow, match: { tool: book__fails }, says: quite harmless }
`
const CASES = `- name: notes are asked about
  tool: { id: book__note, effects: [write], risk: medium }
  call: { args: { text: x } }
  verdict: ask
- name: reads run
  tool: { id: book__look, effects: [read], risk: low }
  verdict: allow
`
const SHADOWED = `rules:
  - { id: all, effect: block, match: { server: book }, says: nothing }
  - { id: some, effect: ask, match: { tool: book__note }, says: something }
`

/** Trying values does not show it; a solver does, where one is installed. */
const NEVER = `rules:
  - id: never
    effect: allow
    match: { tool: book__note }
    when: args.text.startsWith("a") && args.text.startsWith("b")
    says: never
`

function write(folder: string): void {
  mkdirSync(join(folder, 'cases/deep'), { recursive: true })
  writeFileSync(join(folder, 'draft.yaml'), DRAFT)
  writeFileSync(join(folder, 'shadowed.yaml'), SHADOWED)
  writeFileSync(join(folder, 'broken.yaml'), DRAFT.replace('careful', 'carefull'))
  writeFileSync(join(folder, 'cases/deep/book.yaml'), CASES)
}

describe('with a running gate', () => {
  let gate: RunningGate & { stop(): Promise<void> }
  let agent = ''
  let approver = ''
  beforeAll(async () => {
    gate = await startGate()
    agent = await gate.key('agent', 'a', 'ana')
    approver = await gate.key('approver', 'bob')
    write(gate.folder)
    for (const [tool, args] of [
      ['book__look', {}],
      ['book__note', { text: 'x' }],
      ['book__wipe', { text: 'x' }],
    ])
      await gate.http('POST', '/v1/calls', agent, { tool, args })
  })
  afterAll(() => gate.stop())
  const lines = ({ out }: Ran) => out.trimEnd().split('\n')

  test('`show` prints the rules in force in words, with their positions', async () => {
    const { out, code } = await gate.cli('policy', 'show')
    expect(out).toContain('block if the tool is book__wipe: nobody wipes the book  [no-wiping,')
    expect(out).toContain('allow if the risk is low: it only reads  [careful.low, preset careful]')
    expect(code).toBe(0)
  })

  test('`test` runs the cases of a folder against the policy in force; if one fails, it exits with 1 and prints its line', async () => {
    expect(await gate.cli('policy', 'test', 'cases')).toMatchObject({ code: 0 })
    const failed = await gate.cli('policy', 'test', 'cases', '--with', 'draft.yaml')
    expect(failed.code).toBe(1)
    expect(lines(failed).slice(0, 2)).toEqual([
      'FAIL cases/deep/book.yaml:1: notes are asked about',
      '  expected ask, got allow by notes-run',
    ])
  })

  test('a case may name a tool of the catalogue by its id', async () => {
    const cases = [{ file: 'c.yaml', text: '- { name: wipe, tool: book__wipe, verdict: block }' }]
    expect(await gate.http('POST', '/v1/policies/test', approver, { cases })).toMatchObject({
      status: 200,
      body: { passed: 1, failed: 0 },
    })
    const unknown = [{ file: 'c.yaml', text: '- { name: wipe, tool: book__nothing, verdict: block }' }]
    expect(await gate.http('POST', '/v1/policies/test', approver, { cases: unknown })).toMatchObject({
      status: 400,
      body: { code: 'policy.cases_invalid' },
    })
  })

  test.runIf(hasLint)('lint finds a misspelt tool, also in a whole configuration', async () => {
    const misspelt = `rules:\n  - { id: no-notes, effect: block, match: { tool: book__nota }, says: no notes }\n`
    writeFileSync(join(gate.folder, 'misspelt.yaml'), misspelt)
    writeFileSync(join(gate.folder, 'whole.yaml'), `servers: {}\npolicy:\n  ${misspelt.replaceAll('\n', '\n  ')}\n`)
    for (const [file, line] of [
      ['misspelt.yaml', 2],
      ['whole.yaml', 4],
    ]) {
      const found = await gate.cli('policy', 'lint', String(file))
      expect(found.code).toBe(1)
      expect(lines(found)[0]).toBe(
        `unlisted ${file}:${line}: \`no-notes\` names \`book__nota\`, which no tool server lists; did you mean \`book__note\`?`,
      )
    }
  })

  test.runIf(hasLint)('lint shows a call for each finding and ends with 1', async () => {
    expect(await gate.cli('policy', 'lint')).toMatchObject({ code: 0 })
    const found = await gate.cli('policy', 'lint', 'shadowed.yaml')
    expect(found.code).toBe(1)
    expect(found.out).toContain('unreachable shadowed.yaml:3: `some` has no effect: `all` decides')
    expect(found.out).toContain('"tool":"book__note"')
  })

  test('a draft with a mistake is refused with its line, everywhere', async () => {
    for (const words of [
      ['lint', 'broken.yaml'],
      ['test', 'cases', '--with', 'broken.yaml'],
      ['diff', 'broken.yaml'],
      ['replay', '--with', 'broken.yaml'],
    ]) {
      const { code, err } = await gate.cli('policy', ...words)
      expect(code).toBe(1)
      expect(err).toContain('broken.yaml:1:9: `carefull` is not a known value')
    }
  })

  test('replay judges the recorded calls again, and nothing runs', async () => {
    const { out, code } = await gate.cli('policy', 'replay', '--with', 'draft.yaml', '--since', '1d')
    expect(code).toBe(0)
    expect(out).toContain('3 calls since')
    expect(out).toContain('3 judged again')
    expect(out).toContain('would change: 1 block → ask, 1 ask → allow')
    expect(out).toMatch(/looser: .* book__note: ask \(simple\) by careful.medium → allow by notes-run/)
    expect(out).not.toContain('NOT REPLAYABLE')
    const { body } = await gate.http('GET', '/v1/approvals', approver)
    expect(body['items']).toHaveLength(1)
  })

  test('diff shows rules, cases and calls side by side', async () => {
    const { out, code } = await gate.cli('policy', 'diff', 'draft.yaml', '--cases', 'cases')
    expect(code).toBe(0)
    expect(out).toContain('+ notes-run: allow: notes are harmless (draft.yaml:3)')
    expect(out).toContain('- no-wiping: block')
    expect(out).toContain('    says: "harmless" → "quite harmless"')
    expect(out).toContain('notes are asked about: ask (simple) by careful.medium → allow by notes-run, FAILS')
    expect(out).toContain('would change: 1 block → ask, 1 ask → allow')
  })

  test('invalid arguments are usage errors', async () => {
    expect(await gate.cli('policy', 'test', 'nowhere')).toMatchObject({ code: 64 })
    expect(await gate.cli('policy', 'replay', '--with', 'draft.yaml', '--since', 'soon')).toMatchObject({ code: 64 })
    expect(await gate.cli('policy', 'replay')).toMatchObject({ code: 64 })
  })

  test('an unknown field is refused', async () => {
    const body = { policy: { file: 'x', text: 'preset: careful' }, sudo: true }
    for (const path of ['test', 'lint', 'replay', 'diff'])
      expect(await gate.http('POST', `/v1/policies/${path}`, approver, body)).toMatchObject({
        status: 400,
        body: { code: 'request.invalid' },
      })
  })
})

describe('without a gate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-offline-'))
  beforeAll(() => write(folder))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('`test` works on files, says so, and leaves nothing behind', async () => {
    const before = readdirSync(folder)
    const passed = await run(folder, ['policy', 'test', 'cases/deep/book.yaml'])
    expect(passed).toMatchObject({ code: 0, err: expect.stringContaining('no gate is running here') as string })
    expect(passed.out).toContain('2 cases against the default policy')
    expect(await run(folder, ['policy', 'test', 'cases', '--with', 'draft.yaml'])).toMatchObject({ code: 1 })
    expect(readdirSync(folder)).toEqual(before)
  })

  test.runIf(hasLint)('lint works on files, and leaves nothing behind', async () => {
    const before = readdirSync(folder)
    expect(await run(folder, ['policy', 'lint', 'draft.yaml', '--offline'])).toMatchObject({ code: 0, err: '' })
    const found = await run(folder, ['--json', 'policy', 'lint', 'shadowed.yaml'])
    expect(found.code).toBe(1)
    expect(JSON.parse(found.out)).toMatchObject({ findings: [{ kind: 'unreachable', rules: ['some', 'all'] }] })
    writeFileSync(join(folder, 'text.yaml'), NEVER)
    const proven = JSON.parse((await run(folder, ['--json', 'policy', 'lint', 'text.yaml'])).out) as { depth: string }
    expect(proven).toMatchObject(
      proven.depth === 'unproven'
        ? { findings: [] }
        : { findings: [{ kind: 'unreachable', rules: ['never'] }], open: 0 },
    )
    rmSync(join(folder, 'text.yaml'))
    expect(await run(folder, ['policy', 'lint', 'broken.yaml'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('policy.invalid') as string,
    })
    expect(readdirSync(folder)).toEqual(before)
  })

  test('the configured policy is the one that is tested, and no gate is started for it', async () => {
    const config = join(folder, 'other.yaml')
    writeFileSync(config, 'policy: ./draft.yaml\n')
    const tested = await run(folder, ['--config', config, 'policy', 'test', 'cases'])
    expect(tested.code).toBe(1)
    expect(tested.out).toContain('got allow by notes-run')
    expect(readdirSync(folder)).not.toContain('.sluice')
  })

  test('a named gate that does not answer is not replaced by another one', async () => {
    expect(await run(folder, ['--url', 'http://127.0.0.1:9', 'policy', 'lint', 'draft.yaml'])).toMatchObject({
      code: 69,
    })
  })
})
