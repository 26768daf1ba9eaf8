import { printReview } from './print-definition.ts'
import { packetHead, packetLines } from './packet-lines.ts'
import { fieldsOf, itemsOf, textOf, type PrintedFields, type Out } from './print.ts'

const FOLDED = 12

/** Prints one request: shortened in a list, in full when shown alone. */
export function printPacket(out: Out, packet: PrintedFields, how: 'folded' | 'whole' = 'folded'): void {
  const id = textOf(packet['approval_id'])
  const frame = {
    width: out.width,
    most: how === 'whole' ? Number.MAX_SAFE_INTEGER : FOLDED,
    more: `; show all: sluice approvals ${id}`,
    reveal: `to show redacted text: sluice approvals ${id} --reveal (this is recorded)`,
  }
  out.line(packetHead(packet), 'head')
  for (const { text, tone } of packetLines(packet, frame)) out.line(text, tone)
  if (packet['definition'] !== undefined) printReview(out, fieldsOf(packet['definition']))
}

/** What an approval repeats of a packet that was shown whole. */
export function unfoldedIn(packet: PrintedFields): { readonly unfolded?: readonly string[] } {
  const ids = itemsOf({ items: packet['foldable'] }).map((text) => textOf(text['id']))
  return ids.length === 0 ? {} : { unfolded: ids }
}
