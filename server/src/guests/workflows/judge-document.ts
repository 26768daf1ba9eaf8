import type { Call } from '../../kernel/contract/call.ts'
import type { Opinion } from '../../kernel/contract/verdict.ts'
import { judgeCapabilities } from './capabilities.ts'
import { SEND_TOOL_ID } from '../../kernel/contract/message-tool.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import type { Policy } from '../../kernel/policy/policy.ts'

/**
 * What the document of a run says about its call. Only runs of documents may send messages, because only a document declares
 * where they may go.
 */
export function judgeDocument(_policy: Policy, call: Call, facts: Facts): Opinion[] {
  const document = call.by_run?.document
  const block = (rule: string, says: string, source: string): Opinion[] => [
    { decider: 'capabilities', effect: 'block', rule, says, source, at: facts.now },
  ]
  if (document === undefined)
    return call.tool_id === SEND_TOOL_ID
      ? block('messaging.no_document', 'only a run of a document may send messages', 'gate')
      : []
  const { capabilities } = facts
  if (capabilities === undefined || capabilities === 'unknown' || capabilities.document !== document)
    return block('capability.unknown', 'the document of this run could not be read', `document ${document}`)
  return [judgeCapabilities(capabilities, call, facts)]
}
