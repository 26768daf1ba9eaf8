import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkApprovers, doctor } from '../doctor/doctor.ts'
import { checks } from '../../guests/hub/checks.ts'
import { checkInForce } from '../doctor/check-in-force.ts'
import { askGate } from '../doctor/check-servers.ts'
import { loadConfig, type LoadedSettings } from '../load-config.ts'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import { run } from '../../../test/helpers/with-running-gate.ts'

let root = ''
const open: (() => void)[] = []
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'sluice-knows-'))))
afterEach(() => {
  for (const close of open.splice(0)) close()
  rmSync(root, { recursive: true, force: true })
})

function write(file: string, text: string | Buffer): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}
function settings(config: object): LoadedSettings {
  const loaded = loadConfig(write(join(root, 'sluice.yaml'), JSON.stringify(config)), true)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problem))
  return loaded.value
}
/** Something that answers in the place of a gate or a hub. */
async function listens(at: string | 0, answers: RequestListener): Promise<number> {
  const server = createServer(answers)
  await new Promise<void>((done) => server.listen(at === 0 ? { port: 0, host: '127.0.0.1' } : { path: at }, done))
  open.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? (address satisfies AddressInfo).port : 0
}
const data = () => join(root, '.sluice')
const socket = () => {
  mkdirSync(data(), { recursive: true, mode: 0o700 })
  return join(data(), 'gate.sock')
}
const said = (findings: readonly DoctorFinding[]) => findings.map(({ severity, says }) => `${severity}: ${says}`)

test('no line hedges: what is not known is said to be unknown', () => {
  const folder = join(import.meta.dirname, '../doctor')
  const hedged = readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => /probabl|maybe|perhaps|seem|likely|appears|presum|apparent|should be\b/i.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  )
  expect(hedged).toEqual([])
})

describe('the gate', () => {
  test('does not run only if nothing listens', async () => {
    expect(await askGate(data())).toMatchObject({
      runs: 'no',
      findings: [{ says: `no gate is running on this data folder: nothing listens on ${join(data(), 'gate.sock')}` }],
    })
    await listens(socket(), (_, response) => response.destroy())
    expect(await askGate(data())).toMatchObject({
      runs: 'unknown',
      findings: [
        { severity: 'error', says: expect.stringMatching(/^whether a gate is running is not known: /) as string },
      ],
    })
  })

  test('that breaks off is not taken for none: nothing is started beside it', async () => {
    settings({
      servers: { one: { command: 'node', args: ['-e', `require('fs').writeFileSync('${root}/started', '')`] } },
    })
    await listens(socket(), (_, response) => response.destroy())
    const { findings } = await doctor({ config: join(root, 'sluice.yaml') })
    expect(said(findings).join('\n')).toMatch(/error: whether a gate is running is not known/)
    expect(said(findings).join('\n')).not.toMatch(/usable|starts and lists/)
    expect(readdirSync(root)).not.toContain('started')
  })

  test('that refuses an answer is not taken for one without contents', async () => {
    await listens(socket(), ({ url }, response) => {
      response.statusCode = url === '/healthz' || url === '/readyz' ? 200 : 503
      response.end('{}')
    })
    const asked = await askGate(data())
    for (const what of ['servers', 'tools', 'runs'])
      expect(said(asked.findings)).toContain(
        `warning: it did not answer about its ${what} (status 503), so this was not checked`,
      )
    expect(said(asked.findings)).toContain('ok: running; its version is not known')
    const { config, ...rest } = settings({})
    expect(said(await checkApprovers(data(), config))).toEqual([expect.stringContaining('its keys (status 503)')])
    expect(said(await checkInForce({ config, ...rest }))).toEqual([
      expect.stringContaining('its settings (status 503)'),
    ])
  })

  test('with an identity provider: who can approve is not known here', async () => {
    const { config } = settings({})
    const oidc = [{}] as unknown as typeof config.auth.oidc
    expect(said(await checkApprovers(data(), { ...config, auth: { ...config.auth, oidc } }))).toEqual([
      'note: how many people can approve is not known here: an identity provider gives people their roles',
    ])
  })
})

describe('the hub', () => {
  const hubAt = (url: string) =>
    checks.findings?.(
      { ...settings({ hub: { url, key: 'file:key', node: 'n', public_keys: ['a'.repeat(64)] } }), env: process.env },
      true,
    )
  test.each([
    [
      'what is no JSON',
      (response: Parameters<RequestListener>[1]) => response.end('<p>'),
      /names no active key, as a hub does/,
    ],
    [
      'an error',
      (response: Parameters<RequestListener>[1]) => response.writeHead(502).end(),
      /answers with status 502/,
    ],
    ['nothing', (response: Parameters<RequestListener>[1]) => response.destroy(), /gave no answer here \(\S+\)/],
  ])('that answers with %s', async (_, answer, says) => {
    write(join(root, 'key'), 'slk_x')
    const port = await listens(0, (_request, response) => void answer(response))
    expect(said((await hubAt(`http://127.0.0.1:${port}`)) ?? [])).toEqual([expect.stringMatching(says)])
  })
})

test('a client file that cannot be read, and servers that init leaves, are named with the reason', async () => {
  const home = join(root, 'home')
  const bad = write(join(home, '.cursor/mcp.json'), '{ "mcpServers": ')
  write(
    join(home, '.gemini/settings.json'),
    JSON.stringify({
      mcpServers: { a: { command: 'a' }, b: { command: '${B:-x}' }, c: { command: 'c', disabled: true } },
    }),
  )
  const hooks = write(join(home, '.codex/hooks.json'), Buffer.from('{"a":"\xe4"}', 'latin1'))
  settings({})
  const { out } = await run(root, ['doctor'], '', { env: { HOME: home, XDG_CONFIG_HOME: '' } })
  expect(out).toContain(`${bad} is not valid JSON, so it is not known which servers it has`)
  expect(out).toMatch(/gemini is configured to reach `a` without the gate/)
  expect(out).toMatch(/gemini has `b` without the gate .* leaves it there: it uses `\$\{…\}`/)
  expect(out).not.toContain('`c`')
  expect(out).toContain(`whether codex has hooks is not known: ${hooks} cannot be read as text`)
})
