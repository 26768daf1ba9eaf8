import type { Call } from '../../kernel/contract/call.ts'
import type { DocumentApprovals } from '../../kernel/contract/routes.ts'
import type { Opinion } from '../../kernel/contract/verdict.ts'
import type { Capability, DocumentConstraint, WorkflowDocument } from './workflow-document.ts'
import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import { mostDots } from '../../kernel/text/path-parts.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import { checkCondition, evaluate, type Condition } from '../../kernel/policy/condition/condition.ts'
import { scopeOf } from '../../kernel/policy/condition/scope.ts'
import { Failure } from '../../kernel/policy/condition/value.ts'
import { compileMatch, isMatch, namesOf, type CompiledMatch } from '../../kernel/policy/match.ts'
import type { PolicyFacts } from '../../kernel/policy/policy.ts'
import { SEND_TOOL_ID } from '../../kernel/contract/message-tool.ts'

/** The capabilities of one version of a document, compiled once. */
export type CompiledCapabilities = {
  /** `name@version`. */
  readonly document: string
  readonly approvals: boolean
  /** Who is asked. */
  readonly asks: DocumentApprovals
  /** The rooms that messages may be sent to. */
  readonly rooms: ReadonlySet<string>
  readonly rules: readonly {
    readonly capability: Capability
    readonly match: CompiledMatch
    readonly when?: Condition
  }[]
}

export function compileCapabilities(
  document: string,
  { capabilities, approvals, messaging }: WorkflowDocument,
): CompiledCapabilities {
  return {
    document,
    approvals: approvals.enabled,
    asks: {
      document,
      approvers: approvals.approvers,
      ...(approvals.room === undefined ? {} : { room: approvals.room }),
    },
    rooms: new Set(messaging.allowedTargets.map(({ roomId }) => roomId)),
    rules: capabilities.map((capability) => {
      const { mcp, tool, constraints } = capability
      const match = compileMatch({
        server: [mcp],
        tool: [tool.includes('__') ? tool : mcp.includes('*') ? `*__${tool}` : `${mcp}__${tool}`],
      })
      if (Object.keys(constraints).length === 0) return { capability, match }
      const when = conditionOf(constraints)
      if (!when.ok) throw new Bug(`the capability ${capability.name} was not checked`)
      return { capability, match, when: when.value }
    }),
  }
}

type Read = { readonly ok: true; readonly value: Condition } | { readonly ok: false; readonly says: string }

/**
 * The constraints as one condition of the rule engine.
 * INVARIANT: it is false if an argument is absent.
 */
export function conditionOf(constraints: Readonly<Record<string, DocumentConstraint>>): Read {
  const text = Object.entries(constraints)
    .flatMap(([argument, wanted]) => [...present(argument), ...wants(`args.${argument}`, wanted)])
    .join(' && ')
  const checked = checkCondition(text === '' ? 'true' : text)
  return checked.ok ? checked : { ok: false, says: checked.faults[0]?.says ?? 'the constraint cannot be evaluated' }
}

const present = (argument: string): string[] => {
  const names = argument.split('.')
  return names.map((_, at) => `has(args.${names.slice(0, at + 1).join('.')})`)
}

function wants(field: string, wanted: DocumentConstraint): string[] {
  if (Array.isArray(wanted)) return [`${field} in ${JSON.stringify(wanted)}`]
  if (typeof wanted !== 'object') return [`${field} == ${JSON.stringify(wanted)}`]
  const { equals, in: among, prefix, min, max } = wanted
  return [
    ...(equals === undefined ? [] : [`${field} == ${JSON.stringify(equals)}`]),
    ...(among === undefined ? [] : [`${field} in ${JSON.stringify(among)}`]),
    ...(prefix === undefined ? [] : [`${field}.startsWith(${JSON.stringify(prefix)})`]),
    ...(min === undefined ? [] : [`${field} >= ${JSON.stringify(min)}`]),
    ...(max === undefined ? [] : [`${field} <= ${JSON.stringify(max)}`]),
  ]
}

const DECIDER = 'capabilities'

/**
 * What a document says about a call of one of its runs: the first matching capability, in document order. If none matches, the
 * call is blocked. Messages are governed by targets, not by capabilities.
 * INVARIANT: a condition without a result blocks; it is never skipped.
 */
export function judgeCapabilities(
  capabilities: CompiledCapabilities,
  call: Pick<Call, 'caller' | 'canonical_args' | 'thread' | 'tool_id'>,
  facts: PolicyFacts,
): Opinion {
  const source = `document ${capabilities.document}`
  const say = (effect: Opinion['effect'], rule: string, says: string): Opinion => ({
    decider: DECIDER,
    effect,
    rule,
    says,
    source,
    at: facts.now,
  })
  if (call.tool_id === SEND_TOOL_ID) return judgeMessage(capabilities, call, say)
  const names = namesOf(call, facts)
  const scope = scopeOf(call, facts)
  for (const { capability, match, when } of capabilities.rules) {
    if (isMatch(match, names) !== true) continue
    const holds = when === undefined ? true : evaluate(when, scope)
    if (holds === false) continue
    // A text that starts with the prefix and goes up again is neither below it nor surely elsewhere.
    const away = pathsUpward(capability.constraints, call.canonical_args)
    if (away.length > 0)
      return say('block', `capability ${capability.name}`, `\`${away[0]}\` leaves the prefix that the document names`)
    const rule = `capability ${capability.name}`
    if (holds instanceof Failure)
      return say('block', rule, `blocked because a constraint could not be evaluated: ${holds.reason}`)
    if (!capability.allow) return say('block', rule, `the document denies this tool (${capability.name})`)
    if (!capability.requireApproval) return say('allow', rule, `the document allows this tool (${capability.name})`)
    return capabilities.approvals
      ? { ...say('ask', rule, `the document requires an approval (${capability.name})`), strength: 'simple' }
      : say('block', rule, `the document requires an approval (${capability.name}), but its approvals are turned off`)
  }
  return say('block', 'capability.none', 'no capability of the document allows this call')
}

/** The arguments with a prefix whose text leads out of it. */
function pathsUpward(
  constraints: Readonly<Record<string, DocumentConstraint>>,
  canonical_args: string,
): readonly string[] {
  const named = Object.entries(constraints).filter(([, wanted]) => isPrefix(wanted))
  if (named.length === 0) return []
  const args = JSON.parse(canonical_args) as Json
  return named.flatMap(([argument]) => {
    const value = argument
      .split('.')
      .reduce<Json | undefined>((at, name) => (isJsonObject(at) ? at[name] : undefined), args)
    return typeof value === 'string' && mostDots(value) > 1 ? [argument] : []
  })
}

const isPrefix = (wanted: DocumentConstraint): boolean =>
  typeof wanted === 'object' && !Array.isArray(wanted) && wanted.prefix !== undefined

type Say = (effect: Opinion['effect'], rule: string, says: string) => Opinion

function judgeMessage(
  { document, rooms }: CompiledCapabilities,
  { canonical_args }: Pick<Call, 'canonical_args'>,
  say: Say,
): Opinion {
  const args = JSON.parse(canonical_args) as { readonly agent?: unknown; readonly room?: unknown }
  if (args.agent !== document.slice(0, document.lastIndexOf('@')))
    return say('block', 'messaging.agent', 'a document sends messages in its own name only')
  return typeof args.room === 'string' && rooms.has(args.room)
    ? say('allow', 'messaging.target', 'the document names this room as a target')
    : say('block', 'messaging.target', 'the document does not name this room as a target')
}
