import { describe, expect, test } from 'vitest'
import type { UpstreamCall } from '../../kernel/ports/upstream.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { cancelMessage, idAtEnds, isMessageId, replyOf, requestMessage, type MessageId } from './messages.ts'
import { toolCall } from './our-request.ts'

const call = { server: 's', tool: 'a "tool"', canonical_args: '{"b":1}', idempotency_key: 'k', trace: 't' }

const answerOf = (server: string, message: JsonObject) => replyOf(server, message, toolCall(call, []))
const callMessage = (id: MessageId, made: UpstreamCall, envelope: JsonObject) =>
  requestMessage(id, toolCall(made, []), envelope)

describe('messages', () => {
  test('a call is one line of JSON that contains the canonical arguments unchanged', () => {
    const message = callMessage('s-7', { ...call, canonical_args: '{"n":1e+30,"s":"\\\\n"}' }, { v: '2026-07-28' })
    expect(message.indexOf('\n')).toBe(message.length - 1)
    expect(message).toContain('"arguments":{"n":1e+30,"s":"\\\\n"},')
    expect(JSON.parse(message)).toMatchObject({
      id: 's-7',
      params: { name: 'a "tool"', _meta: { v: '2026-07-28', 'sluice/idempotency-key': 'k', 'sluice/trace-id': 't' } },
    })
  })

  test('arguments with a line break are a bug', () => {
    for (const canonical_args of ['{}\n', '{"a":"\r"}'])
      expect(() => callMessage('s-1', { ...call, canonical_args }, {})).toThrow('line break')
  })

  test('a cancellation has the envelope only if there is one', () => {
    expect(JSON.parse(cancelMessage('s-1', 'timeout', {}))).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 's-1', reason: 'timeout' },
    })
    expect(JSON.parse(cancelMessage('s-1', 'timeout', { v: 1 }))).toMatchObject({ params: { _meta: { v: 1 } } })
  })

  test('only our own ids are ours', () =>
    expect(['s-1', 's-', 's-1x', 1, null, 'server-discover-probe-1', undefined].map(isMessageId)).toEqual([
      true,
      ...Array.from({ length: 6 }, () => false),
    ]))

  test('only the fields of a tool result are kept', () => {
    const result = { content: [], structuredContent: null, isError: false, _meta: {}, resultType: 'complete', extra: 1 }
    expect(answerOf('s', { id: 's-1', result })).toEqual({
      is: 'answered',
      result: { content: [], structuredContent: null, isError: false, _meta: {} },
    })
    expect(answerOf('s', { result: { structuredContent: { a: 1 } } })).toEqual({
      is: 'answered',
      result: { content: [], structuredContent: { a: 1 } },
    })
  })

  test('what is neither a result nor an error is lost, not rejected', () => {
    const bad = [{}, { result: {} }, { result: [] }, { result: { content: {} } }, { result: { content: [1] } }]
    const worse = [{ error: 'no' }, { result: { content: [], isError: 'no' } }, { result: { content: [], _meta: 1 } }]
    for (const message of [...bad, ...worse])
      expect(answerOf('s', message)).toEqual({ is: 'lost', problem: { code: 'tool.garbled', about: { server: 's' } } })
  })

  test('the id of an unreadable line is found only at its ends', () => {
    expect(idAtEnds('{"jsonrpc":"2.0","id":"s-12","result":{', '')).toBe('s-12')
    expect(idAtEnds('{ "id" : "s-3", "resu', '')).toBe('s-3')
    expect(idAtEnds('{"result":{"x', 'x"}},"jsonrpc":"2.0","id":"s-4"}')).toBe('s-4')
    expect(idAtEnds('', '"id":"s-5","jsonrpc":"2.0"}\r')).toBe('s-5')
    expect(idAtEnds('{"result":{"id":"s-6"', '"id":"s-6"},"id":9}')).toBeUndefined()
    expect(idAtEnds('{"result":"\\"id\\":\\"s-6\\"', '\\"id\\":\\"s-6\\"}')).toBeUndefined()
  })
})
