import type { Command } from 'commander'
import { countOf } from './option-values.ts'
import type { CliClient } from './client.ts'
import { fieldsOf, itemsOf, printWarnings, printReply, table, textOf, type PrintedFields, type Out } from './print.ts'
import { PASSPHRASE_FILE, sendProven, type WithPassphrase } from './passphrase-commands.ts'
import { printDefinition } from './print-definition.ts'
import type { Cli } from './cli.ts'

/** The tools behind the gate: list, search, and how to call one. */
export function addToolCommands(program: Command, cli: Cli): void {
  const tools = program.command('tools').description('list the tools behind the gate')
  tools.action(async () => {
    const reply = await sendForAll(cli.send, '/v1/tools')
    const head = ['TOOL', 'RISK', 'EFFECTS', 'ADMITTED']
    const row = (tool: PrintedFields) => [
      textOf(tool['tool_id']),
      textOf(tool['risk']),
      `${Array.isArray(tool['effects']) ? tool['effects'].join(', ') : ''} (${textOf(tool['effects_from'])})`,
      tool['admitted'] === true ? 'yes' : `no: sluice tools diff ${textOf(tool['tool_id'])}`,
    ]
    const code = printReply(cli.out(), reply, (body) => table(cli.out(), [head, ...itemsOf(body).map(row)], 'no tools'))
    printWarnings(cli.out(), reply.body)
    cli.exit(code)
  })

  tools
    .command('diff [tool_id]')
    .description('compare the admitted definition with the current one, for one tool or for all that are not admitted')
    .action(async (id: string | undefined) => {
      if (id !== undefined) return cli.exit(await printDefinition(cli, id))
      const reply = await sendForAll(cli.send, '/v1/tools')
      const waiting = itemsOf(reply.body).filter((tool) => tool['admitted'] !== true && tool['gone_at'] === undefined)
      if (reply.status >= 400 || waiting.length === 0)
        return cli.exit(printReply(cli.out(), reply, () => cli.out().line('all tools are admitted')))
      const codes: number[] = []
      for (const tool of waiting) codes.push(await printDefinition(cli, textOf(tool['tool_id'])))
      cli.exit(Math.max(...codes))
    })

  program
    .command('search <words...>')
    .description('find tools by what they do, best match first')
    .option('--top-k <count>', 'how many', countOf, 5)
    .action(async (words: readonly string[], options: { topK: number }) => {
      const asked = new URLSearchParams({ q: words.join(' '), top_k: String(options.topK) })
      const reply = await cli.send('GET', `/v1/tools/search?${asked.toString()}`)
      cli.exit(printReply(cli.out(), reply, (body) => printFound(cli.out(), itemsOf(body))))
      printWarnings(cli.out(), reply.body)
    })

  program
    .command('card <tool_id>')
    .description('show how to call a tool and how it is executed')
    .option('--full', 'show the full schema and description')
    .action(async (id: string, options: { full?: boolean }) => {
      const full = options.full === true ? '?full=1' : ''
      const reply = await cli.send('GET', `/v1/tools/${encodeURIComponent(id)}${full}`)
      cli.exit(printReply(cli.out(), reply, (card) => printCard(cli.out(), card)))
    })

  program
    .command('admit <tool_id> <definition_hash>')
    .description('admit a new or changed tool definition, named by its hash')
    .option(...PASSPHRASE_FILE)
    .action(async (id: string, definition_hash: string, options: WithPassphrase) => {
      const path = `/v1/tools/${encodeURIComponent(id)}/admit`
      const reply = await sendProven(cli, path, options.passphraseFile, { definition_hash })
      cli.exit(printReply(cli.out(), reply, () => cli.out().line(`${id} is admitted`)))
    })
}

function printFound(out: Out, items: readonly PrintedFields[]): void {
  if (items.length === 0) return out.line('nothing found; try other words, or list all tools with `sluice tools`')
  const row = (found: PrintedFields) => [
    Number(found['score_hint']).toFixed(2),
    textOf(found['skill_id']),
    textOf(found['title']),
    textOf(found['reason']),
  ]
  table(out, [['SCORE', 'TOOL', 'TITLE', 'WHY'], ...items.map(row)])
}

function printCard(out: Out, card: PrintedFields): void {
  const effects = Array.isArray(card['effects']) ? card['effects'].join(', ') : ''
  out.line(`${textOf(card['skill_id'])}  ${textOf(card['title'])}`)
  out.line(`  ${textOf(card['purpose'])}`)
  out.line(`  risk ${textOf(card['risk'])}: ${effects} (${textOf(card['effects_from'])})`)
  out.line(`  ${textOf(card['asked'])}`)
  if (card['declared_read'] !== undefined) out.line(`  ${textOf(card['declared_read'])}`)
  out.line(`  arguments: ${textOf(card['input_schema'])}`)
  if (card['example'] !== undefined)
    out.line(`  example: sluice call ${textOf(card['skill_id'])} '${textOf(card['example'])}'`)
  for (const part of ['rollback', 'check', 'verify']) out.line(`  ${textOf(card[part])}`)
  if (card['shortened'] === true) out.line('  shortened; use --full to show everything')
}

/** All pages of a list as one reply, or the first reply that is not a page. */
async function sendForAll(send: CliClient, path: string): ReturnType<CliClient> {
  const first = await send('GET', path)
  const items = [...itemsOf(first.body)]
  let next = nextOf(first.body)
  if (next === undefined) return first
  while (next !== undefined) {
    const { body } = await send('GET', `${path}?after=${next}`)
    items.push(...itemsOf(body))
    next = nextOf(body)
  }
  return { ...first, body: { ...(first.body as PrintedFields), next: undefined, items } }
}

function nextOf(body: unknown): number | undefined {
  const { next } = fieldsOf(body)
  return typeof next === 'number' ? next : undefined
}
