import type { Command } from 'commander'
import { problem, type Result } from '../../kernel/contract/problems.ts'
import type { InitReport, InitOptions } from './init-report.ts'
import { quoted } from '../../kernel/contract/visible-text.ts'
import { EXIT } from '../../adapters/cli/exit-codes.ts'
import { confirmed } from '../../adapters/cli/confirm.ts'
import { asBody, printProblem, type Out } from '../../adapters/cli/print.ts'
import { installService, NO_SERVICE, serviceOf, serviceState } from '../service-commands.ts'
import type { Cli } from '../../adapters/cli/cli.ts'

type Words = {
  from?: string[]
  write?: boolean
  undo?: boolean
  dryRun?: boolean
  yes?: boolean
  hooks?: boolean
  service?: boolean
}

/** Moves the tool servers of MCP clients behind the gate, and back. */
export function addInitCommands(program: Command, cli: Cli): void {
  program
    .command('init')
    .description('write sluice.yaml with the servers of your MCP clients, and connect the clients to the gate instead')
    .option('--from <client or file...>', 'only these clients, or a file that contains `mcpServers`')
    .option('--write', 'replace the servers in the client configurations with the gate, after a backup')
    .option('--hooks', 'with --write: also judge the built-in tools of coding agents, through their hooks')
    .option('--no-hooks', 'with --write: do not ask about hooks')
    .option('--service', 'with --write: also start the gate when you log in, as `sluice service install` does')
    .option('--no-service', 'with --write: do not ask about the service')
    .option('--undo', 'restore the client configurations from before the last `--write`')
    .option('--dry-run', 'show what would be done, and change nothing')
    .option('--yes', 'do not ask before changing files of other programs')
    .action(async (words: Words) => {
      const needsWrite = (['hooks', 'service'] as const).find((name) => words[name] === true)
      if (needsWrite !== undefined && (words.write !== true || words.undo === true))
        return cli.fail(`--${needsWrite} needs --write: it changes files of other programs`)
      const asked: InitOptions = {
        from: words.from ?? [],
        write: words.write === true,
        hooks: words.hooks === true,
        undo: words.undo === true,
        dry_run: words.dryRun === true,
      }
      const out = cli.out()
      const initOptions = asked.write && !asked.dry_run && words.yes !== true ? await agreed(cli, asked, words) : asked
      if (initOptions === undefined) return cli.exit(EXIT.problem)
      const done = await initWith(cli, initOptions)
      if (!done.ok) {
        if (out.json) out.line(JSON.stringify(asBody(done.problem)))
        cli.exit(out.json ? EXIT.problem : printProblem(out, asBody(done.problem)))
        return
      }
      if (out.json) out.line(JSON.stringify(done.value, null, 2))
      else if (initOptions.undo) printUndone(out, done.value)
      else {
        printInit(out, done.value, initOptions)
        if (initOptions.write) printHooks(out, done.value)
      }
      if (initOptions.write && !initOptions.dry_run) await offerService(cli, done.value, words)
    })
}

/** In a terminal, show what would change and ask first, about the hooks separately. Undefined if the person does not agree. */
async function agreed(cli: Cli, asked: InitOptions, words: Words): Promise<InitOptions | undefined> {
  const out = cli.out()
  if (out.json || !process.stdin.isTTY) {
    printProblem(out, asBody(problem('init.needs_yes')))
    return undefined
  }
  const planned = await initWith(cli, { ...asked, hooks: false, dry_run: true })
  if (!planned.ok) {
    printProblem(out, asBody(planned.problem))
    return undefined
  }
  printInit(out, planned.value, asked)
  if (planned.value.changed.length > 0 && !(await confirmed('continue?'))) return undefined
  const absent = planned.value.hooks.filter(({ state }) => state === 'absent')
  if (absent.length === 0 || words.hooks !== undefined) return asked
  for (const line of aboutHooks(absent)) out.line(line)
  return { ...asked, hooks: await confirmed('install the hooks?') }
}

/** What the hooks do, before somebody decides about them. */
const aboutHooks = (absent: InitReport['hooks']): readonly string[] => [
  '',
  'hooks are a separate question. These agents have tools of their own (shell, files, web) that the gate does not see:',
  ...absent.map(({ client, file }) => `  ${client}: ${file}`),
  'with hooks, they ask the gate before every such call, and the gate allows it, asks you, or refuses it;',
  'it also records what you type to them and what these tools return',
  'while no gate runs, every such call is refused: they cannot run a command, or read or change a file, until `sluice up`',
  '`sluice init --undo` removes the hooks',
]

/** Without a gate, a hooked agent can do nothing, so the gate should start by itself. */
async function offerService(cli: Cli, { hooks }: InitReport, words: Words): Promise<void> {
  const { json, line, error } = cli.out()
  // With `json`, standard output is the report alone.
  const say = json ? error : line
  const unit = serviceOf(cli)
  if (words.service === true) return unit === undefined ? cli.fail(NO_SERVICE) : installService(cli, unit, say)
  if (hooks.every(({ state }) => state === 'absent') || unit === undefined || serviceState(unit) !== 'absent') return
  const isAsked = words.service === undefined && words.yes !== true && process.stdin.isTTY && !json
  if (isAsked) say('after a restart, the hooked agents cannot use their tools until somebody starts the gate')
  if (isAsked && (await confirmed('start the gate when you log in?'))) return installService(cli, unit, say)
  say(
    'while no gate runs, the hooked agents cannot use their tools: `sluice service install` starts it when you log in',
  )
}

const DONE = { written: 'wrote', extended: 'added to', unchanged: 'left as it was:' } as const
const TO_DO = { written: 'would write', extended: 'would add to', unchanged: 'would leave as it is:' } as const

function printInit(out: Out, report: InitReport, { write }: InitOptions): void {
  const added = report.dry_run ? 'would add' : 'added'
  for (const { client, file, servers } of report.clients) {
    out.line(`${client}: ${file}`)
    for (const { name, as, note, runs = [], not_supported = [] } of servers) {
      out.line(`  ${name} ${as === undefined ? 'is not moved' : `→ ${as}`}${note === undefined ? '' : ` (${note})`}`)
      for (const line of runs) out.line(`    ${line}`, 'quiet')
      for (const { key, instead } of not_supported)
        out.line(`    not supported: ${quoted(key)}${instead === undefined ? '' : ` (${instead})`}`, 'held')
    }
  }
  if (report.clients.length === 0)
    out.line('no MCP client with configured servers was found; add servers to the file by hand')
  for (const note of report.notes) out.line(`! ${note}`)
  out.line(`${(report.dry_run ? TO_DO : DONE)[report.config_is]} ${report.config}`)
  // Without `--write` the secret stays in the client's file too.
  const put = `${report.dry_run ? 'would be' : 'was'} ${write ? 'moved' : 'copied'}`
  for (const { server, key, reference } of report.secrets)
    out.line(`  ${server}.${key} ${put} to ${reference.slice('file:'.length)}`)
  for (const { file, backup } of report.changed)
    out.line(`${added} ${addedTo(report, file)} to ${file}${backup === '' ? '' : `; backup: ${backup}`}`)
  if (write && report.changed.length > 0) out.line('restart these clients; `sluice init --undo` restores their files')
  if (report.changed.length === 0) {
    out.line(byHand(report, write))
    out.data(JSON.stringify(report.snippet, null, 2))
  }
  out.line('next: `sluice doctor`, then `sluice up`')
}

/** Which agents have hooks now, and what it means that others have none. */
function printHooks(out: Out, { hooks, dry_run }: InitReport): void {
  const named = (wanted: InitReport['hooks'][number]['state']) =>
    hooks.flatMap(({ client, state }) => (state === wanted ? [client] : [])).join(', ')
  const [added, absent] = [named('added'), named('absent')]
  if (added !== '') out.line(`the hooks of ${added} ${dry_run ? 'would be' : 'are'} installed`)
  if (absent === '') return
  out.line(`no hooks are installed for ${absent}: the gate does not see their own tools (shell, files, web)`)
  out.line('  `sluice init --write --hooks` installs them; server/src/guests/hooks/README.md says what they do')
}

function addedTo({ clients, hooks }: InitReport, file: string): string {
  const hasGate = clients.some((each) => each.file === file && each.servers.some(({ as }) => as !== undefined))
  const hasHooks = hooks.some((hook) => hook.file === file && hook.state === 'added')
  return [...(hasGate ? ['the gate'] : []), ...(hasHooks || !hasGate ? ['the hooks'] : [])].join(' and ')
}

/** Before the entry for a client whose file was not changed. */
function byHand({ clients }: InitReport, write: boolean): string {
  const isConnected = clients.length > 0 && clients.every(({ servers }) => servers.every(({ as }) => as === undefined))
  if (isConnected) return 'there is nothing to move; to connect another client, add this to its configuration:'
  return `add this to the configuration of your client${write ? '' : ', or let `sluice init --write` do it'}:`
}

function printUndone(out: Out, { changed, notes }: InitReport): void {
  for (const note of notes) out.line(`! ${note}`)
  for (const { file, backup } of changed) out.line(`${backup === '' ? 'removed' : 'restored'} ${file}`)
}

const initWith = async (cli: Cli, asked: InitOptions): Promise<Result<InitReport>> =>
  (await import('./init.ts')).initHere(cli.globals(), asked)
