import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { FileText, PolicyLintBody, PolicyTestBody } from '../../kernel/contract/api.ts'
import { specOf, type Result } from '../../kernel/contract/problems.ts'
import { sinceOf } from './option-values.ts'
import { UNREACHED, type GateResponse } from './client.ts'
import { EXIT } from './exit-codes.ts'
import { readText } from './json-argument.ts'
import { printDiff, printFindings, printPolicy, printReplay, printResults } from './print-policy.ts'
import { fieldsOf, printWarnings, printReply, textOf } from './print.ts'
import type { Cli, Globals } from './cli.ts'

/** A draft, or the configured policy, without a running gate. */
type OfflinePolicy = {
  test(options: Globals, asked: PolicyTestBody): Promise<Result<object>>
  lint(options: Globals, asked: PolicyLintBody): Promise<Result<object>>
}

/** The policy in force, and what a draft would change. */
export function addPolicyCommands(program: Command, cli: Cli, offline: OfflinePolicy): void {
  const policy = program
    .command('policy')
    .description('the rules that decide which calls run, wait for approval or are blocked')
  policy
    .command('show')
    .description('show the policy in force')
    .action(async () => {
      const reply = await cli.send('GET', '/v1/policies')
      const code = printReply(cli.out(), reply, (body) => printPolicy(cli.out(), body))
      printWarnings(cli.out(), reply.body)
      cli.exit(code)
    })
  policy
    .command('reload')
    .description('reload the policy from disk; a policy with mistakes is not loaded')
    .action(async () => {
      const reply = await cli.send('POST', '/v1/policies/reload')
      const human = ({ changed, version }: Readonly<Record<string, unknown>>) =>
        cli.out().line(`${changed === true ? 'now in force' : 'unchanged'}: version ${textOf(version)}`)
      cli.exit(printReply(cli.out(), reply, human))
    })
  policy
    .command('test <path>')
    .description('run the YAML test cases in a file or folder; exits with 1 if one fails')
    .option('--with <file>', 'test this draft instead of the policy in force')
    .option('--offline', 'run without a gate, against the configured policy or the draft')
    .action(async (path: string, options: { with?: string; offline?: boolean }) => {
      const cases = casesIn(path)
      if (cases.length === 0) return cli.fail(`there is no .yaml file in \`${path}\``)
      const body = { ...draftIn(options.with), cases }
      const reply = await askOrOffline(cli, '/v1/policies/test', body, options.offline, () =>
        offline.test(cli.globals(), body),
      )
      const code = printReply(cli.out(), reply, (report) => printResults(cli.out(), report))
      cli.exit(code === EXIT.ok && fieldsOf(reply.body)['failed'] !== 0 ? EXIT.problem : code)
    })
  policy
    .command('lint [file]')
    .description(
      'find unreachable rules, gaps and contradictions in a file, or in the policy in force; exits with 1 if there are any',
    )
    .option('--offline', 'run without a gate')
    .action(async (file: string | undefined, options: { offline?: boolean }) => {
      const body = draftIn(file)
      const reply = await askOrOffline(cli, '/v1/policies/lint', body, options.offline, () =>
        offline.lint(cli.globals(), body),
      )
      const code = printReply(cli.out(), reply, (report) => printFindings(cli.out(), report))
      const findings = fieldsOf(reply.body)['findings']
      cli.exit(code === EXIT.ok && Array.isArray(findings) && findings.length > 0 ? EXIT.problem : code)
    })
  policy
    .command('diff <file>')
    .description('compare a draft with the policy in force: rules, test cases and recorded calls that change')
    .option('--cases <path>', 'test cases to run under both')
    .option('--since <when>', 'also compare recorded calls since then, such as 7d', '7d')
    .action(async (file: string, options: { cases?: string; since: string }) => {
      const draft = draftIn(file)
      const cases = options.cases === undefined ? [] : casesIn(options.cases)
      const since = spanOf(cli, options.since)
      if (since === undefined) return
      const reply = await cli.send('POST', '/v1/policies/diff', { ...draft, cases, since })
      cli.exit(printReply(cli.out(), reply, (report) => printDiff(cli.out(), report)))
    })
  policy
    .command('replay')
    .description('judge recorded calls again under a draft; no call is executed')
    .requiredOption('--with <file>', 'the draft')
    .option('--since <when>', 'a date, or a duration such as 7d or 12h', '7d')
    .action(async (options: { with: string; since: string }) => {
      const draft = draftIn(options.with)
      const since = spanOf(cli, options.since)
      if (since === undefined) return
      const reply = await cli.send('POST', '/v1/policies/replay', { ...draft, since })
      cli.exit(printReply(cli.out(), reply, (report) => printReplay(cli.out(), report)))
    })
}

function spanOf(cli: Cli, text: string): number | undefined {
  const since = sinceOf(text)
  if (since === undefined) cli.fail(`\`${text}\` is neither a date nor a duration such as 7d or 12h`)
  return since
}

/** Asks the running gate first, because it knows the tools. Without one, commands that need no gate run here. */
async function askOrOffline(
  cli: Cli,
  path: string,
  body: unknown,
  offline: boolean | undefined,
  here: () => Promise<Result<object>>,
): Promise<GateResponse> {
  if (offline !== true) {
    const reply = await cli.ask('POST', path, body)
    if (reply.status !== UNREACHED || cli.isElsewhere()) return reply
    cli.out().error('no gate is running here: checked without the tool schemas')
  }
  return replyOf(await here())
}

function replyOf(result: Result<object>): GateResponse {
  if (result.ok) return { status: 200, text: JSON.stringify(result.value), body: result.value }
  const { code, about } = result.problem
  const { http, says, do: remedy } = specOf(result.problem)
  const body = { code, title: says, detail: remedy, status: http, about }
  return { status: http, text: JSON.stringify(body), body }
}

const fileText = (file: string): FileText => ({ file, text: readText(file) })

const draftIn = (file: string | undefined): { readonly policy?: FileText } =>
  file === undefined ? {} : { policy: fileText(file) }

/** A file, or every .yaml and .yml below a folder, in the order of their names. */
function casesIn(path: string): FileText[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [fileText(path)]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => fileText(join(path, name)))
}
