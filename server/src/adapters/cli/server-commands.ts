import type { Command } from 'commander'
import { quoted } from '../../kernel/contract/visible-text.ts'
import { EXIT } from './exit-codes.ts'
import { count, fieldsOf, itemsOf, printReply, table, textOf, timeOf, type PrintedFields, type Out } from './print.ts'
import type { Cli } from './cli.ts'

/** How much of a server's stderr is printed below the list; the console shows more. */
const LAST_LINES = 5

/** The tool servers: their health, another attempt to reach one, and logins. */
export function addServerCommands(program: Command, cli: Cli): void {
  const servers = program
    .command('servers')
    .description('list tool servers and their health')
    .action(async () => {
      const reply = await cli.send('GET', '/v1/servers')
      cli.exit(printReply(cli.out(), reply, (body) => printServers(cli.out(), itemsOf(body))))
    })
  servers
    .command('retry <server>')
    .description('try at once to start or reach a tool server that is down')
    .action(async (name: string) => {
      const out = cli.out()
      const reply = await cli.send('POST', `/v1/servers/${encodeURIComponent(name)}/retry`)
      const code = printReply(out, reply, (server) => {
        if (server['state'] === 'ready') return out.line(`${name} is ready`, 'good')
        out.line(`${name} is still ${stateOf(server)}: ${textOf(server['last_failure'])}`, 'bad')
        printLastLines(out, server)
      })
      cli.exit(code === EXIT.ok && fieldsOf(reply.body)['state'] !== 'ready' ? EXIT.problem : code)
    })
  cli.extend(servers)
}

function printServers(out: Out, servers: readonly PrintedFields[]): void {
  const row = (server: PrintedFields) =>
    [server['server'], stateOf(server), server['tools'], server['last_failure']].map(textOf)
  table(out, [['SERVER', 'STATE', 'TOOLS', 'LAST FAILURE'], ...servers.map(row)], 'no tool servers')
  for (const server of servers) {
    printFindings(out, server)
    printLogin(out, server)
    if (server['state'] !== 'ready') printLastLines(out, server)
  }
}

/** What `sluice servers` says of a server's login. */
function printLogin(out: Out, { server, state, login }: PrintedFields): void {
  const name = textOf(server)
  const { per, state: known, issuer, expires_at, renews, users } = fieldsOf(login)
  const command = `sluice servers login ${name}${per === 'user' ? ' --shared' : ''}`
  if (state === 'needs_login') return out.line(`${name}: log in with \`${command}\``, 'held')
  if (known !== 'logged_in') return undefined
  const until =
    renews === true ? 'renewed automatically' : expires_at === undefined ? '' : `valid until ${timeOf(expires_at)}`
  const own = users === undefined ? '' : `, ${count(users, 'user')} with their own login`
  return out.line(`${name}: logged in at ${textOf(issuer)}${until === '' ? '' : `, ${until}`}${own}`, 'quiet')
}

const WORDS: Readonly<Record<string, string>> = { waiting: 'down', needs_login: 'needs login' }
const stateOf = ({ state }: PrintedFields): string => WORDS[textOf(state)] ?? textOf(state)

/** The end of what a server that is down wrote to stderr. */
function printLastLines(out: Out, { server, stderr }: PrintedFields): void {
  if (!Array.isArray(stderr) || stderr.length === 0) return
  out.line(`${textOf(server)}: the last lines it printed:`, 'held')
  for (const line of stderr.slice(-LAST_LINES)) out.line(`  ${textOf(line)}`)
}

/** Which parts of a server's tool list were cut or left out. */
function printFindings(out: Out, server: PrintedFields): void {
  const findings = Array.isArray(server['findings']) ? server['findings'].map(fieldsOf) : []
  for (const { says, tools, example } of findings)
    out.line(`${textOf(server['server'])}: ${textOf(says)} (${textOf(tools)}, e.g. ${quoted(textOf(example))})`, 'held')
}
