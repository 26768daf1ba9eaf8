import type { ReadCommand } from '../../kernel/decide/as-called.ts'
import { INPUTS_KEY } from '../../kernel/approvals/asks.ts'
import type { Call } from '../../kernel/contract/call.ts'
import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import { inForce, onlyReads } from '../../kernel/contract/tool.ts'
import type { Opinion } from '../../kernel/contract/verdict.ts'
import { judgementSteps, type ProvenanceJudgement, type Reason, type ProvenanceRule } from './rules.ts'
import type { ProvenanceFact } from './provenance-fact.ts'
import type { TextOrigin, Session } from './session.ts'
import { SEND_TOOL_ID } from '../../kernel/contract/message-tool.ts'
import { argsOf } from '../../kernel/attempt/call-args.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import type { Policy } from '../../kernel/policy/policy.ts'

/** More reasons than this add nothing. */
const MOST_OPINIONS = 12

/** Judges whose instructions a call follows. A consent never covers an ask of this decider. */
export function judgeProvenanceOf(_policy: Policy, call: Call, facts: Facts): Opinion[] {
  const { provenance, tool, now } = facts
  if (provenance === 'off') return []
  if (provenance === 'unknown') {
    if (onlyReads(tool)) return []
    const says = 'it could not be checked what the session has read'
    return [{ decider: 'provenance', effect: 'ask', rule: 'provenance.unknown', says, source: 'gate', at: now }]
  }
  const { session, fields, judgement } = provenance
  const reasons = isOfDocument(call) ? documentReasons(provenance, tool) : judgement.reasons
  const said = new Map<string, Opinion>()
  for (const reason of reasons) {
    if (said.size >= MOST_OPINIONS) break
    if (reason.value_at !== undefined && fields[reason.value_at] === 'off') continue
    const opinion = opinionOf(session, inCommand(reason, tool), now)
    const key = `${opinion.rule} ${opinion.value_at ?? ''}`
    if (!said.has(key)) said.set(key, opinion)
  }
  return [...said.values()]
}

/**
 * A step of a document, or a message that the gate sends for it. In a thread with the document's agent, all other calls were
 * chosen by a model.
 */
const isOfDocument = ({ by_run, tool_id }: Call): boolean =>
  by_run?.document !== undefined && (by_run.kind === 'workflow' || tool_id === SEND_TOOL_ID)

/**
 * A document is the operator's own text: it requests the action by naming the tool, and the content by naming what goes into
 * which field. It does not vouch for a destination, an address to fetch or a target to destroy that came from outside. See
 * docs/decisions/provenance-without-a-model.md
 */
function documentReasons({ session, judgement }: ProvenanceFact, tool: Facts['tool']): readonly Reason[] {
  const found = judgement.reasons.filter((reason) => countsForDocument(reason, tool))
  if (onlyReads(tool)) return found
  const unvouched = judgement.values.filter(
    ({ role, from, leaf }) =>
      role === 'destination' && (from === 'none' || (from === 'data' && isOfTrigger(session, leaf))),
  )
  return [
    ...found,
    ...unvouched.map(({ path, leaf }): Reason => ({
      rule: 'provenance.destination',
      value_at: path,
      ...(leaf === undefined ? {} : { leaf }),
    })),
  ]
}

/**
 * Whether a value comes from the event that started the run. Its sender chose every field, so none of them vouches for a
 * destination.
 */
function isOfTrigger({ origins, leaves }: Session, leaf: number | undefined): boolean {
  const origin = leaf === undefined ? undefined : origins[leaves.origin(leaf)]
  return origin?.kind === 'log' && origin.server === undefined
}

function countsForDocument({ rule, value_at }: Reason, { effects }: Facts['tool']): boolean {
  if (OF_DOCUMENTS.has(rule)) return true
  const destroys = effects.includes('destructive') || effects.includes('privileged')
  return destroys && value_at !== undefined && OF_DESTROYING.has(rule)
}
const OF_DOCUMENTS: ReadonlySet<ProvenanceRule> = new Set<ProvenanceRule>([
  'provenance.destination',
  'provenance.fetch',
])
const OF_DESTROYING: ReadonlySet<ProvenanceRule> = new Set<ProvenanceRule>([
  'provenance.entity',
  'provenance.contested',
])

/** Judges a call in steps, because a call may have thousands of values. */
export function judgedProvenance(
  { session, mode }: Pick<ProvenanceFact, 'session' | 'mode'>,
  call: Pick<Call, 'tool_id' | 'canonical_args'>,
  tool: Facts['tool'],
  commandOf: ReadCommand,
): Generator<void, ProvenanceJudgement> {
  return judgementSteps(session, {
    tool: call.tool_id,
    definition: inForce(tool.row).definition,
    effects: tool.effects,
    args: withAddresses(withoutInputs(argsOf(call)), commandOf(tool, call)?.addresses ?? []),
    mode,
    ...(tool.recipients === undefined ? {} : { recipients: tool.recipients }),
  })
}

/** Adds the addresses in a shell command as destinations of their own, like the address field of a tool that fetches. */
function withAddresses(args: Json, addresses: readonly string[]): Json {
  return isJsonObject(args) && addresses.length > 0 ? { ...args, [ADDRESSES_KEY]: addresses } : args
}

/** The extra argument that holds a command's addresses while provenance is judged. */
const ADDRESSES_KEY = 'shell_url'

/** Drops the answers to a tool's questions: the user of the client gave them, in reply to the tool. */
function withoutInputs(args: Json): Json {
  if (!isJsonObject(args) || !Object.hasOwn(args, INPUTS_KEY)) return args
  const { [INPUTS_KEY]: _, ...own } = args
  return own
}

const inCommand = (reason: Reason, { shell }: Facts['tool']): Reason =>
  shell !== undefined && reason.value_at?.startsWith(`/${ADDRESSES_KEY}`) === true
    ? { ...reason, value_at: `/${shell}` }
    : reason

function opinionOf(session: Session, { rule, value_at, leaf, unsure }: Reason, now: number): Opinion {
  const origin = leaf === undefined ? undefined : session.origins[session.leaves.origin(leaf)]
  const from = origin === undefined ? undefined : originLabel(origin)
  return {
    decider: 'provenance',
    effect: 'ask',
    rule,
    says: (unsure === true ? UNSURE_SAYS : SAYS[rule])(value_at === undefined ? undefined : `\`${value_at}\``, from),
    source: from ?? 'session',
    at: now,
    ...(value_at === undefined ? {} : { value_at }),
    ...(origin?.call === undefined ? {} : { from_call: origin.call }),
  }
}

/** A short description of where something came from. */
export function originLabel({ kind, name, server }: TextOrigin): string {
  const what = name ?? server ?? 'a tool server'
  if (kind === 'text') return `the text of ${server === undefined ? what : `a call of \`${what}\``}`
  return kind === 'output' ? `the output of \`${what}\`` : `the ${kind} \`${what}\``
}

type Saying = (value: string | undefined, from: string | undefined) => string
const elsewhere = (from: string | undefined) => from ?? 'a text that the agent read'

const UNSURE_SAYS: Saying = (value) =>
  `${value === undefined ? 'the user did not clearly ask for this' : `${value} does not come from the user`}, and the session has read more than the gate remembers, so a text may have asked for it; a new session starts without this doubt`

const SAYS: Readonly<Record<ProvenanceRule, Saying>> = {
  'provenance.unlicensed': (_, from) =>
    `the user did not ask for this, and ${elsewhere(from)} was read earlier in the session`,
  'provenance.contested': (value, from) =>
    value === undefined
      ? `${elsewhere(from)} asks for this too, and the user did not clearly ask for it`
      : `${value} does not come from the user, and a text that was read asks for this action`,
  'provenance.destination': (value, from) =>
    from === undefined
      ? `${value ?? 'the destination'} did not come from the user or a trusted source`
      : `${value ?? 'the destination'} came from ${from}, not from the user`,
  'provenance.entity': (value, from) =>
    from === undefined
      ? `${value ?? 'the target'} did not come from the user or a trusted source`
      : `${value ?? 'the target'} came from ${from}, not from the user`,
  'provenance.content': (value, from) =>
    `${value ?? 'the content'} copies text from ${elsewhere(from)}, which the user did not write`,
  'provenance.fetch': (value, from) =>
    `the address ${value ?? ''} came from ${elsewhere(from)}, which asks for something`,
}
