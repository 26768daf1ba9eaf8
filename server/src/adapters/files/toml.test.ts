import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editTables, readToml, tomlKey, tomlServers, tomlValue } from './toml.ts'

describe('TOML', () => {
  test('is read in every notation', () => {
    const text = `\uFEFFtop = 1_000 # c
dotted.key."a b" = 'x\\y'
[mcp_servers]
inline = { command = "a", env = { K = "1" }, }
[mcp_servers.a]
command = "x" # c
args = [
  "-y", # with a comment ]
  'raw\\n',
]
env.KEY = "v = # 1"
when = 1979-05-27 07:32:00Z
text = """
one \\
   two "quoted"
[mcp_servers.no]
"""
num = -0.5e3
esc = "\\u00e9\\t\\""
[mcp_servers."b c"]
url = "https://x"
[mcp_servers.a.tools.search]
approval_mode = "approve"
[[list]]
a = 1
[[list]]
a = 2
[list.sub]
b = true
`.replaceAll('\n', '\r\n')
    expect(readToml(text)).toEqual({
      top: 1000,
      dotted: { key: { 'a b': 'x\\y' } },
      mcp_servers: {
        inline: { command: 'a', env: { K: '1' } },
        a: {
          command: 'x',
          args: ['-y', 'raw\\n'],
          env: { KEY: 'v = # 1' },
          when: '1979-05-27T07:32:00.000Z',
          text: 'one two "quoted"\r\n[mcp_servers.no]\r\n',
          num: -500,
          esc: 'é\t"',
          tools: { search: { approval_mode: 'approve' } },
        },
        'b c': { url: 'https://x' },
      },
      list: [{ a: 1 }, { a: 2, sub: { b: true } }],
    })
  })

  test.each([
    'a = ',
    'a = 1 b = 2',
    '[a',
    'a = 1\na = 2',
    '[a]\n[a]',
    'a = "x',
    'a = [1',
    'a.b = 1\na = 2',
    'a = "\\q"',
    '= 1',
    'a = {b = 1}\n[a]',
    'a = {b = 1}\n[a.c]',
    `a = ${'['.repeat(100_000)}`,
  ])('%.20s is rejected', (text) => expect(() => readToml(text)).toThrow())

  test('LAW: what is written is read again', () =>
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ unit: 'binary' }).filter((key) => key !== '__proto__'),
          fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean(), fc.array(fc.string())),
        ),
        (value) => {
          const text = `[mcp_servers.x]\n${Object.entries(value)
            .map(([key, each]) => `${tomlKey(key)} = ${tomlValue(each)}\n`)
            .join('')}`
          expect({ ...(tomlServers(text)['x'] as object) }).toEqual(value)
        },
      ),
    ))

  test('a server that is not written as a table is not removed, comments of the next table stay', () => {
    expect(editTables('[mcp_servers]\na = { command = "x" }\n', ['a'], { command: 'n' })).toBeUndefined()
    expect(editTables('mcp_servers.a.command = "x"\n', ['a'], { command: 'n' })).toBeUndefined()
    const text = 't = """\n[mcp_servers.a]\n"""\n[mcp_servers.a]\ncommand = "x"\n# about b\n[b]\nc = 1\n'
    expect(editTables(text, ['a'], { command: 'n' })).toBe(
      't = """\n[mcp_servers.a]\n"""\n# about b\n[b]\nc = 1\n\n[mcp_servers.sluice]\ncommand = "n"\n',
    )
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

  test.each([
    [
      'nested tables, lists of tables and quoted keys',
      '[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a.env]\nK = "1"\n[mcp_servers."a".tools.t]\nx = 1\n[mcp_servers."a.b"]\ncommand = "y"\n[[profiles]]\nn = 1\n[[profiles]]\nn = 2\n',
      '[mcp_servers."a.b"]\ncommand = "y"\n[[profiles]]\nn = 1\n[[profiles]]\nn = 2\n',
    ],
    [
      'tables on one line and dotted keys',
      'x.y = 1\nmcp_servers.b.command = "y"\n[mcp_servers.a]\nenv = { K = "]", L = { M = 1 } }\n[z]\nt = { u = [{ v = 1 }] }\n',
      'x.y = 1\nmcp_servers.b.command = "y"\n[z]\nt = { u = [{ v = 1 }] }\n',
    ],
    [
      'what only looks like a table',
      '[ mcp_servers . a ] # mine\nargs = [\n  "x", # [mcp_servers.b]\n[1],\n]\nt = """\n[mcp_servers.b]\n"""\n# kept\n[other]\nt = \'\'\'\n[mcp_servers.a]\'\'\'\n',
      "# kept\n[other]\nt = '''\n[mcp_servers.a]'''\n",
    ],
    [
      'dates, and numbers beyond those of JSON',
      '[mcp_servers.a]\ncommand = "x"\n[other]\nwhen = 2020-01-01\nbig = 9223372036854775807\nf = [inf, nan]\n',
      '[other]\nwhen = 2020-01-01\nbig = 9223372036854775807\nf = [inf, nan]\n',
    ],
  ])('keeps %s', (_, text, kept) => {
    const wanted = `${kept}\n[mcp_servers.sluice]\ncommand = "n"\n`
    expect(editTables(text, ['a'], { command: 'n' })).toBe(wanted)
    const windows = (each: string) => each.replaceAll('\n', '\r\n')
    expect(editTables(windows(text), ['a'], { command: 'n' })).toBe(windows(wanted))
  })

  test('takes seconds for a large file', () => {
    const lines = '[t]\nx = [\n[1],\n["a"]\n]\ns = """\n[y]\n"""\n'.replace('t', 't?')
    const text = Array.from({ length: 5_000 }, (_, at) => `# ${at}\n${lines.replace('?', String(at))}`).join('')
    const before = performance.now()
    expect(editTables(`${text}[mcp_servers.a]\n`, ['a'], { command: 'n' })).toContain('[t4999]')
    expect(performance.now() - before).toBeLessThan(10_000)
  })
})
