import { clerk, FILE } from './clerk.suite.ts'

/** Every kind of step that leaves something behind, on both sides of a branch, in a loop, and one that waits for a person. */
export const CRASH_DOCUMENT = clerk(
  `
- type: parse_input
  outputSchemaRef: summary
- type: tool
  tool: book__slow_note
  argsTemplate: { text: "first {{output.text}}" }
- type: for_each
  itemsExpr: input.titles
  steps:
    - type: tool
      tool: book__slow_note
      argsTemplate: { text: "item {{item}}" }
- type: branch
  when: [{ field: input.run_id, op: "==", value: 1, goto: kept }]
- type: tool
  tool: book__slow_note
  argsTemplate: { text: "never" }
- id: kept
  type: persist
  key: last
  value: "{{now}}"
- type: tool
  tool: book__note
  argsTemplate: { text: "held {{store.last}}" }
- type: tool
  tool: book__note_again
  argsTemplate: { text: "repeatable" }
- type: send_message
  targetAlias: boss
  payloadTemplate: "done {{input.run_id}}"
`,
  { head: 'limits: { maxConcurrentRequests: 1, maxRequestsPerMinute: 100 }', messaging: 'maxMessagesPerMinute: 1' },
)
export const CRASH_MESSAGE = FILE({ run_id: 1, titles: ['a', 'b'] })

/** The calls that the tool servers must have received in the end, each once. */
export const ONCE = ['"first parsed"', '"item a"', '"item b"', '"held 20', '"done 1"']
/** Of a tool that the operator declared idempotent: at least once. */
export const REPEATABLE = '"repeatable"'
