import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { HealthEvidence } from './health-evidence.ts'
import { Serenity } from './serenity.ts'
import { openSerenity } from './open-serenity.ts'

let folder = ''
let warnings: string[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-serenity-'))
  mkdirSync(join(folder, 'logs'))
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const opened = (section: object | undefined, environment: Record<string, string> = {}) =>
  openSerenity(section === undefined ? undefined : Serenity.parse(section), folder, environment, (level, says) => {
    if (level === 'warn') warnings.push(says)
  })
async function evidence(section: object, environment: Record<string, string> = {}): Promise<HealthEvidence> {
  const result = await opened(section, environment)
  if (!result.ok || result.value === undefined) throw new Error(JSON.stringify(result))
  return result.value
}
const put = (name: string, text: string) => writeFileSync(join(folder, 'logs', name), text)

test('without a section there is no evidence', async () => {
  expect(await opened(undefined)).toEqual({ ok: true, value: undefined })
})

describe('the environment', () => {
  test.each([
    [{ ENV: 'test' }, 'BLOCK', undefined],
    [{}, undefined, /test mode/],
    [{ ENV: 'prod' }, undefined, /test mode/],
    [{ ENV: 'dev' }, undefined, /test mode/],
  ])('%j: a forced BLOCK is %j', async (environment, forced, warning) => {
    const { forced: found } = await evidence({}, { ...environment, TRINITY_TOOLFLOW_FORCE_DECISION: 'block' })
    expect(found).toBe(forced)
    if (warning === undefined) expect(warnings).toEqual([])
    else expect(warnings).toEqual([expect.stringMatching(warning)])
  })

  test('an unknown forced word is ignored with a warning, even in test mode', async () => {
    const { forced } = await evidence({}, { ENV: 'test', TRINITY_TOOLFLOW_FORCE_DECISION: 'GO' })
    expect([forced, warnings.length]).toEqual([undefined, 1])
  })

  test('without a section nothing is forced, and a warning says so', async () => {
    await opened(undefined, { ENV: 'test', TRINITY_TOOLFLOW_FORCE_DECISION: 'AUTO_RUN' })
    expect(warnings).toEqual([expect.stringMatching(/`serenity`/)])
  })

  test.each([
    ['5', 300_000, 0],
    ['0.5', 30_000, 0],
    ['0', 3_600_000, 1],
    ['-5', 3_600_000, 1],
    ['NaN', 3_600_000, 1],
    ['Infinity', 3_600_000, 1],
    ['soon', 3_600_000, 1],
  ])('a greatest age of %s minutes is %i ms', async (minutes, ms, warned) => {
    const { max_age_ms } = await evidence({}, { TRINITY_TOOLFLOW_MAX_SCORE_AGE_MINUTES: minutes })
    expect([max_age_ms, warnings.length]).toEqual([ms, warned])
  })

  test('the risk provider is turned off by 1 and by nothing else', async () => {
    writeFileSync(join(folder, 'risk.mjs'), 'export const ask = () => 3')
    const section = { risk_provider: { module: './risk.mjs' } }
    expect((await evidence(section, { TRINITY_TOOLFLOW_DISABLE_AUTO_RISK: '1' })).risk).toBeUndefined()
    expect(await (await evidence(section, { TRINITY_TOOLFLOW_DISABLE_AUTO_RISK: '0' })).risk?.ask({})).toBe(3)
  })
})

describe('health files', () => {
  test('do not exist in a folder that does not exist', async () => {
    expect(await (await evidence({ log_dir: 'elsewhere' })).files()).toEqual([])
  })

  test('that cannot be listed are unknown', async () => {
    writeFileSync(join(folder, 'plain'), '')
    expect(await (await evidence({ log_dir: 'plain' })).files()).toBeUndefined()
  })

  test('are those with the right name and no others', async () => {
    for (const name of ['trinity_health_1.json', 'trinity_health_.json', 'trinity_health_1.json.tmp', 'health.json'])
      put(name, '{}')
    const files = (await (await evidence({})).files()) ?? []
    expect(files.map(({ name }) => name).toSorted()).toEqual(['trinity_health_.json', 'trinity_health_1.json'])
  })

  test('that are links, folders or huge are not read', async () => {
    put('real', '{"overall_trinity_score": 99}')
    symlinkSync(join(folder, 'logs', 'real'), join(folder, 'logs', 'trinity_health_link.json'))
    mkdirSync(join(folder, 'logs', 'trinity_health_dir.json'))
    put('trinity_health_huge.json', ' '.repeat(1_048_577))
    const files = (await (await evidence({})).files()) ?? []
    const faults = files.map(({ name, text, fault }) => `${name} ${text ?? fault}`).toSorted()
    expect(faults).toEqual([
      'trinity_health_dir.json is not a file',
      'trinity_health_huge.json is too large',
      'trinity_health_link.json is a link',
    ])
  })

  test('are the same object until they change, even if only their content does', async () => {
    put('trinity_health_1.json', '{"overall_trinity_score": 91}')
    const { files } = await evidence({})
    const [first] = (await files()) ?? []
    expect((await files())?.[0]).toBe(first)
    put('trinity_health_1.json', '{"overall_trinity_score": 19}')
    utimesSync(join(folder, 'logs', 'trinity_health_1.json'), new Date(), new Date((first?.changed_at ?? 0) + 1_000))
    expect((await files())?.[0]?.text).toBe('{"overall_trinity_score": 19}')
  })
})

describe('a provider', () => {
  let server: Server
  let url = ''
  const asked: { authorization?: string | undefined; body: string }[] = []
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        asked.push({ authorization: request.headers.authorization, body })
        if (request.url === '/says') response.end('{"decision":"ASK"}')
        else if (request.url === '/fails') response.writeHead(500).end('{"decision":"AUTO_RUN"}')
        else if (request.url === '/moved') response.writeHead(302, { location: '/says' }).end()
        else if (request.url === '/huge') response.end(JSON.stringify({ decision: 'x'.repeat(70_000) }))
        else if (request.url === '/garbage') response.end('AUTO_RUN')
        // `/silent` is never answered.
      })
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  test('at a URL is sent the question with its secret, and named without it', async () => {
    writeFileSync(join(folder, 'key'), 'Bearer s3cret\n')
    const { gate } = await evidence({ gate_provider: { url: `${url}/says`, headers: { authorization: 'file:key' } } })
    expect(await gate?.ask({ skill_id: 's__t' })).toEqual({ decision: 'ASK' })
    expect(asked.at(-1)).toEqual({ authorization: 'Bearer s3cret', body: '{"skill_id":"s__t"}' })
    expect(gate?.source).toBe(`serenity.gate_provider (${url}/says)`)
  })

  test.each(['/fails', '/moved', '/huge', '/garbage', '/silent'])('at %s gives no answer', async (path) => {
    const { gate } = await evidence({ gate_provider: { url: `${url}${path}` }, provider_timeout_ms: 300 })
    await expect(gate?.ask({}).catch(() => undefined)).resolves.toBeUndefined()
  })

  test.each([
    [
      'export const ask = async (question) => ({ decision: "BLOCK", of: question.skill_id })',
      { decision: 'BLOCK', of: 't' },
    ],
    ['export default () => 7', 7],
    ['export const ask = () => { throw new Error("no") }', undefined],
    ['export const ask = async () => { throw new Error("no") }', undefined],
    ['export const ask = () => undefined', undefined],
    ['export const ask = () => 1n', undefined],
    ['export const ask = () => new Promise(() => {})', undefined],
  ])('that is the module `%s` answers %j', async (text, answer) => {
    writeFileSync(join(folder, 'provider.mjs'), text)
    const { risk } = await evidence({ risk_provider: { module: './provider.mjs' }, provider_timeout_ms: 50 })
    expect(await risk?.ask({ skill_id: 't' })).toEqual(answer)
  })

  test.each([
    ['a module that is not there', { module: './absent.mjs' }, /cannot be loaded/],
    ['a module without the function', { module: './empty.mjs' }, /exports no function/],
    [
      'a secret that is absent',
      { url: 'http://127.0.0.1:1/', headers: { authorization: 'file:absent' } },
      /the secret is missing/,
    ],
  ])('with %s is rejected at the start', async (_, gate_provider, says) => {
    writeFileSync(join(folder, 'empty.mjs'), '')
    const result = await opened({ gate_provider })
    expect(result).toMatchObject({ ok: false, problem: { code: 'config.invalid' } })
    expect(JSON.stringify(result)).toMatch(says)
  })
})
