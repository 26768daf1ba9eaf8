import { expect, test } from 'vitest'
import { cutStructured, repeatsStructured, outputText } from './interpret.ts'

const mark = (size: number) => ` [cut ${size}]`

test('only the longest strings are cut, and each cut string states its original size', () => {
  const cut = cutStructured({ name: 'a.txt', size: 9_000, content: 'x'.repeat(9_000) }, 2_000, mark)
  expect(cut).toEqual({ name: 'a.txt', size: 9_000, content: `${'x'.repeat(1_000)} [cut 9000]` })
})

test('many long strings are cut shorter, until the whole content fits', () => {
  const cut = cutStructured({ pages: Array.from({ length: 20 }, () => 'y'.repeat(5_000)) }, 4_000, mark)
  expect(JSON.stringify(cut).length).toBeLessThanOrEqual(4_000)
})

test('content that is large without long strings cannot be cut', () => {
  expect(cutStructured({ numbers: Array.from({ length: 5_000 }, (_, n) => n) }, 1_000, mark)).toBeUndefined()
})

test('no character is cut in half', () => {
  const cut = cutStructured({ text: `${'x'.repeat(999)}😀${'x'.repeat(9_000)}` }, 2_000, mark) as { text: string }
  expect(cut.text.isWellFormed()).toBe(true)
})

test('a text that repeats the structured content, as JSON or as one of its strings, counts once', () => {
  const structuredContent = { content: 'z'.repeat(6_000) }
  expect(repeatsStructured(structuredContent.content, structuredContent)).toBe(true)
  expect(repeatsStructured(JSON.stringify(structuredContent, null, 2), structuredContent)).toBe(true)
  expect(repeatsStructured('something else', structuredContent)).toBe(false)
  const block = (text: string) => ({ content: [{ type: 'text', text }], structuredContent })
  expect(outputText(block(structuredContent.content))).toBe(structuredContent.content)
  expect(outputText(block('another text')).length).toBeGreaterThan(6_000)
})

test('a text does not repeat structured content that contains much more', () => {
  const structuredContent = { title: 'short', body: 'b'.repeat(5_000) }
  const text = outputText({ content: [{ type: 'text', text: 'short' }], structuredContent })
  expect(text).toBe(JSON.stringify(structuredContent))
})
