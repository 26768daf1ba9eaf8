import type { AgentModels, ModelOutput, ModelQuestion, ModelRole, OfferedTool } from './api.ts'
import { DEFAULT_LANE } from '../../kernel/contract/models.ts'
import type { Json } from '../../kernel/contract/json.ts'
import type { AgentModelSettings, Models } from './section.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { ToolSet, LanguageModel } from 'ai'
import { secretOf } from '../../adapters/upstream/server-config.ts'
import { openScriptedModel } from './scripted-model.ts'

const ROLES: readonly ModelRole[] = ['planner', 'executor', 'finalizer']
/** Longer model output is cut: a plan, a call or an answer is never this long. */
const LONGEST_TEXT = 20_000
const RETRIES = 2

type Role = { readonly settings: AgentModelSettings; readonly key: string | undefined }

/** The models of the agent runtime. Libraries are loaded with the first question. */
export function openAgentModels(models: Models, folder: string): Result<AgentModels> {
  const roles = new Map<ModelRole, Role>()
  const lanes = openLanes(models, folder)
  if (!lanes.ok) return lanes
  for (const role of ROLES) {
    const settings = models[role] ?? models.agent
    if (settings === undefined) continue
    const name = models[role] === undefined ? 'agent' : role
    if (settings.provider === 'openai-compatible' && settings.url === undefined)
      return refuse('config.invalid', { paths: `models.${name}.url: needed for an openai-compatible server` })
    const key = settings.key === undefined ? undefined : secretOf(settings.key, folder, process.env)
    if (settings.key !== undefined && key === undefined)
      return refuse('config.invalid', { paths: `models.${name}.key: the secret is missing` })
    roles.set(role, { settings, key })
  }
  if (roles.size === 0) {
    const scripted = openScriptedModel(models.script, folder)
    return scripted.ok ? ok(withLanes(scripted.value, lanes.value)) : scripted
  }
  const missing = ROLES.find((role) => !roles.has(role))
  if (missing !== undefined)
    return refuse('config.invalid', { paths: `models.${missing}: missing; set it, or models.agent for all roles` })
  const ofRoles: AgentModels = {
    notice: undefined,
    phrases: [],
    hasLane: (lane) => lane === DEFAULT_LANE,
    ask(question) {
      const role = roles.get(question.role)
      return role === undefined ? Promise.resolve({ failed: 'no model is configured' }) : askModel(role, question)
    },
  }
  return ok(withLanes(ofRoles, lanes.value))
}

function openLanes({ lanes }: Models, folder: string): Result<ReadonlyMap<string, Role>> {
  const opened = new Map<string, Role>()
  for (const [name, settings] of Object.entries(lanes)) {
    if (settings.provider === 'openai-compatible' && settings.url === undefined)
      return refuse('config.invalid', { paths: `models.lanes.${name}.url: needed for an openai-compatible server` })
    const key = settings.key === undefined ? undefined : secretOf(settings.key, folder, process.env)
    if (settings.key !== undefined && key === undefined)
      return refuse('config.invalid', { paths: `models.lanes.${name}.key: the secret is missing` })
    opened.set(name, { settings, key })
  }
  return ok(opened)
}

/** A question for a lane goes to the model of that lane; for `local_default` without its own, to those of the agent. */
function withLanes(models: AgentModels, lanes: ReadonlyMap<string, Role>): AgentModels {
  return {
    notice: models.notice,
    phrases: models.phrases,
    hasLane: (lane) => lanes.has(lane) || models.hasLane(lane),
    ask(question) {
      const { lane } = question
      const own = lane === undefined ? undefined : lanes.get(lane)
      if (own !== undefined) return askModel(own, question)
      if (lane === undefined || models.hasLane(lane)) return models.ask(question)
      return Promise.resolve({ failed: 'the lane has no model' })
    },
  }
}

async function askModel({ settings, key }: Role, question: ModelQuestion): Promise<ModelOutput | { failed: string }> {
  const { instructions, messages, tools = [], onText, signal } = question
  const [{ streamText, jsonSchema, tool }, model] = await Promise.all([import('ai'), openLanguageModel(settings, key)])
  const names = aliasesOf(tools)
  const offered: ToolSet = Object.fromEntries(
    tools.map(({ name, description, schema }) => [
      names.aliasOf(name),
      tool({ description, inputSchema: jsonSchema(schema) }),
    ]),
  )
  let text = ''
  let call: ModelOutput['call']
  let failed: unknown
  try {
    const stream = streamText({
      model,
      instructions,
      messages: messages.map(({ role, text: content }) => ({ role, content })),
      ...(tools.length === 0 ? {} : { tools: offered }),
      maxOutputTokens: settings.output_tokens,
      maxRetries: RETRIES,
      abortSignal: AbortSignal.any([signal, AbortSignal.timeout(settings.timeout_ms)]),
      onError: ({ error }) => void (failed ??= error),
    })
    for await (const part of stream.fullStream) {
      if (part.type === 'text-delta') {
        const room = LONGEST_TEXT - text.length
        const piece = part.text.slice(0, Math.max(0, room))
        text += piece
        if (piece !== '') onText?.(piece)
      } else if (part.type === 'tool-call') {
        // Only the first call counts; a step is one call.
        call ??= callOf(names.nameOf(part.toolName), part)
      } else if (part.type === 'error') failed ??= part.error
      else if (part.type === 'abort') failed ??= new Error('the request was aborted')
    }
    if (failed !== undefined) return { failed: reasonOf(failed, signal) }
    const { inputTokens = 0, outputTokens = 0 } = await stream.totalUsage
    const { price } = settings
    const cost = (inputTokens * price.input + outputTokens * price.output) / 1_000_000
    const usage = { model_calls: 1, input_tokens: inputTokens, output_tokens: outputTokens, cost }
    return { text, usage, ...(call === undefined ? {} : { call }) }
  } catch (error) {
    return { failed: reasonOf(failed ?? error, signal) }
  }
}

function callOf(
  name: string,
  part: { readonly input: unknown; readonly invalid?: boolean | undefined },
): ModelOutput['call'] {
  return part.invalid === true ? { name } : { name, args: part.input as Json }
}

/** Providers accept only some characters in a tool's name. The model sees an alias; the gate sees the tool's own name. */
function aliasesOf(tools: readonly OfferedTool[]) {
  const byAlias = new Map<string, string>()
  const byName = new Map<string, string>()
  for (const { name } of tools) {
    const plain = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60)
    let alias = plain
    for (let n = 2; byAlias.has(alias); n++) alias = `${plain}_${n}`
    byAlias.set(alias, name)
    byName.set(name, alias)
  }
  return {
    aliasOf: (name: string) => byName.get(name) ?? name,
    // A name that was never offered is passed on unchanged: the gate does not know it.
    nameOf: (alias: string) => byAlias.get(alias) ?? alias,
  }
}

/** For people and logs: the status and no body, which may repeat a key or a prompt. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'the request was cancelled'
  const status = statusOf(error)
  if (status === 401 || status === 403) return 'the model rejected the key'
  if (status === 429) return 'the model is busy (429)'
  if (status !== undefined) return `the model answered with status ${status}`
  const isTimeout = error instanceof Error && /timeout|abort/i.test(`${error.name} ${error.message}`)
  return isTimeout ? 'the model took too long' : 'the model could not be reached, or its answer could not be read'
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode
  if ('lastError' in error) return statusOf(error.lastError)
  return 'cause' in error ? statusOf(error.cause) : undefined
}

/** One model of one provider. Each provider's library is loaded only if it is configured. */
async function openLanguageModel(settings: AgentModelSettings, key: string | undefined): Promise<LanguageModel> {
  const { provider, url, model } = settings
  const apiKey = key === undefined ? {} : { apiKey: key }
  const baseURL = url === undefined ? {} : { baseURL: url }
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ ...apiKey, ...baseURL })(model)
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return createGoogleGenerativeAI({ ...apiKey, ...baseURL })(model)
    }
    default: {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({ name: 'agent', baseURL: url ?? '', includeUsage: true, ...apiKey }).chatModel(
        model,
      )
    }
  }
}
