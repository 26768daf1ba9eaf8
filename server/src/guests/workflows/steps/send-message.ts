import { z } from 'zod'
import { isForNow } from '../../../kernel/attempt/describe-call.ts'
import { listIn, mapIn, textIn } from '../raw-document.ts'
import { SEND_TOOL_ID } from '../../../kernel/contract/message-tool.ts'
import { FIELDS, stepType } from './step-type.ts'
import { filledText } from './model-work.ts'

const SendMessage = z.strictObject({
  type: z.literal('send_message'),
  ...FIELDS.common,
  targetAlias: z.string().min(1).max(64),
  payloadTemplate: FIELDS.text.min(1, 'a message is not empty'),
})

/** Sends a message to a room that the document names. */
export const sendMessage = stepType(SendMessage, {
  check({ step, path }, where, located) {
    const alias = textIn(step, 'targetAlias')
    const targets = listIn(mapIn(located.value, 'messaging'), 'allowedTargets')
    if (alias === undefined || targets.some((target) => textIn(target, 'alias') === alias)) return []
    return [
      located.at(
        [...path, 'targetAlias'],
        `${where}: unknown targetAlias \`${alias}\`; messaging.allowedTargets does not name it`,
      ),
    ]
  },
  texts: ['payloadTemplate'],
  says: ({ type, targetAlias }) => `${type} to ${targetAlias}`,
  isFree: () => false,
  work: {
    does: 'send',
    isCall: true,
    template: ({ payloadTemplate }) => ({ text: payloadTemplate }),
    details: ({ targetAlias }, { filled, state }) => ({
      room: state.targets[targetAlias] ?? '',
      text: filledText(filled['text']),
    }),
    /** A message is counted once, however often the step is performed. */
    async perform({ state, details, countMessage, call, found }) {
      const taken = await countMessage()
      if (taken === 'over') {
        const says = 'a limit of the document is reached: maxMessagesPerMinute'
        return { failure: { code: 'limit_exceeded', says, again: false } }
      }
      if (taken === 'later') return 'later'
      const args = { agent: state.document, room: textIn(details, 'room') ?? '', text: textIn(details, 'text') ?? '' }
      const outcome = await call(SEND_TOOL_ID, args)
      return isForNow(outcome) ? 'later' : found(outcome)
    },
    async assume({ state, details, judged }) {
      const args = { agent: state.document, room: details['room'] ?? '', text: details['text'] ?? '' }
      return { does: 'send_message', args, verdict: await judged(SEND_TOOL_ID, args), assumed: 'sent' }
    },
  },
})
