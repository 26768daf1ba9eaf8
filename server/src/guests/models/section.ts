import { z } from 'zod'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { HttpUrl } from '../../kernel/contract/http-settings.ts'
import { ModelSettings, ModelTimeout } from '../../kernel/contract/models.ts'

/** A model of the agent runtime. */
export const AgentModelSettings = z.strictObject({
  provider: z.enum(['openai-compatible', 'anthropic', 'google']),
  /** The URL of the server's API; by default the provider's own. Required for `openai-compatible`. */
  url: HttpUrl.optional(),
  model: z.string().min(1).max(200),
  /** `env:NAME` or `file:PATH`; omitted if the server needs none. */
  key: z.string().min(1).optional(),
  timeout_ms: ModelTimeout.default(120_000),
  /** The maximum number of tokens per answer. */
  output_tokens: z.int().min(16).max(200_000).default(4_096),
  /** Per million tokens, in the unit of `agent.cost`. */
  price: z.strictObject({ input: z.number().min(0).default(0), output: z.number().min(0).default(0) }).prefault({}),
})
export type AgentModelSettings = z.infer<typeof AgentModelSettings>

export const Models = z.strictObject({
  /** Fills a tool's arguments from a prompt. Without it arguments come only from the caller. */
  toolflow: ModelSettings.optional(),
  /** All three roles of the agent runtime, unless one has its own model. Without any, a scripted model answers. */
  agent: AgentModelSettings.optional(),
  /** Writes the plan of a task. */
  planner: AgentModelSettings.optional(),
  /** Proposes the call of each step. */
  executor: AgentModelSettings.optional(),
  /** Writes the answer. */
  finalizer: AgentModelSettings.optional(),
  /** Models of flow lanes, by the name of the lane. Without one, `local_default` uses the models of the agent. */
  lanes: z.record(z.string().min(1).max(64), AgentModelSettings).default({}),
  /** A YAML file with the answers of the scripted model, relative to the config file's folder. */
  script: z.string().min(1).optional(),
})
export type Models = z.infer<typeof Models>

declare module '../../kernel/contract/config.ts' {
  interface Config {
    models: Models
  }
}

export const section: ConfigSection = { top: { models: { rank: 930, schema: Models.prefault({}) } } }
