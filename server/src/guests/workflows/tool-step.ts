import type { CallRequest, Outcome, ToolResult } from '../../kernel/contract/call.ts'
import { SECRETS_KEY } from '../../kernel/contract/call-secrets.ts'
import { Caller } from '../../kernel/contract/caller.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { Bug, specOf, type Problem, type ProblemCode } from '../../kernel/contract/problems.ts'
import type { WorkflowError } from './workflow.ts'
import { outputText } from '../../kernel/attempt/interpret.ts'
import { parseIJson } from '../../kernel/json/parse-ijson.ts'
import type { WorkflowFound } from './draft.ts'
import { WORKFLOW, type WorkflowState } from './state.ts'

/** Outputs up to this size stay in the run; larger ones move to the artifact store. */
const EVICT_OVER = 50_000

/** A string among the details of an effect. */
export const textIn = (details: JsonObject, name: string): string => {
  const text = details[name]
  return typeof text === 'string' ? text : ''
}

/** The request of a step. Its key makes it one call, however often the step is performed. */
export function requestOf(state: WorkflowState, key: string, step: string, tool: string, args: Json): CallRequest {
  const { run_id, document, version, hold_s } = state
  return {
    caller: Caller.parse(state.caller),
    tool,
    args,
    thread: state.thread,
    trace: state.trace,
    idempotency_key: `workflow/${key}`,
    evict_over: EVICT_OVER,
    by_run: {
      run_id,
      kind: WORKFLOW,
      step,
      at_least: 'allow',
      lane: null,
      document: `${document}@${version}`,
      ...(hold_s === null ? {} : { hold_s }),
    },
  }
}

/** The arguments with the places of their secrets. Undefined if data from outside already claims such places. */
export function argsWithSecrets(args: Json, secrets: JsonObject): Json | undefined {
  if (isJsonObject(args) && Object.hasOwn(args, SECRETS_KEY)) return undefined
  if (Object.keys(secrets).length === 0) return args
  return isJsonObject(args) ? { ...args, [SECRETS_KEY]: secrets } : undefined
}

/** Known not to have run: it may be retried. */
const NOT_RUN: readonly ProblemCode[] = ['tool.unavailable', 'tool.login_needed']
/** It got no answer, and repeating it does no harm. */
const REPEATABLE: readonly ProblemCode[] = ['call.unanswered', 'call.read_interrupted']

/** What an outcome means for the step. */
export function foundIn(outcome: Outcome, idempotent: boolean): WorkflowFound {
  switch (outcome.status) {
    case 'previewed':
      throw new Bug('no preview was requested')
    case 'not_reported':
      throw new Bug('a workflow never calls a tool of a client')
    case 'pending':
      return { call: { call_id: outcome.call_id, status: 'pending', approval_id: outcome.approval_id } }
    case 'executing':
    case 'unknown':
      return { call: { call_id: outcome.call_id, status: outcome.status, approval_id: null } }
    case 'executed':
      return { output: outputOf(outcome.result) }
    case 'refused':
      return failure(refusalCode(outcome.problem), sayRefusal(outcome), isNotRun(outcome.problem))
    default:
      return failure('tool_failed', sayFailure(outcome), idempotent || isHarmless(outcome.problem))
  }
}

const failure = (code: WorkflowError, says: string, again: boolean): WorkflowFound => ({
  failure: { code, says, again },
})
const isNotRun = ({ code }: Problem): boolean => NOT_RUN.includes(code)
const isHarmless = ({ code }: Problem): boolean => NOT_RUN.includes(code) || REPEATABLE.includes(code)

function refusalCode({ code }: Problem): WorkflowError {
  if (code === 'approval.expired') return 'approval_timeout'
  if (code === 'approval.denied' || code === 'approval.withdrawn') return 'approval_denied'
  return TOOL_FAULTS.some((prefix) => code.startsWith(prefix)) ? 'tool_failed' : 'policy_denied'
}
/** Rejected before it was judged. */
const TOOL_FAULTS = ['tool.', 'call.args_invalid', 'call.secret_absent', 'call.dry_run', 'call.check', 'request.']

function sayRefusal({ problem, evidence }: Extract<Outcome, { status: 'refused' }>): string {
  const why = evidence.filter(({ effect }) => effect !== 'allow').map(({ says }) => says)
  const { paths, reason } = problem.about
  return [
    specOf(problem).says,
    ...(paths === undefined ? [] : [paths]),
    ...(reason === undefined ? [] : [`reason: ${reason}`]),
    ...why,
  ]
    .join(': ')
    .slice(0, 1_000)
}

function sayFailure({ problem, result }: Extract<Outcome, { status: 'failed' }>): string {
  const said = result === undefined ? '' : `: ${outputText(result).slice(0, 500)}`
  return `${specOf(problem).says}${said}`
}

/** Structured content, otherwise JSON in the text, otherwise the text. */
function outputOf(result: ToolResult): Json {
  if (result.structuredContent !== undefined) return result.structuredContent
  const text = outputText(result)
  if (!/^\s*[[{]/.test(text)) return text
  const value = parseIJson(text)
  return value.ok ? value.value : text
}
