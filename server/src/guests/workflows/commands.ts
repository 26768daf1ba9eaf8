import type { Command } from 'commander'
import { count } from '../../kernel/contract/framed-text.ts'
import { EXIT } from '../../adapters/cli/exit-codes.ts'
import { jsonArgument, readText } from '../../adapters/cli/json-argument.ts'
import {
  fieldsOf,
  itemsOf,
  printReply,
  table,
  textOf,
  timeOf,
  type PrintedFields,
  type Out,
} from '../../adapters/cli/print.ts'
import type { Cli } from '../../adapters/cli/cli.ts'

type InputOptions = { input?: string; protocol?: string }

/** Loaded on demand, because the parser takes longer to load than most commands run. */
const documents = () => import('./check-text.ts')

/** Documents: validate, try, draw, apply, compare, roll back, run and watch. */
export function addWorkflowCommands(program: Command, cli: Cli): void {
  const workflow = program.command('workflow').description('specialised agents, each defined by a versioned document')
  const pathOf = (name: string) => `/v1/workflows/${encodeURIComponent(name)}`

  workflow
    .command('validate <file>')
    .description('check a document, and list every mistake with its line')
    .action(async (file: string) => {
      const { checkText } = await documents()
      const { lines, faults, name = '', protocols } = checkText(readText(file), file)
      if (cli.out().json) cli.out().data(JSON.stringify({ ok: faults.length === 0, faults }))
      else
        for (const line of lines.length === 0 ? [`${file}: ${name} is valid, ${count(protocols, 'protocol')}`] : lines)
          cli.out().line(line)
      cli.exit(faults.length === 0 ? EXIT.ok : EXIT.problem)
    })

  workflow
    .command('graph <file>')
    .description('print the protocols of a document as a Mermaid graph')
    .action(async (file: string) => {
      const { checkText, drawText } = await documents()
      const text = readText(file)
      const drawn = drawText(text)
      if (drawn !== undefined) return cli.out().data(drawn)
      for (const line of checkText(text, file).lines) cli.out().error(line)
      cli.exit(EXIT.problem)
    })

  workflow
    .command('dry-run <file>')
    .description('show the arguments of each step and the verdict of the gate, without executing anything')
    .option('--input <file>', 'the input: a JSON file, - for stdin, or the JSON itself')
    .option('--protocol <id>', 'the protocol, if the document has several')
    .action(async (file: string, options: InputOptions) => {
      const text = readText(file)
      const { lines } = (await documents()).checkText(text, file)
      for (const line of lines) cli.out().error(line)
      if (lines.length > 0) return cli.exit(EXIT.problem)
      const body = bodyOf([`"document":${JSON.stringify(text)}`], options)
      const reply = await cli.send('POST', '/v1/workflows/dry-run', body)
      cli.exit(printReply(cli.out(), reply, (run) => printDryRun(cli.out(), run)))
      if (fieldsOf(reply.body)['stopped'] !== undefined) cli.exit(EXIT.failed)
    })

  workflow
    .command('apply <file>')
    .description('put a new version of a document in force')
    .action(async (file: string) => {
      const text = readText(file)
      const { lines } = (await documents()).checkText(text, file)
      for (const line of lines) cli.out().error(line)
      if (lines.length > 0) return cli.exit(EXIT.problem)
      const reply = await cli.send('POST', '/v1/workflows', JSON.stringify({ document: text }))
      cli.exit(printReply(cli.out(), reply, (applied) => cli.out().line(appliedLine(applied))))
    })

  workflow
    .command('list [name]')
    .description('list the documents, or the versions of one, newest first')
    .action(async (name: string | undefined) => {
      const reply = await cli.send('GET', name === undefined ? '/v1/workflows' : `${pathOf(name)}/versions?limit=200`)
      cli.exit(printReply(cli.out(), reply, (body) => printVersions(cli.out(), body)))
    })

  workflow
    .command('diff <name>')
    .description('show what changed between two versions of a document')
    .option('--from <version>', 'the older version (default: the one before the newest)')
    .option('--to <version>', 'the newer version (default: the newest)')
    .action(async (name: string, { from, to }: { from?: string; to?: string }) => {
      const asked = new URLSearchParams([
        ...(from === undefined ? [] : [['from', from]]),
        ...(to === undefined ? [] : [['version', to]]),
      ])
      const reply = await cli.send('GET', `${pathOf(name)}/diff?${asked.toString()}`)
      cli.exit(printReply(cli.out(), reply, (diff) => printDiff(cli.out(), diff)))
    })

  workflow
    .command('rollback <name>')
    .description('put an earlier version back in force, as a new version')
    .option('--to <version>', 'the version to go back to (default: the one before the newest)')
    .action(async (name: string, { to }: { to?: string }) => {
      if (to !== undefined && !/^\d{1,9}$/.test(to))
        return cli.fail(`--to: \`${to}\` is not the number of a version; list them with: sluice workflow list ${name}`)
      const reply = await cli.send(
        'POST',
        `${pathOf(name)}/rollback`,
        JSON.stringify(to === undefined ? {} : { to: Number(to) }),
      )
      cli.exit(printReply(cli.out(), reply, (applied) => cli.out().line(appliedLine(applied))))
    })

  workflow
    .command('run <name>')
    .description('start a protocol of a document and show its progress')
    .option('--input <file>', 'the input: a JSON file, - for stdin, or the JSON itself')
    .option('--protocol <id>', 'the protocol, if the document has several')
    .action(async (name: string, options: InputOptions) => {
      const reply = await cli.send('POST', `${pathOf(name)}/runs`, bodyOf([], options))
      const run_id = textOf(fieldsOf(reply.body)['run_id'])
      if (run_id === '') return cli.exit(printReply(cli.out(), reply, () => undefined))
      cli.exit(await watch(cli, run_id))
    })

  workflow
    .command('watch <run_id>')
    .description('show the progress of a run until it ends or waits for a person')
    .action(async (run_id: string) => cli.exit(await watch(cli, run_id)))
}

/** The input is sent as text: parsing it here could hide something that the gate must reject. */
function bodyOf(parts: readonly string[], { input, protocol }: InputOptions): string {
  const json =
    input === undefined
      ? undefined
      : jsonArgument(input === '-' || input.startsWith('@') || /^\s*[{[]/.test(input) ? input : `@${input}`)
  const all = [
    ...parts,
    ...(json === undefined ? [] : [`"input":${json}`]),
    ...(protocol === undefined ? [] : [`"protocol":${JSON.stringify(protocol)}`]),
  ]
  return `{${all.join(',')}}`
}

const appliedLine = (applied: PrintedFields): string =>
  applied['changed'] === false
    ? `${textOf(applied['name'])} version ${textOf(applied['version'])} is already in force`
    : `${textOf(applied['name'])} version ${textOf(applied['version'])} is in force (sha256 ${textOf(applied['sha256']).slice(0, 12)})`

function printVersions(out: Out, body: PrintedFields): void {
  const rows = itemsOf(body).map((one) => [
    textOf(one['name']),
    textOf(one['version']),
    textOf(one['sha256']).slice(0, 12),
    textOf(one['author']),
    timeOf(one['at']),
  ])
  table(
    out,
    [['DOCUMENT', 'VERSION', 'SHA256', 'AUTHOR', 'APPLIED'], ...rows],
    'no documents; apply one with `sluice workflow apply FILE`',
  )
}

const MARKS: Readonly<Record<string, string>> = { added: '+', removed: '-', same: ' ', skipped: '…' }

function printDiff(out: Out, diff: PrintedFields): void {
  out.line(
    `${textOf(diff['name'])}: version ${textOf(diff['from'])} to ${textOf(diff['to'])}, ${textOf(diff['added'])} lines added, ${textOf(diff['removed'])} removed`,
  )
  for (const line of itemsOf({ items: diff['lines'] }))
    out.line(`${MARKS[textOf(line['is'])] ?? ' '} ${textOf(line['text'])}`)
}

function printDryRun(out: Out, run: PrintedFields): void {
  for (const step of itemsOf({ items: run['steps'] })) {
    const verdict = fieldsOf(step['verdict'])
    const word = step['verdict'] === undefined ? '' : `  ${textOf(verdict['effect'])}`
    out.line(`${textOf(step['step'])}  ${textOf(step['does'])}${word}`)
    out.line(`    ${JSON.stringify(step['args'])}`)
    const why = Array.isArray(verdict['why']) ? verdict['why'].map(String) : []
    for (const reason of why) out.line(`    ${reason}`)
  }
  const stopped = fieldsOf(run['stopped'])
  if (run['stopped'] !== undefined)
    out.line(`stops at step ${textOf(stopped['step'])}: ${textOf(stopped['code'])}: ${textOf(stopped['says'])}`)
  out.line('nothing was executed')
}

const EXIT_OF_RUN: Readonly<Record<string, number>> = {
  done: EXIT.ok,
  waiting: EXIT.held,
  failed: EXIT.failed,
  cancelled: EXIT.refused,
  faulted: EXIT.failed,
}
const WAIT_MS = 20_000

async function watch(cli: Cli, run_id: string): Promise<number> {
  const printed = new Map<string, string>()
  for (;;) {
    const reply = await cli.send('GET', `/v1/workflow-runs/${encodeURIComponent(run_id)}?wait_ms=${WAIT_MS}`)
    const view = fieldsOf(reply.body)
    const status = textOf(view['status'])
    if (view['run_id'] === undefined) return printReply(cli.out(), reply, () => undefined)
    const isOver = status !== 'active' && !(status === 'waiting' && view['waits_for'] === undefined)
    if (!cli.out().json) printSteps(cli.out(), view, printed)
    if (!isOver) continue
    if (cli.out().json) cli.out().data(JSON.stringify(view))
    else printEnd(cli.out(), view)
    return EXIT_OF_RUN[status] ?? EXIT.problem
  }
}

function printSteps(out: Out, view: PrintedFields, printed: Map<string, string>): void {
  for (const step of itemsOf({ items: view['steps'] })) {
    const [number, status] = [textOf(step['number']), textOf(step['status'])]
    if (status === 'pending' || printed.get(number) === status) continue
    printed.set(number, status)
    out.line(`${number}  ${textOf(step['type'])}${step['id'] === undefined ? '' : ` ${textOf(step['id'])}`}  ${status}`)
  }
}

function printEnd(out: Out, view: PrintedFields): void {
  const error = fieldsOf(view['error'])
  out.line(
    `${textOf(view['run_id'])}  ${textOf(view['status'])}${view['waits_for'] === undefined ? '' : `, waits for ${textOf(view['waits_for'])}`}`,
  )
  if (view['error'] !== undefined)
    out.line(`${textOf(error['code'])} at step ${textOf(error['step'])}: ${textOf(error['says'])}`)
  if (view['output'] !== undefined) out.line(JSON.stringify(view['output']))
}
