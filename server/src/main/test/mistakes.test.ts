import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { checkConfig, checkPolicy } from '../doctor/check-config.ts'

type Case = {
  readonly name: string
  readonly yaml: string
  readonly line: number
  readonly says: readonly string[]
  /** Secrets that must not appear in the output. */
  readonly not?: string
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-mistakes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const cases = parse(readFileSync(join(import.meta.dirname, 'mistakes.yaml'), 'utf8')) as readonly Case[]

async function findingsOf(yaml: string): Promise<string> {
  const file = join(folder, 'sluice.yaml')
  writeFileSync(file, yaml)
  const { settings, findings } = await checkConfig(file)
  const policy = settings === undefined ? [] : await checkPolicy(settings)
  return [...findings, ...policy]
    .filter(({ severity }) => severity === 'error')
    .map(({ says, do: remedy }) => `${says}\n  → ${remedy}`)
    .join('\n')
}

describe('a mistake in sluice.yaml', () => {
  test('there are at least forty cases', () => expect(cases.length).toBeGreaterThanOrEqual(40))

  test.each(cases)('$name', async ({ yaml, line, says, not }) => {
    const findings = await findingsOf(yaml)
    for (const words of says) expect(findings).toContain(words)
    expect(findings).toMatch(new RegExp(`line ${line}\\b|:${line}:`))
    if (not !== undefined) expect(findings).not.toContain(not)
  })

  test('two mistakes are both reported', async () => {
    const findings = await findingsOf('lisen: {}\nservers:\n  mail:\n    command: 5\n')
    expect(findings).toContain('lisen (line 1)')
    expect(findings).toContain('servers.mail.command (line 4)')
  })

  test('in the environment is reported with the name of the variable, beside those of the file', async () => {
    process.env['SLUICE_LISTEN_PORT'] = '70000'
    try {
      const findings = await findingsOf('data: 7\n')
      expect(findings).toContain('listen.port (SLUICE_LISTEN_PORT)')
      expect(findings).toContain('data (line 1)')
      process.env['SLUICE_LISTEN_PORT'] = '7421'
      process.env['SLUICE_LISTEN_PROT'] = '7421'
      expect(await findingsOf('')).toContain('did you mean `SLUICE_LISTEN_PORT`?')
    } finally {
      delete process.env['SLUICE_LISTEN_PORT']
      delete process.env['SLUICE_LISTEN_PROT']
    }
  })
})
