import type { ModelServer } from '../../agent/test/model-server.suite.ts'
import { APPROVER, approveShown, until } from '../../../../test/helpers/with-gate.ts'
import { clerk } from './clerk.suite.ts'
import type { WorkflowRig } from './with-workflows.suite.ts'

const STEPS = '- { type: tool, tool: book__note_again, argsTemplate: { text: "never" } }'

/** The same answer to the same question, so that a process that continues after another one gets the same answers. */
export const sayTurn: ModelServer['say'] = ({ purpose, messages }) => {
  const word = JSON.stringify(messages).includes('note two') ? 'two' : 'one'
  if (purpose === 'plan') return { text: '["write the note"]' }
  if (purpose === 'propose') return { tool: 'book__note_again', args: { text: `note ${word}` } }
  return { text: `Written: ${word}.` }
}

async function say(rig: WorkflowRig, id: string, text: string): Promise<void> {
  const message = { agent: 'clerk', room: '!office:test', sender: '@boss:test', directed: true }
  await until(async () => {
    const taken = await rig.transport.say({ ...message, id, text })
    return taken !== 'later' && taken[0]?.is === 'turn'
  })
}

export const sentWith = (rig: WorkflowRig, part: string): number =>
  rig.effects().filter((line) => line.startsWith('sent ') && line.includes(part)).length

export const QUESTION = 'Answer RETRY, SKIP or CANCEL'

/**
 * A person says something to the agent, which answers. The person is not verified, so the call needs an approval; if a kill made
 * it unknown whether the call ran, the person is asked and says that it is enough.
 */
export async function carryTurn(rig: WorkflowRig, word: 'one' | 'two'): Promise<void> {
  await rig.apply(clerk(STEPS))
  await say(rig, word, `please write the note ${word}`)
  await until(async () => {
    const { items } = await rig.gate.approvals.list(APPROVER, 'pending', { limit: 10 })
    for (const { approval_id } of items) await approveShown(rig.gate, APPROVER, approval_id)
    if (sentWith(rig, QUESTION) > 0) await say(rig, 'skip', 'SKIP')
    return sentWith(rig, `Written: ${word}.`) > 0
  })
}
