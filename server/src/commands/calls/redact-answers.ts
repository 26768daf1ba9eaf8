import { ASKS_KEY, asksIn } from '../../contract/asks.ts'
import type { ToolResult } from '../../contract/call.ts'
import { isJsonObject, type Json, type JsonObject } from '../../contract/json.ts'
import type { CompiledRules } from '../../core/dlp/compile-rules.ts'
import { redactJson } from '../../core/dlp/redact-json.ts'
import { redactText } from '../../core/dlp/redact-text.ts'
import type { Live, Offerings, ToolServers } from '../ports.ts'

/** The same tool servers, but no answer of theirs carries what `rules` find: whoever asked, and whatever is stored of it. */
export function redactAnswers(servers: ToolServers, rules: CompiledRules | undefined): ToolServers {
  if (rules === undefined) return servers
  return {
    async call(call) {
      const isHeard = call.onProgress !== undefined || call.onLog !== undefined
      const answer = await servers.call(isHeard ? { ...call, ...redactedLife(call, rules) } : call)
      if (answer.is === 'answered')
        return { is: 'answered', result: redactedResult(answer.result, rules), unredacted: answer.result }
      return answer.is === 'rejected' ? { ...answer, error: redactedObject(answer.error, rules) } : answer
    },
  }
}

function redactedLife({ onProgress, onLog }: Live, rules: CompiledRules): Pick<Live, 'onProgress' | 'onLog'> {
  const clean: Live['onProgress'] = ({ message, ...figures }) =>
    onProgress?.(message === undefined ? figures : { ...figures, message: redactText(message, rules).text })
  return {
    ...(onProgress === undefined ? {} : { onProgress: clean }),
    ...(onLog === undefined ? {} : { onLog: (line) => onLog(redactedTree(line, rules)) }),
  }
}

function redactedResult(result: ToolResult, rules: CompiledRules): ToolResult {
  return {
    ...result,
    content: result.content.map((block) => redactedBlock(block, rules)),
    ...(result.structuredContent === undefined
      ? {}
      : { structuredContent: redactJson(result.structuredContent, rules).value }),
    ...redactedAsks(result._meta, rules),
  }
}

/** What a tool asks is shown to a person; what it wants to be told again is its own, and a hole in it would only break it. */
function redactedAsks(meta: JsonObject | undefined, rules: CompiledRules): Pick<ToolResult, '_meta'> {
  const asks = asksIn(meta)
  if (asks === undefined) return {}
  return { _meta: { ...meta, [ASKS_KEY]: { ...asks, requests: redactedTree(asks.requests, rules) } } }
}

/** The same for what is not a tool. */
export function redactReplies(offerings: Offerings, rules: CompiledRules | undefined): Offerings {
  if (rules === undefined) return offerings
  return {
    ...offerings,
    async ask(question) {
      const reply = await offerings.ask({ ...question, ...redactedLife(question, rules) })
      if (reply.is === 'answered') return { ...reply, result: redactedReply(reply.result, rules) }
      return reply.is === 'rejected' ? { ...reply, error: redactedObject(reply.error, rules) } : reply
    },
  }
}

/** The same as of a tool: what a server wants to be told again is its own. */
function redactedReply(result: JsonObject, rules: CompiledRules): JsonObject {
  const { resultType, requestState } = result
  const isAsking = resultType === 'input_required' && requestState !== undefined
  return { ...redactedTree(result, rules), ...(isAsking ? { requestState } : {}) }
}

/** Pictures and sounds are passed on as they are: their base64 is no text, and a hole in it would only break them. */
const BINARY = ['data', 'blob']

function redactedBlock(block: JsonObject, rules: CompiledRules): JsonObject {
  const { resource } = block
  const plain = redactedObject(block, rules)
  return isJsonObject(resource) ? { ...plain, resource: redactedObject(resource, rules) } : plain
}

/** An object at any depth whose pictures and sounds stay as they are. */
function redactedTree(object: JsonObject, rules: CompiledRules): JsonObject {
  const within = (value: Json): Json =>
    isJsonObject(value) ? redactedTree(value, rules) : Array.isArray(value) ? value.map(within) : value
  const entries = Object.entries(object).map(([key, value]) => {
    const isNested = typeof value === 'object' && value !== null
    return [key, isNested ? within(value) : redactedObject({ [key]: value }, rules)[key]]
  })
  return Object.fromEntries(entries) as JsonObject
}

function redactedObject(object: JsonObject, rules: CompiledRules): JsonObject {
  let clean = object
  for (const key of Object.keys(object)) {
    const value = object[key]
    if (value === undefined || (BINARY.includes(key) && typeof value === 'string')) continue
    const redacted = redactJson(value, rules)
    if (redacted.findings.length > 0) clean = { ...clean, [key]: redacted.value }
  }
  return clean
}
