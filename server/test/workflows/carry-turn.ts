import type { ModelServer } from '../agent/model-server.ts'
import { APPROVER, approveShown, until } from '../gate/with-gate.ts'
import { clerk } from './clerk.ts'
import type { WorkflowRig } from './with-workflows.ts'

const STEPS = '- { type: tool, tool: book__note_again, argsTemplate: { text: "never" } }'

/** The same words for the same question: a process that goes on after another one hears what that one heard. */
export const sayTurn: ModelServer['say'] = ({ purpose, messages }) => {
  const word = JSON.stringify(messages).includes('note two') ? 'two' : 'one'
  if (purpose === 'plan') return { text: '["write the note"]' }
  if (purpose === 'propose') return { tool: 'book__note_again', args: { text: `note ${word}` } }
  return { text: `Written: ${word}.` }
}

/** A person says something to the agent, which answers. What nobody vouches for is approved on the way. */
export async function carryTurn(rig: WorkflowRig, word: 'one' | 'two'): Promise<void> {
  await rig.apply(clerk(STEPS))
  await until(async () => {
    const taken = await rig.transport.say({
      id: word,
      agent: 'clerk',
      room: '!office:test',
      sender: '@boss:test',
      directed: true,
      text: `please write the note ${word}`,
    })
    return taken !== 'later' && taken[0]?.is === 'turn'
  })
  await until(async () => {
    const pending = await rig.gate.approvals.list(APPROVER, 'pending', { limit: 10 })
    for (const { approval_id } of pending.items) await approveShown(rig.gate, APPROVER, approval_id)
    return rig.effects().some((line) => line.startsWith('sent ') && line.includes(`Written: ${word}.`))
  })
}
