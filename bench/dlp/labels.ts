import type { TextMatch } from '../../server/src/guests/content/rule.ts'

/** One labelled text. `positions`: for personal data only, where the entity is, if the source says so. */
export type Sample = {
  readonly text: string
  readonly label: 'positive' | 'negative'
  readonly rule: string
  readonly positions?: readonly (readonly [number, number])[] | readonly number[] | null
}

/** Which findings answer a sample's question. */
export type Question = (finding: TextMatch) => boolean

/** The entities that the specification names, by the recogniser that labelled them. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  email: ['EMAIL'],
  credit_card: ['PAYMENT_CARD'],
  ip: ['IPV4', 'IPV6'],
  iban: ['IBAN'],
  phone: ['PHONE'],
}

/** Phone numbers by country and government-issued ids: extras, reported separately from the named ones. */
const OTHERS = ['NATIONAL_ID', 'MAC_ADDRESS', 'PHONE']

export const isPersonal = (sample: Sample): boolean => sample.positions !== undefined
export const isNamed = (sample: Sample): boolean => NAMED[sample.rule] !== undefined

/**
 * What counts as found. In sets of secrets: any finding of kind `secret`, except for `ip_public`, which asks for public addresses.
 * In sets of personal data: a finding of the entity of the sample's recogniser.
 */
export function questionOf(sample: Sample): Question {
  if (sample.rule === 'ip_public') return (finding) => finding.rule === 'ipv4'
  if (!isPersonal(sample)) return (finding) => finding.kind === 'secret'
  const types = NAMED[sample.rule] ?? OTHERS
  return (finding) => types.includes(finding.type) && touches(finding, sample.positions)
}

/** Whether a finding overlaps one of the labelled spans, where there are any. */
function touches(finding: TextMatch, positions: Sample['positions']): boolean {
  const spans = (positions ?? []).filter((span): span is readonly [number, number] => Array.isArray(span))
  return spans.length === 0 || spans.some(([start, end]) => finding.start < end && start < finding.end)
}
