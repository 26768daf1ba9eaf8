import { asksIn } from '../../kernel/approvals/asks.ts'
import type { Outcome, ToolResult } from '../../kernel/contract/call.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { specOf, type Problem } from '../../kernel/contract/problems.ts'
import { quoted, visibleText } from '../../kernel/contract/visible-text.ts'
import { imitatesGate, NOT_THE_GATE } from './foreign-texts.ts'

const LONGEST_REASON = 500

/**
 * A call's outcome as an MCP tool result. If it is not the tool's own output, it is a sentence for the model. Details are
 * structured content, or `_meta` if the tool has an output schema and a client would reject another shape.
 */
export function toolResult(outcome: Outcome, hasOutputSchema: boolean): JsonObject {
  switch (outcome.status) {
    case 'executed':
      return withEvidence(withHint(withImitationNote(outcome.result), outcome), outcome)
    case 'pending': {
      const { call_id, expires_at } = outcome
      const until = new Date(expires_at).toISOString()
      const says = `This call is held for approval${isForTwo(outcome) ? ' by two people' : ''}, until ${until} at the latest. It has not run. Do not repeat it; call call_status with call_id ${call_id} to get the outcome.${why(outcome.evidence, 'ask')} ${whoDecides(outcome)}`
      return messageResult(says, heldDetails(outcome), false, hasOutputSchema)
    }
    case 'refused':
      return messageResult(
        `Refused by the gate: ${spell(outcome.problem)}${why(outcome.evidence, 'block')}`,
        problemDetails(outcome.status, outcome.call_id, outcome.problem),
        true,
        hasOutputSchema,
      )
    case 'failed':
      if (outcome.problem.code === 'tool.failed' && outcome.result !== undefined)
        return { ...withHint(withImitationNote(outcome.result), outcome) }
      if (outcome.problem.code === 'tool.asks') return asking(outcome, hasOutputSchema)
      return messageResult(
        `The call failed: ${spell(outcome.problem)}`,
        problemDetails(outcome.status, outcome.call_id, outcome.problem),
        true,
        hasOutputSchema,
      )
    case 'unknown':
      return messageResult(
        `It is not known whether this call took effect: ${spell(outcome.problem)} A person has been asked ${outcome.retry === undefined ? 'to check' : 'whether it may run again'}. Do not repeat it.`,
        problemDetails(outcome.status, outcome.call_id, outcome.problem),
        true,
        hasOutputSchema,
      )
    case 'executing':
      return messageResult(
        `The call is still running; call call_status with call_id ${outcome.call_id} again.`,
        { status: outcome.status, call_id: outcome.call_id },
        false,
        hasOutputSchema,
      )
    case 'not_reported':
      return messageResult(
        'A coding agent was allowed to run this call itself and has not reported its outcome.',
        { status: outcome.status, call_id: outcome.call_id },
        false,
        hasOutputSchema,
      )
    case 'previewed':
      return { ...resultOf(outcome.preview) }
    default:
      return outcome satisfies never
  }
}

type Pending = Extract<Outcome, { status: 'pending' }>

const isForTwo = ({ evidence }: Pending): boolean => evidence.some(({ strength }) => strength === 'two_person')

/** A node's requests are decided at its hub. */
function whoDecides({ url, hub }: Pending): string {
  if (hub === undefined) return `A person can decide at ${url}`
  return `It is decided at the hub ${visibleText(hub)}, not at this gate; its page is ${url}`
}

export const heldDetails = ({ status, call_id, approval_id, url, hub, expires_at }: Pending): JsonObject => ({
  status,
  call_id,
  approval_id,
  url,
  ...(hub === undefined ? {} : { hub }),
  expires_at,
})

/** For clients that do not support questions. */
function asking({ call_id, problem, result }: Failed, hasOutputSchema: boolean): JsonObject {
  const asks = asksIn(result?._meta)
  const details = {
    ...problemDetails('failed', call_id, problem),
    ...(asks === undefined ? {} : { asks: { ...asks } }),
  }
  return messageResult(
    `${spell(problem)} It asks: ${visibleText(JSON.stringify(asks ?? {}))}`,
    details,
    true,
    hasOutputSchema,
  )
}

/** Adds a note to a tool's answer that looks like one of the gate's messages. */
function withImitationNote(result: ToolResult): McpResult {
  const answer = resultOf(result)
  return imitatesGate(result) ? { ...answer, content: [...answer.content, NOT_THE_GATE] } : answer
}

/** If a model repeats the same read many times, a note after the tool's answer says so. */
function withHint(result: McpResult, { hint }: { readonly hint?: string }): McpResult {
  if (hint === undefined) return result
  return { ...result, content: [...result.content, { type: 'text', text: `Note from the gate: ${hint}.` }] }
}

/** The result of the read-back is in `_meta`. If it does not confirm the outcome, a sentence tells the model. */
function withEvidence(result: McpResult, { verified, read_back, rollback }: Executed): JsonObject {
  if (verified === undefined && rollback === undefined) return result
  const evidence = {
    ...(verified === undefined ? {} : { verified }),
    ...(read_back === undefined ? {} : { read_back }),
    ...(rollback === undefined ? {} : { rollback }),
  }
  const meta = { ...result._meta, 'sluice/evidence': evidence }
  if (verified === undefined || verified === true) return { ...result, _meta: meta }
  const doubt =
    verified === false ? 'The read-back contradicts this result' : 'It is not known whether this took effect'
  const text = `${doubt}: ${visibleText(read_back ?? '')}. Do not repeat the call; tell the person who asked for it.`
  return { ...result, content: [...result.content, { type: 'text', text }], _meta: meta }
}

function messageResult(text: string, details: JsonObject, isError: boolean, hasOutputSchema: boolean): JsonObject {
  const content = [{ type: 'text', text }]
  if (hasOutputSchema) return { content, isError: true, _meta: { 'sluice/outcome': details } }
  return { content, structuredContent: details, isError }
}

type McpResult = JsonObject & { readonly content: readonly JsonObject[]; readonly _meta?: JsonObject }
type Executed = Extract<Outcome, { status: 'executed' }>
type Failed = Extract<Outcome, { status: 'failed' }>

function resultOf({ content, structuredContent, isError, _meta }: ToolResult): McpResult {
  return {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError }),
    ...(_meta === undefined ? {} : { _meta }),
  }
}

function problemDetails(status: string, call_id: string | undefined, { code, about }: Problem): JsonObject {
  return {
    status,
    ...(call_id === undefined ? {} : { call_id }),
    code,
    about,
  }
}

function spell(found: Problem): string {
  const { code, about } = found
  const { says, do: remedy } = specOf(found)
  const paths = about['paths'] === undefined ? '' : ` (${visibleText(about['paths'])})`
  const server = about['server'] === undefined ? '' : ` The tool server: ${serverWords(about)}.`
  // A person's text, in quotes that it cannot close.
  const reason = about['reason'] === undefined ? '' : ` The reason given: ${quoted(about['reason'], LONGEST_REASON)}.`
  return `${says}${paths} [${code}]; ${meant(about) ?? `${remedy}.`}${server}${reason}`
}

/** The server, the reason, and where to log in, as far as known. */
function serverWords({ server = '', why, url }: Problem['about']): string {
  const because = why === undefined ? '' : ` (${visibleText(why).slice(0, LONGEST_REASON)})`
  const address = url === undefined ? '' : `; a person can log in at ${url}`
  return `\`${server}\`${because}${address}`
}

/** A model may see only the text of an answer, so the text contains the suggestion. */
const meant = ({ did_you_mean }: Problem['about']): string | undefined =>
  did_you_mean === undefined ? undefined : `did you mean \`${visibleText(did_you_mean)}\`?`

/** The reasons for a verdict. Those for asking include the consents that do not cover the call. */
function why(evidence: Pending['evidence'], wanted: 'ask' | 'block'): string {
  const reasons = evidence.filter(({ effect }) => effect === wanted).map(({ says }) => visibleText(says))
  return reasons.length === 0 ? '' : ` Why: ${reasons.join('; ').slice(0, LONGEST_REASON)}.`
}
