import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../kernel/contract/json.ts'
import { toolCall } from '../our-request.ts'
import { asHeader, requestHeaders } from './era-headers.ts'
import { mirrorsOf } from '../../../kernel/contract/mirrors.ts'

const MODERN = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
const schema = (properties: JsonObject): JsonObject => ({ type: 'object', properties })
const marked = (type: string, header = 'Region') => ({ type, 'x-mcp-header': header })

function headersFor(properties: JsonObject, args: object, envelope: JsonObject = MODERN) {
  const call = { server: 's', tool: 't', canonical_args: JSON.stringify(args), idempotency_key: 'k', trace: 't' }
  const mirrors = mirrorsOf(schema(properties))
  return requestHeaders(toolCall(call, typeof mirrors === 'string' ? [] : mirrors), envelope)
}

describe('headers of a call', () => {
  test('before 2026-07-28 there are none, whatever the tool wants', () =>
    expect(headersFor({ region: marked('string') }, { region: 'x' }, {})).toEqual({}))

  test('arguments are mirrored at any depth, absent ones and inexact numbers are left out', () => {
    const properties = {
      region: marked('string'),
      at: schema({ on: marked('boolean', 'On'), n: marked('integer', 'N') }),
      big: marked('integer', 'Big'),
      none: marked('string', 'None'),
    }
    const args = { region: 'eu', at: { on: false, n: 7 }, big: 2 ** 60, none: null }
    expect(headersFor(properties, args)).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 't',
      'mcp-param-region': 'eu',
      'mcp-param-on': 'false',
      'mcp-param-n': '7',
    })
  })

  test('what a header cannot contain is encoded, and nothing can start another header', () => {
    for (const text of ['', ' x', 'x ', 'é', 'a\r\nb: c', '\0', '=?base64?eA==?=']) {
      const encoded = asHeader(text)
      expect(encoded).toMatch(/^=\?base64\?[A-Za-z0-9+/=]*\?=$/)
      expect(Buffer.from(encoded.slice(9, -2), 'base64').toString()).toBe(text)
    }
    expect(asHeader('plain text\twith a tab')).toBe('plain text\twith a tab')
  })

  test('a tool whose mirrors are invalid must not be offered', () => {
    const faulty: JsonObject[] = [
      schema({ a: marked('number') }),
      schema({ a: marked('object') }),
      schema({ a: marked('string', 'no header') }),
      schema({ a: marked('string', '') }),
      schema({ a: marked('string', 'X'), b: marked('string', 'x') }),
      schema({ a: { type: 'array', items: marked('string') } }),
      { ...marked('string'), type: 'object' },
      { type: 'object', $defs: { a: marked('string') } },
      { type: 'object', anyOf: [schema({ a: marked('string') })] },
    ]
    for (const each of faulty) expect([each, typeof mirrorsOf(each)]).toEqual([each, 'string'])
    expect(mirrorsOf(schema({ a: { type: 'string' } }))).toEqual([])
  })
})
