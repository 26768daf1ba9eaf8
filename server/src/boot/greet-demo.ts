import type { Gate } from '../commands/gate.ts'
import type { Caller } from '../contract/caller.ts'

const DAY_S = 86_400

/** What a newcomer needs: a key for an agent, and three commands. Keys are kept as digests only, so each start makes a new one. */
export async function greetDemo(gate: Gate, url: string, by: Caller): Promise<string> {
  const made = await gate.identity.createCredential(by, { kind: 'agent', name: 'demo', ttl_s: DAY_S })
  const lines = [
    '',
    `an agent connects to    ${url}/mcp`,
    ...(made.ok ? [`with the key            ${made.value.key}   (for a day)`] : []),
    '',
    'try it from another terminal, in this folder:',
    '  npx sluice call outbox__list_messages                     # a read: runs',
    `  npx sluice call outbox__send_message '{"to":"ana@example.com","subject":"hi","body":"hello"}'   # held`,
    '  npx sluice approvals --watch                              # what waits, and why: press a to approve',
    '',
    'rules and servers are in sluice-demo/sluice.yaml; change them while the gate runs',
  ]
  return `${lines.join('\n')}\n`
}
