import { z } from 'zod'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { HttpUrl } from '../../kernel/contract/http-settings.ts'
import { ModelSettings, ModelTimeout } from '../../kernel/contract/models.ts'

/** A model of the agent runtime. */
export const AgentModelSettings = z.strictObject({
  provider: z.enum(['openai-compatible', 'anthropic', 'google']).describe('The API it uses.'),
  /** The URL of the server's API; by default the provider's own. Required for `openai-compatible`. */
  url: HttpUrl.optional().describe('The base address of the API.'),
  model: z.string().min(1).max(200).describe('The name of the model.'),
  /** `env:NAME` or `file:PATH`; omitted if the server needs none. */
  key: z.string().min(1).optional().describe('The API key, as `env:NAME` or `file:PATH`.'),
  timeout_ms: ModelTimeout.default(120_000).describe('How long one answer may take, in milliseconds.'),
  output_tokens: z.int().min(16).max(200_000).default(4_096).describe('Maximum number of tokens in one answer.'),
  /** Per million tokens, in the unit of `agent.cost`. */
  price: z
    .strictObject({
      input: z.number().min(0).default(0).describe('Per million input tokens.'),
      output: z.number().min(0).default(0).describe('Per million output tokens.'),
    })
    .prefault({})
    .describe('The price of tokens, for cost limits.'),
})
export type AgentModelSettings = z.infer<typeof AgentModelSettings>

export const Models = z.strictObject({
  toolflow: ModelSettings.optional().describe('Fills in the arguments of `sluice run` from the prompt.'),
  /** All three roles of the agent runtime, unless one has its own model. Without any, a scripted model answers. */
  agent: AgentModelSettings.optional().describe('The model of the agent, for all its roles.'),
  /** Writes the plan of a task. */
  planner: AgentModelSettings.optional().describe('A different model for planning.'),
  /** Proposes the call of each step. */
  executor: AgentModelSettings.optional().describe('A different model for proposing calls.'),
  finalizer: AgentModelSettings.optional().describe('A different model for the final answer.'),
  lanes: z
    .record(z.string().min(1).max(64), AgentModelSettings)
    .default({})
    .describe('Models of flow lanes, by the name of the lane.'),
  script: z
    .string()
    .min(1)
    .optional()
    .describe('A YAML file with the answers of the scripted model, relative to this file.'),
})
export type Models = z.infer<typeof Models>

declare module '../../kernel/contract/config.ts' {
  interface Config {
    models: Models
  }
}

export const section: ConfigSection = {
  top: {
    models: {
      rank: 930,
      schema: Models.prefault({}).describe('Language models. Without one, a scripted model serves the demo.'),
    },
  },
}
