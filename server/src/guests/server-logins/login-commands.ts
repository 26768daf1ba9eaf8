import { BROKE_OFF, UNREACHED } from '../../adapters/cli/client.ts'
import { EXIT } from '../../adapters/cli/exit-codes.ts'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { count, fieldsOf, printReply, textOf, timeOf, type Fields, type Out } from '../../adapters/cli/print.ts'
import type { Session } from '../../adapters/cli/session.ts'

const ASK_EVERY_MS = 1_000

type LoginOptions = { shared?: boolean; browser: boolean; paste?: boolean }

/** Logins at tool servers that require one. */
export function addLoginCommands(servers: Command, session: Session): void {
  servers
    .command('login <server>')
    .description('log in to a tool server, in a browser')
    .option('--shared', "the gate's own login, for servers with one login per user; it is used to list the tools")
    .option('--no-browser', 'only print the address')
    .option('--paste', 'for a browser on another machine: paste the address that it ends on')
    .action((server: string, options: LoginOptions) => logIn(session, server, options))

  servers
    .command('logout <server>')
    .description('log out of a tool server: its tokens are revoked and deleted')
    .option('--shared', "the gate's own login, for servers with one login per user")
    .action(async (server: string, options: { shared?: boolean }) => {
      const reply = await session.send('DELETE', placeOf(server, options))
      const says = (body: Fields) =>
        body['revoked'] === true
          ? `logged out of ${server}; the tokens were revoked`
          : `logged out of ${server}; there were no tokens to revoke, or the authorization server did not confirm the revocation`
      session.exit(printReply(session.out(), reply, (body) => session.out().line(says(body))))
    })
}

/** What `sluice servers` says of a server's login. */
export function printLogin(out: Out, { server, state, login }: Fields): void {
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

const placeOf = (server: string, { shared }: { shared?: boolean }) =>
  `/v1/servers/${encodeURIComponent(server)}/login${shared === true ? '?shared=1' : ''}`

async function logIn(session: Session, server: string, options: LoginOptions): Promise<void> {
  const out = session.out()
  const path = placeOf(server, {})
  const body = options.shared === true ? { shared: true } : {}
  const started = await session.send('POST', path, body)
  if (started.status !== 200) return session.exit(printReply(out, started, () => undefined))
  const { url, authorization_url, expires_at, began_at } = started.body as Fields
  if (options.paste === true) {
    out.error('open this address in a browser, log in and agree:')
    out.error(`  ${textOf(authorization_url)}`)
    out.error('the browser then stops at an address that it cannot open; paste that address here')
    const back = await pasted()
    const done = await session.send('POST', `${path}/finish`, { ...body, url: back })
    return session.exit(printReply(out, done, () => out.line(`logged in to ${server}`)))
  }
  out.error(`open this address in a browser to log in to ${server}:`)
  out.error(`  ${textOf(url)}`)
  if (options.browser && process.stdout.isTTY) openBrowser(textOf(url))
  const notLoggedIn = (why: string) => {
    out.error(`${why}; run \`sluice servers login ${server}\` again`, 'bad')
    return session.exit(EXIT.problem)
  }
  while (Date.now() < Number(expires_at)) {
    await sleep(ASK_EVERY_MS)
    const reply = await session.send('GET', placeOf(server, options))
    // The gate cannot be reached; it is asked again whether it still waits for the login.
    if (reply.status === UNREACHED || reply.status === BROKE_OFF) continue
    const { logged_in_at, state, waiting_until } = fieldsOf(reply.body)
    const isDone = state === 'logged_in' && Number(logged_in_at) >= Number(began_at)
    if (reply.status !== 200 || isDone)
      return session.exit(printReply(out, reply, () => out.line(`logged in to ${server}`)))
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
