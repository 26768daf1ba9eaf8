import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editMembers, readJsonc } from './jsonc.ts'

const edit = (text: string, ...remove: string[]) =>
  editMembers(text, { at: ['mcpServers'], remove, add: { name: 'sluice', value: { command: 'node' } } }) ?? ''
const read = (text: string) => (readJsonc(text) as { mcpServers: object }).mcpServers

const COMMENTED = `{
  // my editor
  "theme":   "dark",
  "mcpServers": {
    // the files of the house
    "files": { "command": "npx", "args": [ "-y",  "files" ] }, // keep this one
    /* mail goes through the gate */
    "mail": {
      "command": "mail" // old
    },
    "notes": { "url": "https://notes.example" } /* last */
  },
  "font": 12,
}
`

describe('editing a client`s file', () => {
  test('keeps comments and formatting of what stays, and removes those of what is removed', () => {
    expect(edit(COMMENTED, 'mail')).toBe(`{
  // my editor
  "theme":   "dark",
  "mcpServers": {
    // the files of the house
    "files": { "command": "npx", "args": [ "-y",  "files" ] }, // keep this one
    "notes": { "url": "https://notes.example" }, /* last */
    "sluice": {
      "command": "node"
    }
  },
  "font": 12,
}
`)
  })

  test.each([
    ['the first', ['files'], ['mail', 'notes', 'sluice']],
    ['the last', ['notes'], ['files', 'mail', 'sluice']],
    ['two neighbours', ['mail', 'notes'], ['files', 'sluice']],
    ['all', ['files', 'mail', 'notes'], ['sluice']],
    ['none', [], ['files', 'mail', 'notes', 'sluice']],
  ])('removes %s', (_, remove, names) => {
    const text = edit(COMMENTED, ...remove)
    expect(Object.keys(read(text))).toEqual(names)
    expect(text).toContain('"theme":   "dark"')
    expect(text.includes('// keep this one')).toBe(!remove.includes('files'))
  })

  test('works on one line, on an empty object, with Windows line ends, and twice', () => {
    const one = '{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}},"z":1}'
    expect(edit(one, 'a')).toBe('{"mcpServers":{"b":{"command":"y"}, "sluice": {"command":"node"}},"z":1}')
    expect(Object.keys(read(edit(one, 'a', 'b')))).toEqual(['sluice'])
    expect(read(edit('{"mcpServers": {}}'))).toEqual({ sluice: { command: 'node' } })
    const windows = COMMENTED.replaceAll('\n', '\r\n')
    expect(edit(windows, 'mail')).toBe(edit(COMMENTED, 'mail').replaceAll('\n', '\r\n'))
    expect(edit(edit(COMMENTED, 'mail'), 'mail')).toBe(edit(COMMENTED, 'mail'))
  })

  test.each([
    [
      'a byte order mark',
      '\uFEFF{"mcpServers":{"a":1,"b":2}}',
      '\uFEFF{"mcpServers":{"b":2, "sluice": {"command":"node"}}}',
    ],
    [
      'tabs and trailing commas',
      '{\n\t"mcpServers": {\n\t\t"a": [1,],\n\t\t"b": {"x": 1,},\n\t},\n}\n',
      '{\n\t"mcpServers": {\n\t\t"b": {"x": 1,},\n\t\t"sluice": {\n\t\t\t"command": "node"\n\t\t}\n\t},\n}\n',
    ],
    [
      'brackets, commas and comments in texts and in comments',
      '{ // { "mcpServers": [\n  "mcpServers": {\n    "a": "}, // no", /* , } */\n    "b\\"}": "/*" // ]\n  }\n}',
      '{ // { "mcpServers": [\n  "mcpServers": {\n    "b\\"}": "/*", // ]\n    "sluice": {\n      "command": "node"\n    }\n  }\n}',
    ],
  ])('keeps %s', (_, text, wanted) => expect(edit(text, 'a')).toBe(wanted))

  test.each([
    ['a server is there twice', '{"mcpServers":{"a":1,"b":2,"\\u0061":3}}'],
    ['the map of servers is there twice', '{"mcpServers":{"a":1},"mcpServers":{"a":1}}'],
    ['the gate is there twice', '{"mcpServers":{"sluice":1,"sluice":2}}'],
    ['a comment of several lines begins after it', '{"mcpServers": {"a": 1, /* x\n y */ "b": 2,\n"c": 3}}'],
    ['there is no map of servers', '{"mcpServers":[]}'],
  ])('is refused if %s', (_, text) => expect(edit(text, 'a')).toBe(''))

  test('takes seconds for a large file', () => {
    const list = Array.from({ length: 50_000 }, (_, at) => `{ "n": ${at}, "t": "text" } // ${at}`).join('\n,')
    const text = `{"x": [${list}\n],\n"mcpServers": {"a": 1, "b": 2}}`
    const before = performance.now()
    expect(edit(text, 'a').endsWith('"mcpServers": { "b": 2, "sluice": {"command":"node"}}}')).toBe(true)
    expect(performance.now() - before).toBeLessThan(10_000)
  })
})

describe('JSON with comments', () => {
  test('LAW: JSON means the same', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(readJsonc(text)).toEqual(JSON.parse(text))
      }),
    ))

  test('no name has a special meaning, and of equal ones the last counts', () => {
    const read = readJsonc('\uFEFF// c\n{"__proto__": {"a": 1}, "constructor": 2, "k": 1, "k": -0.5e3,}/* */')
    expect(JSON.stringify(read)).toBe('{"__proto__":{"a":1},"constructor":2,"k":-500}')
  })

  test.each([
    ['', '{', '{"a": 1', '{"a" 1}', '{"a": 01}', '{a: 1}', "{'a': 1}", '{} x', '[,]', '[1,,]', '{,}', '{} /*', '"\t"'],
    ['['.repeat(100_000)],
  ])('%.20s is rejected', (...texts) => {
    for (const text of texts) expect(() => readJsonc(text)).toThrow()
  })
})
