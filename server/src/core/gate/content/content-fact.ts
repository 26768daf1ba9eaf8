import type { ContentSettings } from '../../../contract/judgement.ts'
import type { ArgFinding, ArgScan } from '../../dlp/scan-args.ts'
import type { Tool } from '../../../contract/tool.ts'
import { isRecipient } from './recipient-fields.ts'
import { whereItGoes, type Goes, type Reach } from './where-it-goes.ts'

/**
 * What the operator wants of this tool's arguments, where its server is, and what was found in them. `unknown`: the search
 * could not be finished.
 */
export type ContentFact = ContentSettings & { readonly reach: Reach; readonly scan: ArgScan | 'unknown' }

/** Types that identify a person or their money wherever they stand; the others only where something is written or sent. */
const HARD = new Set(['PAYMENT_CARD', 'IBAN', 'NATIONAL_ID'])
/** Rules for what identifies nobody outside. */
const NOT_PERSONAL = new Set(['ipv4-local', 'ipv6-local', 'mac-address'])

/** The personal data that a person is asked about. Of what is only read: what goes into an address, and money or identity that leaves. */
export function personalIn(findings: readonly ArgFinding[], tool: Tool, reach: Reach): ArgFinding[] {
  const isRead = tool.effects.every((effect) => effect === 'read')
  const isHere = isRead && whereItGoes(tool, reach) === 'reads_here'
  return findings.filter(
    (finding) =>
      finding.kind === 'pii' &&
      !NOT_PERSONAL.has(finding.rule) &&
      (!isRead || (HARD.has(finding.type) && !isHere) || finding.url === 'rest') &&
      !isRecipient(finding, tool),
  )
}

/** Guesses from a name or from randomness alone: in a read they would mostly be page tokens and keys of records. */
const GUESSES = new Set(['assigned-password', 'assigned-credential', 'random-string'])

/** Where one secret goes: with an address of the network it leaves, whatever else is known of the tool. */
export function secretGoes(finding: ArgFinding, goes: Goes): Goes {
  if (goes !== 'unknown' && goes !== 'reads_here') return goes
  if (finding.url !== undefined) return 'leaves'
  return GUESSES.has(finding.rule) ? 'reads_here' : goes
}
