import { Writable } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { ESCAPES, FORGED_LINES, HOSTILE_TEXTS, looksOurs } from '../../../test/hostile-texts.ts'
import { withWaitNotice, terminalOut } from './terminal-out.ts'

function streamOf(isTTY: boolean) {
  let written = ''
  const keep = new Writable({
    write(chunk: Buffer, _, done) {
      written += chunk.toString()
      done()
    },
  })
  return { stream: Object.assign(keep, { isTTY, getColorDepth: () => 8 }), text: () => written }
}

describe('text for people', () => {
  test('is coloured on a terminal and plain elsewhere', () => {
    const [terminal, pipe] = [streamOf(true), streamOf(false)]
    terminalOut(terminal.stream, terminal.stream, false).line('held', 'held')
    terminalOut(pipe.stream, pipe.stream, false).line('held', 'held')
    expect(terminal.text()).toBe('\u001b[33mheld\u001b[39m\n')
    expect(pipe.text()).toBe('held\n')
  })

  test('is not wrapped on a terminal that reports no width', () => {
    const { stream, text } = streamOf(true)
    const long = 'a person must confirm it explicitly '.repeat(4).trim()
    const out = terminalOut(Object.assign(stream, { columns: 0 }), stream, false)
    out.line(long)
    expect(text()).toBe(`${long}\n`)
    expect(out.width).toBe(100)
  })

  test('cannot contain colours of its own', () => {
    const { stream, text } = streamOf(true)
    terminalOut(stream, stream, false).error('\u001b[32mapproved', 'bad')
    expect(text()).toBe('\u001b[31m\\u001b[32mapproved\u001b[39m\n')
  })

  test('with --json is the gate`s own answer: unchanged for a program, with escapes on a terminal', () => {
    const [terminal, pipe] = [streamOf(true), streamOf(false)]
    terminalOut(pipe.stream, pipe.stream, true).line('{"a":"\u202e"}', 'good')
    expect(pipe.text()).toBe('{"a":"\u202e"}\n')
    terminalOut(terminal.stream, terminal.stream, true).line('{"a":"\u202e"}', 'good')
    expect(terminal.text()).toBe('{"a":"\\u202e"}\n')
  })

  test.each(HOSTILE_TEXTS)('$name stays in its line, and in its frame', ({ text: hostile }) => {
    const { stream, text } = streamOf(true)
    const out = terminalOut(stream, stream, false)
    out.line(`  asked by ${hostile} for ana`)
    expect(text().split('\n')).toHaveLength(2)
    out.framed(hostile, { indent: 4, most: 12 })
    expect(looksOurs(text())).toBeUndefined()
    for (const line of text().split('\n').slice(1, -1)) expect(line).toMatch(/^ {4}(?:│ |· )/)
  })

  test('these tests detect hostile text that is printed unescaped', () => {
    for (const { text } of FORGED_LINES.filter(({ text: one }) => one.includes('\n')))
      expect(looksOurs(text)).toBeDefined()
    for (const { text } of ESCAPES) expect(looksOurs(text)).toBeDefined()
  })
})

test('the waiting time is shown, and is erased from the line when the answer arrives', async () => {
  const { stream, text } = streamOf(true)
  const reply = { status: 200, text: '', body: {} }
  vi.useFakeTimers()
  const slow = withWaitNotice(() => new Promise((done) => setTimeout(done, 1_200, reply)), stream)('GET', '/')
  await vi.advanceTimersByTimeAsync(1_200)
  vi.useRealTimers()
  expect(await slow).toBe(reply)
  expect(text()).toBe('\r… 1 s\r\u001b[K')
  expect(await withWaitNotice(() => Promise.resolve(reply), stream)('GET', '/')).toBe(reply)
  expect(text()).toBe('\r… 1 s\r\u001b[K')
})
