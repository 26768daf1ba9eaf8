import { visibleText } from '../../kernel/contract/visible-text.ts'
import { fieldsOf, printReply, textOf, type PrintedFields, type Out } from './print.ts'
import type { Cli } from './cli.ts'

const HEAD = {
  admitted: 'admitted: models see the definition that its server lists',
  changed: 'changed: models still see the admitted definition',
  new: 'new: not shown to agents until it is admitted',
  gone: 'gone: its server no longer lists it',
} as const

/** Gets the two definitions of a tool and prints the differences. Returns the exit code. */
export async function printDefinition(cli: Cli, tool_id: string): Promise<number> {
  const reply = await cli.send('GET', `/v1/tools/${encodeURIComponent(tool_id)}/definition`)
  return printReply(cli.out(), reply, (review) => printReview(cli.out(), review))
}

/** Both texts of every difference: `-` is the admitted one, `+` the one the server lists now. */
export function printReview(out: Out, review: PrintedFields): void {
  const status = textOf(review['status'])
  const tool_id = visibleText(textOf(review['tool_id']))
  const head = Object.entries(HEAD).find(([name]) => name === status)?.[1] ?? status
  out.line(`${tool_id}  ${head}`, 'head')
  const before = fieldsOf(review['before'])
  if (before['by'] !== undefined) out.line(`  ${admittedBy(textOf(before['by']))}`, 'quiet')
  for (const change of Array.isArray(review['changes']) ? review['changes'].map(fieldsOf) : []) {
    out.line(`  ${visibleText(textOf(change['path']))}`)
    printSide(out, '-', change['before'])
    printSide(out, '+', change['after'])
  }
  if (status === 'changed' || status === 'new')
    out.line(`  to admit exactly this: sluice admit ${tool_id} ${textOf(fieldsOf(review['after'])['hash'])}`)
}

/** The tools of a server's first list are admitted by nobody in particular. */
const admittedBy = (by: string): string =>
  by === 'first-listing' ? 'admitted when its server was first listed' : `admitted by ${visibleText(by)}`

/** Every line of a tool server's text begins with the sign, so none can look like our own. */
function printSide(out: Out, sign: '-' | '+', text: unknown): void {
  if (typeof text !== 'string') return
  for (const line of text.split(/\r\n|[\n\r]/))
    out.line(`    ${sign} ${visibleText(line)}`, sign === '+' ? 'held' : 'quiet')
}
