import { BROKE_OFF, UNREACHED } from '../../adapters/cli/client.ts'
import { EXIT } from '../../adapters/cli/exit-codes.ts'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { fieldsOf, printReply, textOf, type PrintedFields } from '../../adapters/cli/print.ts'
import type { Cli } from '../../adapters/cli/cli.ts'

const ASK_EVERY_MS = 1_000

type LoginOptions = { shared?: boolean; browser: boolean; paste?: boolean }

/** Logins at tool servers that require one. */
export function addLoginCommands(servers: Command, cli: Cli): void {
  servers
    .command('login <server>')
    .description('log in to a tool server, in a browser')
    .option('--shared', "the gate's own login, for servers with one login per user; it is used to list the tools")
    .option('--no-browser', 'only print the address')
    .option('--paste', 'for a browser on another machine: paste the address that it was redirected to')
    .action((server: string, options: LoginOptions) => logIn(cli, server, options))

  servers
    .command('logout <server>')
    .description('log out of a tool server: its tokens are revoked and deleted')
    .option('--shared', "the gate's own login, for servers with one login per user")
    .action(async (server: string, options: { shared?: boolean }) => {
      const reply = await cli.send('DELETE', placeOf(server, options))
      const says = (body: PrintedFields) =>
        body['revoked'] === true
          ? `logged out of ${server}; the tokens were revoked`
          : `logged out of ${server}; there were no tokens to revoke, or the authorization server did not confirm the revocation`
      cli.exit(printReply(cli.out(), reply, (body) => cli.out().line(says(body))))
    })
}

const placeOf = (server: string, { shared }: { shared?: boolean }) =>
  `/v1/servers/${encodeURIComponent(server)}/login${shared === true ? '?shared=1' : ''}`

async function logIn(cli: Cli, server: string, options: LoginOptions): Promise<void> {
  const out = cli.out()
  const path = placeOf(server, {})
  const body = options.shared === true ? { shared: true } : {}
  const started = await cli.send('POST', path, body)
  if (started.status !== 200) return cli.exit(printReply(out, started, () => undefined))
  const { url, authorization_url, expires_at, began_at } = started.body as PrintedFields
  if (options.paste === true) {
    out.error('open this address in a browser, log in and agree:')
    out.error(`  ${textOf(authorization_url)}`)
    out.error('the browser then stops at an address that it cannot open; paste that address here')
    const back = await pasted()
    const done = await cli.send('POST', `${path}/finish`, { ...body, url: back })
    return cli.exit(printReply(out, done, () => out.line(`logged in to ${server}`)))
  }
  out.error(`open this address in a browser to log in to ${server}:`)
  out.error(`  ${textOf(url)}`)
  if (options.browser && process.stdout.isTTY) openBrowser(textOf(url))
  const notLoggedIn = (why: string) => {
    out.error(`${why}; run \`sluice servers login ${server}\` again`, 'bad')
    return cli.exit(EXIT.problem)
  }
  while (Date.now() < Number(expires_at)) {
    await sleep(ASK_EVERY_MS)
    const reply = await cli.send('GET', placeOf(server, options))
    // The gate cannot be reached; it is asked again whether it still waits for the login.
    if (reply.status === UNREACHED || reply.status === BROKE_OFF) continue
    const { logged_in_at, state, waiting_until } = fieldsOf(reply.body)
    const isDone = state === 'logged_in' && Number(logged_in_at) >= Number(began_at)
    if (reply.status !== 200 || isDone)
      return cli.exit(printReply(out, reply, () => out.line(`logged in to ${server}`)))
    if (waiting_until === undefined)
      return notLoggedIn('the gate is no longer waiting for this login: it was refused, or the gate was restarted')
  }
  return notLoggedIn('the login was not completed in time')
}

async function pasted(): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await lines.question('address: ')).trim()
  } finally {
    lines.close()
  }
}

/** If no browser can be opened, the printed address is enough. */
function openBrowser(url: string): void {
  if (!/^https?:\/\//.test(url)) return
  const [program, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url]
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
