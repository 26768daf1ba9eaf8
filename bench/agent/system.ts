/** Something that holds conversations. One turn: a plan, a proposed call, the call of a tool, an answer; three requests to a model. */
export type AgentSystem = {
  /** Opens a thread; each call of it is one turn and resolves with the answer. */
  thread(): Promise<() => Promise<string>>
  /** Errors in the events of all threads: lost, repeated or out of order. Empty if a system has no events. */
  faults?(): Promise<readonly string[]>
  close(): Promise<void>
}

export const MESSAGE = 'please say the text again'
export const ANSWER = 'It was said again, as you asked.'
export const PROMPTS = {
  plan: 'You plan: answer with a JSON list of steps.',
  propose: 'You carry out one step of a plan: call a tool.',
  answer: 'Answer the person.',
}
