import { describe, expect, test } from 'vitest'
import { plainJson } from './jsonc.ts'
import { editMembers } from './edit-json.ts'
import { editTables } from './edit-toml.ts'

const edit = (text: string, ...remove: string[]) =>
  editMembers(text, { at: ['mcpServers'], remove, add: { name: 'sluice', value: { command: 'node' } } }) ?? ''
const read = (text: string) => (JSON.parse(plainJson(text)) as { mcpServers: object }).mcpServers

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

  test('a TOML file keeps every other line', () => {
    const toml = `model = "x" # mine

# the files
[mcp_servers.files]
command = "npx" # yes

# the mail
[mcp_servers.mail]
command = "mail"
[mcp_servers.mail.env]
KEY = "1"

[tools]
web = true
`
    expect(editTables(toml, ['mail'], { command: 'node', args: ['a', 'b'] })).toBe(`model = "x" # mine

# the files
[mcp_servers.files]
command = "npx" # yes

[tools]
web = true

[mcp_servers.sluice]
command = "node"
args = ["a","b"]
`)
  })
})
