import type { Packet } from '../api/types.ts'
import type { Sentence } from '../../../server/src/kernel/contract/sentence.ts'
import { valueText } from '../../../server/src/kernel/contract/value-text.ts'
import { many } from '../lib/time.ts'

export type ArgumentFields = Readonly<Record<string, unknown>>

/** The arguments as fields, or undefined when they are no object. */
export function argumentsOf(text: string): ArgumentFields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ArgumentFields) : undefined
  } catch {
    return undefined
  }
}

/** The value in this place, as a text. A recipient that is the name of a field is named. */
export function valueAt(args: ArgumentFields | undefined, at: string): string {
  let value: unknown = args
  let name = at
  for (const step of at.split('/').slice(1)) {
    name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  }
  if (typeof value === 'object' && value !== null) return name
  return value === undefined ? at : valueText(value)
}

/** A page with more rows would not be read; all of them are shown as JSON instead. */
const MOST_ROWS = 300

/** The arguments, if they are shown one per row. */
export function shownAsFields(packet: Pick<Packet, 'proposed_args'>): ArgumentFields | undefined {
  const args = argumentsOf(packet.proposed_args)
  return args === undefined || Object.keys(args).length > MOST_ROWS ? undefined : args
}

/** If the gate has no sentence, only say what is certain. */
export function sentenceOf(packet: Pick<Packet, 'sentence' | 'skill_id' | 'proposed_args'>): Sentence {
  if (packet.sentence !== undefined) return packet.sentence
  const inputs = Object.keys(argumentsOf(packet.proposed_args) ?? {}).length
  return {
    action: 'unknown',
    pieces: [
      { is: 'text', text: 'Call ' },
      { is: 'value', text: packet.skill_id },
      { is: 'text', text: ` with ${many(inputs, 'input')}.` },
    ],
    button: 'Approve and run',
  }
}

export const agentName = (id: string): string => id.replace(/^(?:agent|user|approver|reviewer|admin|node):/, '')

export const outsideOf = (packet: Packet): NonNullable<Packet['sources']> =>
  (packet.sources ?? []).filter(({ kind }) => kind === 'outside')

/** Deciders that object, most important first. */
export function reasonsOf(packet: Packet): { readonly against: Packet['risk_notes']; readonly fine: number } {
  const rank = { block: 0, ask: 1, allow: 2 } as const
  const weight = (note: Packet['risk_notes'][number]) => rank[note.effect] * 2 + (note.decider === 'provenance' ? 0 : 1)
  const against = packet.risk_notes.filter(({ effect }) => effect !== 'allow').sort((a, b) => weight(a) - weight(b))
  return { against, fine: packet.risk_notes.length - against.length }
}

/** Why a consent cannot cover such a call, or undefined. A consent covers only what the policy asks about, and never calls for two people. */
export function cannotRemember(packet: Packet): string | undefined {
  if (packet.node !== undefined) return 'Edit and Remember are not available: the call waits at a node.'
  if (packet.retries !== undefined) return 'Edit and Remember are not available: this is a retry.'
  const others = packet.risk_notes.filter(
    ({ decider, effect, rule, strength, proof }) =>
      effect !== 'allow' &&
      !(decider === 'policy' && strength !== 'two_person' && proof === undefined) &&
      !(decider === 'content' && rule === 'content.pii'),
  )
  if (outsideOf(packet).length > 0 || others.some(({ decider }) => decider === 'provenance'))
    return 'Remember is not available: a value came from an untrusted source.'
  if (packet.strength === 'two_person') return 'Remember is not available: two people must approve.'
  if (packet.hidden.length > 0) return 'Remember is not available: some text is hidden.'
  if (others.length > 0) return 'Remember is not available: it is not only your rules that hold this call.'
  if (argumentsOf(packet.proposed_args) === undefined) return 'Remember is not available: the inputs have no names.'
  return undefined
}
