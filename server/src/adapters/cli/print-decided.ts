import { missingWords } from './asked-lines.ts'
import { printMinted } from './consent-commands.ts'
import { fieldsOf, textOf, type Fields, type Out } from './print.ts'

/** What became of a request by a decision. */
export function printDecided(out: Out, body: Fields): void {
  const id = textOf(body['approval_id'])
  const state = textOf(body['state'])
  const asked = fieldsOf(body['asked'])
  if (body['replaces'] !== undefined)
    out.line(`${textOf(body['replaces'])} was edited; the new request is ${id}: sluice approve ${id}`)
  else if (state === 'pending')
    out.line(`${id} has ${textOf(asked['approved'])} of ${textOf(asked['people'])} approvals; ${missingWords(asked)}`)
  else out.line(`${id} is ${state}; outcome: sluice status ${textOf(body['call_id'])}`)
  if (body['consent'] !== undefined) printMinted(out, fieldsOf(body['consent']))
}
