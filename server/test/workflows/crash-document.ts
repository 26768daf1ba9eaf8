import { clerk, FILE } from './clerk.ts'

/** Four steps with an effect each, one of them in a loop: notes, a stored value, a message. */
export const CRASH_DOCUMENT = clerk(`
- type: tool
  tool: book__slow_note
  argsTemplate: { text: "first" }
- type: for_each
  itemsExpr: input.titles
  steps:
    - type: tool
      tool: book__slow_note
      argsTemplate: { text: "item {{item}}" }
- type: persist
  key: last
  value: "{{now}}"
- type: tool
  tool: book__slow_note
  argsTemplate: { text: "last {{store.last}}" }
- type: send_message
  targetAlias: boss
  payloadTemplate: "done {{input.run_id}}"
`)
export const CRASH_MESSAGE = FILE({ run_id: 1, titles: ['a', 'b'] })
