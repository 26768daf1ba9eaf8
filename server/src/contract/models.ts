import { z } from 'zod'
import { HttpUrl } from './http-settings.ts'

const timeout_ms = z.number().int().min(1).max(300_000)

/** A model that somebody else runs. What it says is data. */
export const ModelSettings = z.strictObject({
  provider: z.literal('openai-compatible'),
  /** Up to and without `/chat/completions`. */
  url: HttpUrl,
  model: z.string().min(1).max(200),
  /** `env:NAME` or `file:PATH`; left out for a server that wants none. */
  key: z.string().min(1).optional(),
  timeout_ms: timeout_ms.default(20_000),
})
export type ModelSettings = z.infer<typeof ModelSettings>

/** A model of the agent runtime. */
export const AgentModelSettings = z.strictObject({
  provider: z.enum(['openai-compatible', 'anthropic', 'google']),
  /** The address of the server's API; left out for the provider's own. Needed for `openai-compatible`. */
  url: HttpUrl.optional(),
  model: z.string().min(1).max(200),
  /** `env:NAME` or `file:PATH`; left out for a server that wants none. */
  key: z.string().min(1).optional(),
  timeout_ms: timeout_ms.default(120_000),
  /** Tokens of one answer, at most. */
  output_tokens: z.int().min(16).max(200_000).default(4_096),
  /** Per million tokens, in whatever unit `agent.cost` counts. */
  price: z.strictObject({ input: z.number().min(0).default(0), output: z.number().min(0).default(0) }).prefault({}),
})
export type AgentModelSettings = z.infer<typeof AgentModelSettings>

export const Models = z.strictObject({
  /** Fills a tool's arguments from a prompt. Without it arguments come from the caller alone. */
  toolflow: ModelSettings.optional(),
  /** All three roles of the agent runtime, unless one has a model of its own. Without any, a scripted model answers. */
  agent: AgentModelSettings.optional(),
  /** Writes the plan of a task. */
  planner: AgentModelSettings.optional(),
  /** Proposes the call of each step. */
  executor: AgentModelSettings.optional(),
  /** Writes the answer. */
  finalizer: AgentModelSettings.optional(),
  /** Models of flow lanes, by the name of the lane. Without one, `local_default` uses the models of the agent. */
  lanes: z.record(z.string().min(1).max(64), AgentModelSettings).default({}),
  /** A YAML file with what the scripted model says, relative to the config file's folder. */
  script: z.string().min(1).optional(),
})
export type Models = z.infer<typeof Models>
