import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Demo, DemoGreeting } from '../../adapters/cli/demo.ts'

const TEMPLATE = join(import.meta.dirname, import.meta.url.endsWith('.ts') ? 'servers' : '../demo')
const WELCOME = `This is the only folder that the files server may access.
Ask for a change: it is held until you approve it. Ask for a file outside: it is blocked.
`

/** The demo's folder, visible and editable: a configuration, a folder for files, an outbox. Existing files are not changed. Whether it wrote the configuration. */
function write(folder: string): boolean {
  const file = resolve(folder, 'sluice.yaml')
  if (existsSync(file)) return false
  mkdirSync(join(folder, 'files'), { recursive: true })
  writeFileSync(join(folder, 'files/welcome.txt'), WELCOME)
  const text = readFileSync(join(TEMPLATE, 'sluice.yaml'), 'utf8')
  writeFileSync(
    file,
    text.replaceAll(/\{\{(outbox|files)\}\}/g, (_, name: string) => scriptOf(name)),
  )
  return true
}

/** In a checkout the sources run directly; a published package contains the compiled files. */
function scriptOf(name: string): string {
  const source = join(TEMPLATE, `${name}.ts`)
  return existsSync(source) ? source : join(TEMPLATE, `${name}.js`)
}

const DAY_S = 86_400

/**
 * Prints a key for the console, one for an agent, and three commands to try. Keys are stored only as digests, so each start
 * creates new ones.
 */
async function greet({ create, url, command }: DemoGreeting): Promise<string> {
  const made = await create({ kind: 'agent', name: 'demo', ttl_s: DAY_S })
  const person = await create({ kind: 'approver', name: 'demo-person', ttl_s: DAY_S })
  const lines = [
    '',
    ...(person.ok
      ? [`decide in the browser at ${url}`, `log in with the key     ${person.value.key}   (for a day)`, '']
      : []),
    `an agent connects to    ${url}/mcp`,
    ...(made.ok ? [`with the key            ${made.value.key}   (for a day)`] : []),
    '',
    'try it from another terminal, in this folder:',
    `  ${command} call outbox__list_messages                     # a read: runs`,
    `  ${command} call outbox__send_message '{"to":"ana@example.com","subject":"hi","body":"hello"}'   # held`,
    `  ${command} approvals --watch                              # pending requests and why: press a to approve`,
    '',
    'rules and tool servers are in sluice-demo/sluice.yaml; you can change both while the gate is running',
  ]
  return `${lines.join('\n')}\n`
}

export const demoGate: Demo = { write, greet }
