import type { Gate } from '../../main/gate.ts'
import type { Caller } from '../../kernel/contract/caller.ts'

const DAY_S = 86_400

/**
 * Prints a key for the console, one for an agent, and three commands to try. Keys are stored only as digests, so each start
 * creates new ones.
 */
export async function greetDemo(gate: Gate, url: string, by: Caller, command: string): Promise<string> {
  const made = await gate.identity.createCredential(by, { kind: 'agent', name: 'demo', ttl_s: DAY_S })
  const person = await gate.identity.createCredential(
    by,
    { kind: 'approver', name: 'demo-person', ttl_s: DAY_S },
    'operator',
  )
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
