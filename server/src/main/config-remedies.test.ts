import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configSchema } from '../kernel/contract/config.ts'
import { readConfig } from '../kernel/contract/read-config.ts'
import { remedyFor } from './config-remedies.ts'
import { GUEST_OF_KEY } from './guest-of-key.ts'
import { GUESTS } from './guests.ts'

const READINGS: readonly [object, string][] = [
  [{ flows: {} }, 'flows: unknown key, no guest named `flows` is installed'],
  [
    { servers: { s: { command: 'x', sandbox: { roots: ['.'] } } } },
    'servers.s.sandbox: unknown key, no guest named `sandbox` is installed',
  ],
  [
    { servers: { s: { command: 'x', tools: { t: { content: {} } } } } },
    'servers.s.tools.t.content: unknown key, no guest named `content` is installed',
  ],
  [{ approval: {} }, 'approval: unknown key, did you mean `approvals`?'],
]
test.each(READINGS)('without guests, %j is rejected with the name of the missing guest', (value, says) => {
  const read = readConfig(configSchema([]), value, undefined, remedyFor)
  expect(read.ok ? 'read' : read.problem.about['paths']).toBe(says)
})

const ofThisBuild = Object.entries(GUEST_OF_KEY).filter(([, guest]) => GUESTS.some(({ name }) => name === guest))
test.each(ofThisBuild)(
  'without its guest, `%s` is a mistake that names `%s`, whose README explains both',
  (key, guest) => {
    const value = key
      .replaceAll('*', 'x')
      .split('.')
      .reduceRight((below: object, name) => ({ [name]: below }), {})
    const read = readConfig(configSchema([]), value, undefined, remedyFor)
    expect(read.ok ? 'read' : read.problem.about['paths']).toContain(`no guest named \`${guest}\` is installed`)
    const readme = readFileSync(join(import.meta.dirname, '../guests', guest, 'README.md'), 'utf8')
    expect(readme).toMatch(new RegExp(`\\b${key.split('.').at(-1) ?? ''}\\b`))
    expect(readme).toMatch(/^\*\*Without it\*\*/m)
  },
)
