import type { Json, JsonObject } from '../contract/json.ts'

/** Fills a tool's arguments from what a user wrote. Its answer is data, which the caller checks. */
export interface ArgumentModel {
  /** Undefined if it gave no JSON in time. */
  propose(asked: {
    readonly title: string
    readonly purpose: string
    readonly schema: JsonObject
    readonly prompt: string
  }): Promise<Json | undefined>
}

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
export type ModelAnswer = {
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
  ask(question: ModelQuestion): Promise<ModelAnswer | { readonly failed: string }>
}
