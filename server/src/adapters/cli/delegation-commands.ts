import type { Command } from 'commander'
import { durationMs, spellDuration } from '../../kernel/contract/routes.ts'
import { shortened, visibleText } from '../../kernel/contract/visible-text.ts'
import { PASSPHRASE_FILE, sendProven, type WithPassphrase } from './passphrase-commands.ts'
import { fieldsOf, itemsOf, printReply, textOf, timeOf, type PrintedFields } from './print.ts'
import type { Cli } from './cli.ts'

/** Approval routes and delegations. */
export function addDelegationCommands(program: Command, cli: Cli): void {
  program
    .command('routes')
    .description('show who is asked about which calls: the configured groups and routes')
    .action(async () => {
      const out = cli.out()
      const reply = await cli.send('GET', '/v1/approval-routes')
      const code = printReply(out, reply, (body) => {
        const routes = Array.isArray(body['routes']) ? body['routes'].map(fieldsOf) : []
        if (routes.length === 0) out.line('no routes: every approver may decide every request')
        for (const route of routes) for (const line of routeLines(route)) out.line(line)
        for (const [name, people] of Object.entries(fieldsOf(body['groups'])))
          out.line(`group ${name}: ${(Array.isArray(people) ? people : []).map((one) => shown(one)).join(', ')}`)
      })
      cli.exit(code)
    })

  program
    .command('delegate <user>')
    .description('let another approver decide in your place for a time')
    .requiredOption('--for <time>', 'for how long: 30m, 8h, 14d')
    .option('--reason <text>', 'the reason, for the audit')
    .option(...PASSPHRASE_FILE)
    .action(async (user: string, options: { for: string; reason?: string } & WithPassphrase) => {
      const ms = durationMs(options.for)
      if (ms === undefined) return cli.fail(`\`${options.for}\` is not a time such as 30m, 8h or 14d`)
      const reason = options.reason === undefined ? {} : { reason: options.reason }
      const body = { to: user, for_s: ms / 1000, ...reason }
      const reply = await sendProven(cli, '/v1/delegations', options.passphraseFile, body)
      cli.exit(printReply(cli.out(), reply, (body) => cli.out().line(delegationLine(body))))
    })

  program
    .command('delegations [end] [delegation_id]')
    .description('list delegations; `delegations end ID` ends one now')
    .action(async (verb: string | undefined, id: string | undefined) => {
      const out = cli.out()
      if (verb !== undefined && (verb !== 'end' || id === undefined))
        return cli.fail('write `sluice delegations` or `sluice delegations end ID`')
      if (id !== undefined) {
        const ended = await cli.send('DELETE', `/v1/delegations/${encodeURIComponent(id)}`)
        return cli.exit(printReply(out, ended, (body) => out.line(`${textOf(body['delegation_id'])} has ended`)))
      }
      const reply = await cli.send('GET', '/v1/delegations')
      const code = printReply(out, reply, (body) => {
        const items = itemsOf(body)
        if (items.length === 0) out.line('there are no delegations')
        for (const item of items) out.line(delegationLine(item))
      })
      cli.exit(code)
    })
}

const LONGEST = 80
const shown = (value: unknown): string => shortened(visibleText(textOf(value)), LONGEST)

function delegationLine(item: PrintedFields): string {
  const reason = item['reason'] === undefined ? '' : `: ${shown(item['reason'])}`
  const who = `${shown(item['to'])} may decide for ${shown(item['from'])}`
  return `${textOf(item['delegation_id'])}  ${who} until ${timeOf(item['until'])}${reason}`
}

function routeLines(route: PrintedFields): string[] {
  const match = Object.entries(fieldsOf(route['match'])).map(([field, value]) => `${field} ${JSON.stringify(value)}`)
  const whom = route['group'] === undefined ? 'any approvers' : `the group ${textOf(route['group'])}`
  const people = `asks ${textOf(route['people'])} of ${whom}, ${textOf(route['strength'])}`
  const escalation = fieldsOf(route['escalation'])
  const later =
    route['escalation'] === undefined
      ? ''
      : `; after ${spellDuration(Number(escalation['after_ms']))} also ${textOf(escalation['to'])}`
  const channels = Array.isArray(route['channels']) ? `; announced on ${route['channels'].map(shown).join(', ')}` : ''
  return [
    `${textOf(route['id'])}: ${match.length === 0 ? 'every call' : shortened(visibleText(match.join(', ')), 400)}`,
    `  ${people}${later}${channels}`,
  ]
}
