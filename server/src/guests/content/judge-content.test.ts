import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import type { ContentSettings } from './section.ts'
import type { Tool, ToolEffect } from '../../kernel/contract/tool.ts'
import { argRules } from './rules/built-in.suite.ts'
import { scanArgs } from './scan-args.ts'
import type { DataReach } from './data-destination.ts'
import { judgeContent } from './judge-content.ts'
import { compilePolicy } from '../../kernel/policy/compile-policy.ts'
import { callWith, neutralFacts, strictness, toolWith } from '../../kernel/decide/neutral-facts.suite.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the policy compiles')
const policy = compiled.value

// Assembled at run time, so that secret scanners do not report this file.
const SECRET = ['ghp', 'q7RzT2mKx9Lw4Vb8Nc1Yd6Hf3Js5Gp0AeUiO'].join('_')
const CARD = ['4111', '1111', '1111', '1111'].join(' ')
const HERE: DataReach = { server: 'local', files: 'unknown' }

type TestTool = {
  readonly effects?: readonly ToolEffect[]
  readonly settings?: Partial<ContentSettings>
  readonly reach?: DataReach
  readonly properties?: JsonObject
  readonly name?: string
  readonly description?: string
  readonly from?: Tool['effects_from']
}

function toolOf({
  effects = ['write'],
  properties = { body: {}, to: {}, list: {} },
  name = 't',
  description,
  from = 'inferred',
}: TestTool): Tool {
  const tool = toolWith(properties, effects)
  const definition = { ...tool.row.definition, name, ...(description === undefined ? {} : { description }) }
  return {
    ...tool,
    effects_from: from,
    row: {
      ...tool.row,
      definition,
      admitted: { hash: tool.row.definition_hash, definition, at: 0, by: 'first-listing' },
    },
  }
}

function judge(args: Json, changes: TestTool = {}) {
  const facts = neutralFacts(toolOf(changes))
  const content = {
    ...facts.content,
    reach: changes.reach ?? HERE,
    scan: scanArgs(args, argRules),
    ...changes.settings,
  }
  return judgeContent(policy, callWith(args), { ...facts, content })
}

const effectOf = (args: Json, changes: TestTool = {}) =>
  judge(args, changes).map(({ effect, strength, rule }) => [effect, strength, rule])
const BLOCKED = [['block', undefined, 'content.secret']]
const ASKED = [['ask', 'strong', 'content.secret']]
const PERSONAL = [['ask', 'simple', 'content.pii']]

describe('a secret', () => {
  test('that would leave the machine is blocked, naming its type and place', () => {
    for (const effects of [['external'], ['write', 'external'], ['privileged']] as const)
      expect(effectOf({ body: SECRET }, { effects })).toEqual(BLOCKED)
    expect(judge({ body: `token: ${SECRET}` }, { effects: ['external'] })).toMatchObject([
      { says: expect.stringMatching(/^`\/body` contains a secret \(API_TOKEN\)/) as string },
    ])
  })

  test('sent to a remote server leaves the machine, even as the argument of a read', () => {
    const reach: DataReach = { server: 'remote', files: 'unknown' }
    for (const effects of [['read'], ['write']] as const)
      expect(effectOf({ body: SECRET }, { effects, reach })).toEqual(BLOCKED)
  })

  test.each<[string, TestTool]>([
    ['a field for an address', { properties: { url: {} } }],
    ['a field of that format', { properties: { target: { type: 'string', format: 'uri' } } }],
    ['its name', { name: 'web_search', properties: { query: {} } }],
    ['its description', { name: 'look', description: 'Searches the internet', properties: { query: {} } }],
  ])('in a tool that only fetches leaves too: recognized by %s', (_, changes) => {
    const [field = ''] = Object.keys(changes.properties ?? {})
    const text = field === 'query' ? SECRET : `https://x.test/?q=${SECRET}`
    expect(effectOf({ [field]: text }, { effects: ['read'], ...changes })).toEqual(BLOCKED)
  })

  test('in the address of a read leaves, whatever the tool is called', () => {
    for (const reach of [HERE, { server: 'local', files: 'local' } as const])
      expect(effectOf({ path: `http://x.test/${SECRET}` }, { effects: ['read'], reach })).toEqual(BLOCKED)
    expect(effectOf({ body: `https://x.test/${SECRET}` }, { effects: ['read'] })).toEqual(BLOCKED)
  })

  test('is asked about in a read from an unknown place, and not in a read of local files', () => {
    expect(effectOf({ body: SECRET }, { effects: ['read'] })).toEqual(ASKED)
    expect(effectOf({ body: SECRET }, { effects: ['read'], from: 'configured' })).toEqual([])
    expect(effectOf({ path: SECRET }, { effects: ['read'], properties: { path: {} } })).toEqual([])
    expect(effectOf({ body: SECRET }, { effects: ['read'], reach: { server: 'local', files: 'local' } })).toEqual([])
  })

  test('in a local write needs strong approval', () => {
    for (const effects of [['write'], ['write', 'destructive']] as const)
      expect(effectOf({ body: SECRET }, { effects })).toEqual(ASKED)
  })

  test('in a field declared for a credential is asked about, even when it leaves', () => {
    const effects = ['external'] as const
    const declared: TestTool = { effects, properties: { password: { type: 'string', format: 'password' } } }
    expect(effectOf({ password: SECRET }, declared)).toEqual(ASKED)
    expect(effectOf({ password: 'x', body: SECRET }, declared)).toEqual(BLOCKED)
    // The format on another name declares nothing, and neither does the name without the format.
    expect(effectOf({ comment: SECRET }, { effects, properties: { comment: { format: 'password' } } })).toEqual(BLOCKED)
    expect(effectOf({ password: SECRET }, { effects, properties: { password: {} } })).toEqual(BLOCKED)
    const settings = { credentials: ['/keys/*/value'] }
    expect(effectOf({ keys: [{ value: SECRET }] }, { effects, settings })).toEqual(ASKED)
    expect(effectOf({ keys: [{ other: SECRET }] }, { effects, settings })).toEqual(BLOCKED)
  })

  test('is handled as the operator configured', () => {
    expect(effectOf({ body: SECRET }, { settings: { secrets: 'block' } })).toEqual(BLOCKED)
    expect(effectOf({ body: SECRET }, { effects: ['external'], settings: { secrets: 'ask' } })).toEqual(ASKED)
    expect(effectOf({ body: `${CARD} ${SECRET}` }, { settings: { secrets: 'off', pii: 'off' } })).toEqual([])
  })
})

describe('personal data', () => {
  test('is asked about where it is written or sent', () => {
    expect(effectOf({ body: 'write to ana@corp.org' })).toEqual(PERSONAL)
    expect(judge({ list: ['x', `card ${CARD}`] })).toMatchObject([
      { says: expect.stringMatching(/^`\/list\/1` contains a payment card number/) as string },
    ])
    expect(effectOf({ body: CARD }, { settings: { pii: 'off' } })).toEqual([])
  })

  test('in a read is asked about only in a network address, or when it is a payment or identity number', () => {
    const changes: TestTool = { effects: ['read'], properties: { url: {} }, name: 'fetch' }
    expect(effectOf({ email: 'ana@corp.org' }, changes)).toEqual([])
    expect(effectOf({ url: 'https://x.test/?who=ana%40corp.org' }, changes)).toEqual(PERSONAL)
    expect(effectOf({ query: CARD }, changes)).toEqual(PERSONAL)
    expect(effectOf({ url: 'http://93.184.216.34/index.html' }, changes)).toEqual([])
  })

  test.each([
    'from 127.0.0.1 or 10.1.2.3, 172.16.5.5, 192.168.0.7 and 169.254.1.1',
    'see 192.0.2.4, 198.51.100.7 and 203.0.113.9',
    'at ::1, fe80::1, fd12:3456::1 and 2001:db8::8a2e:370:7334',
    'mac 00:1B:44:11:3A:B7',
    'version 8.8.4.4, v1.2.3.4, release 23.4.5.6 and lib==1.2.3.4',
    'app-9.8.7.6.tar.gz',
  ])('is not: %s', (body) => {
    expect(judge({ body })).toEqual([])
  })

  test('is an address that anybody can reach', () => {
    for (const body of ['ping 8.8.8.8', 'at 2606:4700:4700::1111', '::ffff:8.8.8.8'])
      expect(effectOf({ body })).toEqual(PERSONAL)
  })

  test('is not asked about in the version field', () => {
    expect(judge({ version: '8.8.4.4' })).toEqual([])
    expect(judge({ appVersion: '8.8.4.4' })).toEqual([])
  })
})

describe('text that the gate redacted', () => {
  test('is never written back, in any spelling', () => {
    const mark = '[REDACTED_API_TOKEN]'
    for (const body of [
      mark,
      `key = ${mark}\n`,
      encodeURIComponent(mark),
      Buffer.from(`k: ${mark}`).toString('base64'),
      mark.slice(0, 14),
    ])
      for (const effects of [['write'], ['external'], ['destructive'], ['privileged']] as const)
        expect(effectOf({ body }, { effects })).toContainEqual(['block', undefined, 'content.redacted'])
    expect(effectOf({ [`${mark}_2`]: 1 })).toContainEqual(['block', undefined, 'content.redacted'])
  })

  test('may be searched for', () => {
    expect(effectOf({ body: '[REDACTED_EMAIL]' }, { effects: ['read'] })).toEqual([])
  })
})

describe('arguments', () => {
  test('that could not be searched need strong approval', () => {
    const facts = neutralFacts(toolOf({ effects: ['external'] }))
    const unknown = [{ effect: 'ask', strength: 'strong', rule: 'content.unknown' }]
    const content = { ...facts.content, scan: 'unknown' as const }
    expect(judgeContent(policy, callWith({}), { ...facts, content })).toMatchObject(unknown)
    const scan = { ...scanArgs({}, argRules), complete: false }
    expect(judgeContent(policy, callWith({}), { ...facts, content: { ...content, scan } })).toMatchObject(unknown)
  })

  test('with more findings than can be listed are judged by the strictest of them', () => {
    const list = Array.from({ length: 600 }, () => 'ana@corp.org')
    expect(effectOf({ list: [...list, SECRET] }, { effects: ['external'] })).toContainEqual(BLOCKED[0])
    expect(effectOf({ to: list }, { effects: ['external'] })).toEqual(PERSONAL)
  })
})

describe('laws', () => {
  test('no opinion quotes what was found, even when it is the name of a field', () => {
    const place = fc.constantFrom<(text: string) => Json>(
      (text) => ({ body: text }),
      (text) => ({ [text]: 'x' }),
      (text) => ({ list: [[{ deep: { [text]: text } }]] }),
    )
    fc.assert(
      fc.property(place, fc.constantFrom(SECRET, CARD), (put, text) => {
        const opinions = judge(put(`${text} `))
        expect(opinions.length).toBeGreaterThan(0)
        expect(JSON.stringify(opinions)).not.toContain(text.slice(0, 12))
      }),
    )
  })

  test('more content never loosens', () => {
    const text = fc.constantFrom('hello', SECRET, CARD, `key=${SECRET}`, 'ana@corp.org', '[REDACTED_JWT]')
    fc.assert(
      fc.property(fc.array(text), text, (some, more) => {
        expect(strictness(judge({ list: [...some, more] }))).toBeGreaterThanOrEqual(strictness(judge({ list: some })))
      }),
      { numRuns: 40 },
    )
  })
})
