import { printReview } from './print-definition.ts'
import { evidenceOf, fieldsOf, textOf, timeOf, toneOf, type Fields, type Out } from './print.ts'

/** One request as an approver reads it. */
export function printPacket(out: Out, packet: Fields): void {
  const asker = fieldsOf(packet['asked_by'])
  out.line(
    `${textOf(packet['approval_id'])}  ${textOf(packet['skill_id'])}  ${textOf(packet['strength'])}  ${textOf(packet['state'])}`,
    'head',
  )
  out.line(
    `  asked by ${textOf(asker['id'])} for ${textOf(asker['user'])}, decide until ${timeOf(packet['expires_at'])}`,
  )
  out.line(`  arguments: ${textOf(packet['proposed_args'])}`)
  if (packet['edited_from'] !== undefined) out.line(`  before:    ${textOf(packet['edited_from'])}`)
  for (const note of evidenceOf(packet)) out.line(`  ${note}`, toneOf(note))
  if (packet['definition'] !== undefined) printReview(out, fieldsOf(packet['definition']))
  const preview = fieldsOf(packet['preview'])['content']
  if (Array.isArray(preview))
    out.line(`  preview: ${preview.map((block) => textOf(fieldsOf(block)['text'])).join(' ')}`)
  for (const part of ['rollback', 'check', 'verify']) out.line(`  ${textOf(packet[part])}`)
}
