import type { Command } from 'commander'
import { shortened, visibleText } from '../../kernel/contract/visible-text.ts'
import { count as plural } from '../../kernel/contract/framed-text.ts'
import { EXIT } from '../../adapters/cli/exit-codes.ts'
import { fieldsOf, itemsOf, printReply, table, textOf, type PrintedFields, type Out } from '../../adapters/cli/print.ts'
import type { Cli } from '../../adapters/cli/cli.ts'

/** Packs: what is known about the tools of well-known servers, and which configured servers they apply to. */
export function addPackCommands(program: Command, cli: Cli): void {
  program
    .command('packs [list] [name]')
    .description(
      'what Sluice knows about the tools of well-known servers: `packs list`, `packs show NAME`, `packs check`',
    )
    .action(async (verb: string | undefined, name: string | undefined) => {
      const out = cli.out()
      const isShow = verb === 'show'
      if (!['list', 'show', 'check', undefined].includes(verb))
        return cli.fail(`\`packs ${verb ?? ''}\` is not a command; use packs list, packs show NAME or packs check`)
      if (isShow && name === undefined)
        return cli.fail('name the pack: sluice packs show NAME; list them with: sluice packs list')
      if (!isShow && name !== undefined) return cli.fail(`\`packs ${verb ?? ''}\` takes no name`)
      const reply = await cli.send('GET', '/v1/packs')
      const packs = itemsOf(reply.body)
      const found = packs.find((pack) => textOf(pack['pack']) === name)
      if (isShow && reply.status === 200 && found === undefined)
        return cli.fail(`there is no pack \`${name ?? ''}\`; list them with: sluice packs list`)
      const code = printReply(out, isShow && found !== undefined ? { ...reply, body: found } : reply, () => {
        if (isShow && found !== undefined) printPack(out, found)
        else if (verb === 'check') printCheck(out, packs)
        else table(out, [['PACK', 'TITLE', 'TOOLS', 'IN USE FOR'], ...packs.map(packRow)])
      })
      const isDiffering =
        verb === 'check' && packs.some((pack) => serversOf(pack).some((one) => count(one['differing']) > 0))
      cli.exit(code === EXIT.ok && isDiffering ? EXIT.problem : code)
    })
}

const LONGEST = 120
const shown = (value: unknown): string => shortened(visibleText(textOf(value)), LONGEST)
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const count = (value: unknown): number => listOf(value).length
const serversOf = (pack: PrintedFields): readonly PrintedFields[] => listOf(pack['servers']).map(fieldsOf)

function packRow(pack: PrintedFields): string[] {
  const own = pack['source'] === 'operator' ? ' (your own)' : ''
  const servers = serversOf(pack).map(({ server }) => shown(server))
  return [`${shown(pack['pack'])}${own}`, shown(pack['title']), String(count(pack['tools'])), servers.join(', ')]
}

function printRow(out: Out, pack: PrintedFields): void {
  const servers = serversOf(pack).map(({ server }) => shown(server))
  const where = servers.length === 0 ? '' : `, in use for ${servers.join(', ')}`
  const own = pack['source'] === 'operator' ? ' (your own)' : ''
  out.line(`${shown(pack['pack'])}${own}  ${shown(pack['title'])}, ${plural(count(pack['tools']), 'tool')}${where}`)
}

function printPack(out: Out, pack: PrintedFields): void {
  printRow(out, pack)
  out.line(`  read from ${shown(pack['from'])}`)
  for (const [what, values] of [
    ['packages', pack['packages']],
    ['addresses', pack['addresses']],
    ['coding agents', pack['clients']],
  ] as const)
    if (count(values) > 0) out.line(`  ${what}: ${listOf(values).map(shown).join(', ')}`)
  for (const tool of listOf(pack['tools']).map(fieldsOf)) {
    const parts = (['recipients', 'amounts', 'paths'] as const).flatMap((what) =>
      count(tool[what]) === 0 ? [] : [`${what} ${listOf(tool[what]).map(shown).join(' ')}`],
    )
    const undo = tool['rollback'] === undefined ? [] : [`undone by ${shown(tool['rollback'])}`]
    const known =
      tool['definitions'] === 0 && count(pack['clients']) === 0
        ? ['known by name only: the pack can add effects, but removes none']
        : []
    const more = [...parts, ...undo, ...known]
    const effects = listOf(tool['effects']).map(shown).join(', ')
    out.line(`  ${shown(tool['name'])}: ${effects}${more.length === 0 ? '' : `; ${more.join('; ')}`}`)
  }
}

/** For each server with a pack: which of its tools match the pack. */
function printCheck(out: Out, packs: readonly PrintedFields[]): void {
  const used = packs.flatMap((pack) => serversOf(pack).map((server) => ({ pack, server })))
  if (used.length === 0) out.line('there is no pack for any of the configured servers')
  for (const { pack, server } of used) {
    const sums = `${plural(count(server['matched']), 'tool')} as recorded, ${count(server['differing'])} changed, ${count(server['unknown'])} not in the pack`
    out.line(`${shown(server['server'])}: pack ${shown(pack['pack'])}, ${sums}`)
    for (const name of listOf(server['differing']))
      out.line(`  ${shown(name)} is defined differently here: the pack only adds effects to it`)
    for (const name of listOf(server['unknown']))
      out.line(`  ${shown(name)} is not in the pack: its effects are inferred`)
  }
}
