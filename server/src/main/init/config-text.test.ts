import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { extendedConfigText } from './config-text.ts'

const mail = new Map([['mail', { command: 'npx', args: ['-y', 'mail'] }]])
const long = `says: ${'a long sentence that goes on '.repeat(8)}`

test('an extended file keeps every line it had', () => {
  const text = `# mine
listen:   { port: 1 }   # odd spaces
servers:
    # four columns
    files:
        command: "npx"    # quoted
        args: [ -y,   files ]   # the folder
# the policy comes last
policy:
  rules:
    - { id: a, effect: block, match: { tool: x__y }, ${long} }
`
  const extended = extendedConfigText(text, mail) ?? ''
  const lines = extended.split('\n')
  for (const line of text.split('\n')) expect(lines).toContain(line)
  expect(lines.length).toBe(text.split('\n').length + 5)
  expect(parse(extended)).toMatchObject({ servers: { files: { command: 'npx' }, mail: { command: 'npx' } } })
  expect(extended.indexOf('mail:')).toBeLessThan(extended.indexOf('# the policy comes last'))
})

test.each([
  ['', { mail: {} }],
  ['listen: { port: 1 } # only this\n', { mail: {} }],
  ['servers: {}\n', { mail: {} }],
  ['servers:\npolicy: {}\n', { mail: {} }],
  ['servers: { a: { command: x } }\n', { a: {}, mail: {} }],
  ['servers:\n  a:\n    command: x', { a: {}, mail: {} }],
  ['servers:\n  a: { command: x } # comment', { a: {}, mail: {} }],
])('%j is extended', (text, servers) => {
  const extended = extendedConfigText(text, mail) ?? ''
  expect(Object.keys((parse(extended) as { servers: object }).servers)).toEqual(Object.keys(servers))
  if (text.includes('#')) expect(extended).toContain(/#.*/.exec(text)?.[0])
})

test('servers that are not a map are not changed', () => {
  expect(extendedConfigText('servers: [a]\n', mail)).toBeUndefined()
})
