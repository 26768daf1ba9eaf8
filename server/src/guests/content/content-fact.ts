import type { ContentSettings } from './section.ts'
import type { ArgMatch, ArgScan } from './scan-args.ts'
import { onlyReads, type Tool } from '../../kernel/contract/tool.ts'
import { isRecipient } from './recipient-fields.ts'
import { dataDestination, type DataDestination, type DataReach } from './data-destination.ts'

/**
 * The operator's content settings for this tool, where its server is, and what was found in the arguments. `unknown`: the search
 * could not be completed.
 */
export type ContentFact = ContentSettings & { readonly reach: DataReach; readonly scan: ArgScan | 'unknown' }

/** Types that always identify a person or their money. The other types count only where something is written or sent. */
const HARD = new Set(['PAYMENT_CARD', 'IBAN', 'NATIONAL_ID'])
/** Rules that match addresses which do not identify a person. */
const NOT_PERSONAL = new Set(['ipv4-local', 'ipv6-local', 'mac-address'])

/**
 * The personal data that a person is asked about. For a read: only data in a network address, and payment or identity numbers
 * that leave the machine.
 */
export function personalIn(findings: readonly ArgMatch[], tool: Tool, reach: DataReach): ArgMatch[] {
  const isRead = onlyReads(tool)
  const isHere = isRead && dataDestination(tool, reach) === 'reads_here'
  return findings.filter(
    (finding) =>
      finding.kind === 'pii' &&
      !NOT_PERSONAL.has(finding.rule) &&
      (!isRead || (HARD.has(finding.type) && !isHere) || finding.url === 'rest') &&
      !isRecipient(finding, tool),
  )
}

/** Rules that guess from a field name or from randomness alone. In a read they would mostly match page tokens and record keys. */
const GUESSES = new Set(['assigned-password', 'assigned-credential', 'random-string'])

/** Where one secret goes. A secret inside a network address leaves the machine, whatever else is known about the tool. */
export function secretGoes(finding: ArgMatch, goes: DataDestination): DataDestination {
  if (goes !== 'unknown' && goes !== 'reads_here') return goes
  if (finding.url !== undefined) return 'leaves'
  return GUESSES.has(finding.rule) ? 'reads_here' : goes
}
