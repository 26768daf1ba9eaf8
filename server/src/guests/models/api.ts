import type { Json, JsonObject } from '../../kernel/contract/json.ts'

export type ModelRole = 'planner' | 'executor' | 'finalizer'
export type ModelPurpose = 'intent' | 'plan' | 'propose' | 'answer' | 'summary' | 'check' | 'document'

/** A tool as shown to a model. */
export type OfferedTool = { readonly name: string; readonly description: string; readonly schema: JsonObject }

export type ModelQuestion = {
  readonly role: ModelRole
  readonly purpose: ModelPurpose
  /** The model of this flow lane, instead of that of the role. */
  readonly lane?: string
  readonly instructions: string
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[]
  readonly tools?: readonly OfferedTool[]
  /** What a scripted model uses instead of the texts. */
  readonly script: {
    readonly message: string
    readonly step: number
    readonly tries: number
    readonly results: readonly string[]
  }
  readonly signal: AbortSignal
  /** Called as the text arrives. */
  readonly onText?: (text: string) => void
}

/** What was used to answer. Cost is in the unit of the configured prices. */
export type ModelUsage = {
  readonly model_calls: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost: number
}

/** What a model said. Data: it chooses among offered tools and fills arguments, nothing else. */
export type ModelOutput = {
  readonly text: string
  /** `args` is absent if the model's JSON could not be parsed. */
  readonly call?: { readonly name: string; readonly args?: Json }
  readonly usage: ModelUsage
}

/** The models of the agent runtime. */
export interface AgentModels {
  /** Undefined with real models; with the scripted one, the sentence that says so. */
  readonly notice: string | undefined
  /** Messages that the scripted model of the demo understands. */
  readonly phrases: readonly string[]
  /** Whether a flow lane has a model. */
  hasLane(lane: string): boolean
  /** `failed` says why in one sentence without secrets. */
  ask(question: ModelQuestion): Promise<ModelOutput | { readonly failed: string }>
}

/** A message of a conversation as models see it. */
export type ModelTurn = { readonly role: 'user' | 'assistant'; readonly text: string }

const MOST_RESULT = 10_500

/** What a tool answered is data: framed as JSON, so that no text can close its frame. */
export const toolTurn = (tool: string, text: string): ModelTurn => ({
  role: 'user',
  text: `TOOL RESULT of ${JSON.stringify(tool)}: ${JSON.stringify(text.slice(0, MOST_RESULT))}`,
})

/** Some servers reject two messages of one role in a row. */
export function mergedTurns(turns: readonly ModelTurn[]): readonly ModelTurn[] {
  const joined: ModelTurn[] = []
  for (const turn of turns) {
    const last = joined.at(-1)
    if (last?.role === turn.role) joined[joined.length - 1] = { role: turn.role, text: `${last.text}\n\n${turn.text}` }
    else joined.push(turn)
  }
  // The conversation must start with the user.
  return joined[0]?.role === 'assistant' ? [{ role: 'user', text: '(the conversation continues)' }, ...joined] : joined
}
