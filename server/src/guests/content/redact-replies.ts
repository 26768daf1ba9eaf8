import { ASKS_KEY, asksIn } from '../../kernel/approvals/asks.ts'
import type { ToolResult } from '../../kernel/contract/call.ts'
import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import { UNSCANNED } from '../../kernel/contract/redaction.ts'
import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import { isSmallValue, SMALL_TEXT, type Scanner } from '../../kernel/ports/scanner.ts'
import type { Offerings } from '../../kernel/ports/upstream.ts'
import { withResult } from '../../kernel/ports/maybe-promise.ts'
import { filterMessages, type ReplyFilter, type MessageFilter } from '../../kernel/attempt/filter-replies.ts'

/** Removes what the scanner finds from every message of a tool server, for any caller and before anything is stored. */
export function sensitiveTextFilter(scanner: Scanner): ReplyFilter {
  return {
    ...messagesFilter(scanner),
    answer(answer) {
      if (answer.is === 'answered')
        return withResult(redactedResult(answer.result, scanner), (result) => ({
          is: 'answered',
          result,
          unredacted: answer.result,
        }))
      if (answer.is !== 'rejected') return answer
      return withResult(redactedFields(answer.error, scanner), (error) => ({ ...answer, error }))
    },
  }
}

/** Progress and log lines keep their order, so they are searched synchronously; longer ones are cut, or not passed on. */
const messagesFilter = (scanner: Scanner): MessageFilter => ({
  progress: (progress) =>
    progress.message === undefined ? progress : { ...progress, message: cleanNow(progress.message, scanner) },
  logLine: (line) => cleanLine(line, scanner),
})

function cleanNow(text: string, scanner: Scanner): string {
  const clean = text.length > SMALL_TEXT ? undefined : scanner.redact(text, 'outputs')
  return typeof clean === 'string' ? clean : `[REDACTED_${UNSCANNED}]`
}

function cleanLine(line: JsonObject, scanner: Scanner): JsonObject {
  const clean = isSmallValue(line) ? redactedTree(line, scanner) : undefined
  return clean === undefined || clean instanceof Promise ? { data: `[REDACTED_${UNSCANNED}]` } : clean
}

/** Returns the same object if nothing was found. */
function redactedResult(result: ToolResult, scanner: Scanner): MaybePromise<ToolResult> {
  const { content, structuredContent, _meta } = result
  const isPlain = structuredContent === undefined && asksIn(_meta) === undefined
  return isPlain && content.every((block) => isCleanText(block, scanner)) ? result : redactedParts(result, scanner)
}

async function redactedParts(result: ToolResult, scanner: Scanner): Promise<ToolResult> {
  const content: JsonObject[] = []
  for (const block of result.content) content.push(await redactedBlock(block, scanner))
  return {
    ...result,
    content,
    ...(result.structuredContent === undefined
      ? {}
      : { structuredContent: await scanner.redact(result.structuredContent, 'outputs') }),
    ...(await redactedAsks(result._meta, scanner)),
  }
}

/**
 * A tool's question is shown to a person, so it is redacted. The state that the tool wants back is its own, and redaction would only break
 * it.
 */
async function redactedAsks(meta: JsonObject | undefined, scanner: Scanner): Promise<Pick<ToolResult, '_meta'>> {
  const asks = asksIn(meta)
  if (asks === undefined) return {}
  return { _meta: { ...meta, [ASKS_KEY]: { ...asks, requests: await redactedTree(asks.requests, scanner) } } }
}

/** The same for resources, prompts and completions. */
export function redactReplies(offerings: Offerings, scanner: Scanner | undefined): Offerings {
  if (scanner === undefined) return offerings
  const filters = [messagesFilter(scanner)]
  return {
    ...offerings,
    async ask(question) {
      const reply = await offerings.ask({ ...question, ...filterMessages(question, filters) })
      if (reply.is === 'answered') return { ...reply, result: await redactedReply(reply.result, scanner) }
      return reply.is === 'rejected' ? { ...reply, error: await redactedFields(reply.error, scanner) } : reply
    },
  }
}

/** As for a tool: the state that a server wants back is its own. */
async function redactedReply(result: JsonObject, scanner: Scanner): Promise<JsonObject> {
  const { resultType, requestState } = result
  const isAsking = resultType === 'input_required' && requestState !== undefined
  return { ...(await redactedTree(result, scanner)), ...(isAsking ? { requestState } : {}) }
}

/** Pictures and sounds are passed on unchanged: their base64 is not text, and redaction would only break them. */
const BINARY = ['data', 'blob']

/** The usual case: a plain text block without anything sensitive. */
function isCleanText(block: JsonObject, scanner: Scanner): boolean {
  const { type, text } = block
  if (typeof type !== 'string' || typeof text !== 'string' || text.length + type.length > SMALL_TEXT / 2) return false
  for (const key in block) if (key !== 'type' && key !== 'text') return false
  return scanner.redact(type, 'outputs') === type && scanner.redact(text, 'outputs') === text
}

async function redactedBlock(block: JsonObject, scanner: Scanner): Promise<JsonObject> {
  const { resource } = block
  const plain = await redactedFields(block, scanner)
  return isJsonObject(resource) ? { ...plain, resource: await redactedFields(resource, scanner) } : plain
}

/** An object at any depth whose pictures and sounds stay unchanged. */
const redactedTree = (object: JsonObject, scanner: Scanner): MaybePromise<JsonObject> =>
  scanner.redact(object, 'outputs', BINARY)

async function redactedFields(object: JsonObject, scanner: Scanner): Promise<JsonObject> {
  let clean = object
  for (const [key, value] of Object.entries(object)) {
    if (BINARY.includes(key) && typeof value === 'string') continue
    const redacted = await scanner.redact(value, 'outputs')
    if (redacted !== value) clean = { ...clean, [key]: redacted }
  }
  return clean
}
