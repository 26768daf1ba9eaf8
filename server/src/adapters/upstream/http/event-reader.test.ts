import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventReader, type ServerEvent } from './event-reader.ts'

const LIMIT = 64

function read(chunks: readonly Buffer[], limit = LIMIT) {
  const events: ServerEvent[] = []
  const overlong: string[] = []
  let endless = 0
  const reader = eventReader(limit, {
    event: (event) => void events.push(event),
    overlong: ({ head }) => void overlong.push(head),
    endless: () => void (endless += 1),
  })
  for (const chunk of chunks) reader.push(chunk)
  return { events, overlong, endless, last_id: reader.lastId(), retry_ms: reader.retryMs() }
}

const readText = (text: string) => read([Buffer.from(text)])

describe('server-sent events', () => {
  test('have names, data of several lines, ids and a time to wait; comments and unknown fields are ignored', () => {
    const text = ': hi\nevent: endpoint\ndata: /a\n\nid: 7\nretry: 250\nfoo: x\ndata:  two\ndata\ndata:lines\n\n'
    expect(readText(text)).toMatchObject({
      events: [
        { event: 'endpoint', data: '/a' },
        { event: 'message', data: ' two\n\nlines' },
      ],
      last_id: '7',
      retry_ms: 250,
    })
  })

  test('an event without data is ignored, and so is an incomplete one', () => {
    expect(readText('event: x\n\nid: 1\n\ndata: unfinished\n').events).toEqual([])
  })

  test('mean the same however their bytes arrive and with either line end', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll(/[\r\n\uFEFF]/g, ''))
    const cuts = fc.array(fc.nat(400), { maxLength: 12 })
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 6 }),
        cuts,
        fc.constantFrom('\n', '\r\n'),
        (lines, at, end) => {
          const bytes = Buffer.from(lines.map((data) => `data: ${data}${end}${end}`).join(''))
          const points = [0, ...at.map((point) => point % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
          const chunks = points.slice(1).map((point, index) => bytes.subarray(points[index], point))
          expect(read(chunks, 4_096).events.map(({ data }) => data)).toEqual(lines)
        },
      ),
    )
  })

  test('one over the limit is reported as such, in one line or in many, and the next is read as usual', () => {
    for (const long of [`data: ${'x'.repeat(500)}\n\n`, `${'data: xxxxxxxx\n'.repeat(20)}\n`]) {
      const { events, overlong, endless } = readText(`${long}data: short\n\n`)
      expect([events, overlong.length, endless]).toEqual([[{ event: 'message', data: 'short' }], 1, 0])
      expect(overlong[0]).toMatch(/^x+$/)
    }
  })

  test('an endless one is reported once, and nothing is read afterwards', () => {
    const chunks = Array.from({ length: 30 }, () => Buffer.alloc(LIMIT, 'x'))
    expect(read([Buffer.from('data: '), ...chunks, Buffer.from('\n\ndata: more\n\n')])).toMatchObject({
      events: [],
      endless: 1,
    })
  })
})
