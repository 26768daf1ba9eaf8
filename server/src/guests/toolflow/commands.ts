import type { Command } from 'commander'
import { drawGraph } from '../../kernel/runs/draw-graph.ts'
import { GRAPH } from './graph.ts'
import { jsonArgument } from '../../adapters/cli/json-argument.ts'
import { showToApprove, TYPED } from '../../adapters/cli/approval-commands.ts'
import { askReason } from '../../adapters/cli/confirm.ts'
import { PASSPHRASE_FILE, sendProven, type WithPassphrase } from '../../adapters/cli/passphrase-commands.ts'
import { printFlow } from './print-flow.ts'
import { printTypedFault, withoutPosition } from '../../adapters/cli/print-typed-fault.ts'
import { sendOnce } from '../../adapters/cli/send-once.ts'
import type { Cli } from '../../adapters/cli/cli.ts'

type RunOptions = {
  query?: string
  topK?: string
  riskScore?: string
  args?: string
  skill?: string
  graph?: boolean
  idempotencyKey?: string
}

/** Search, choose, judge and run in one command, and answers to its questions. */
export function addToolflowCommands(program: Command, cli: Cli): void {
  program
    .command('run [prompt]')
    .description('find the tool that fits a prompt and run it through the gate')
    .option('--query <words>', 'search with these words instead of the prompt')
    .option('--top-k <count>', 'number of candidates')
    .option('--risk-score <figure>', 'your own risk score, 0 to 100; it can only raise the known score')
    .option('--args <json>', 'the arguments as a JSON object, @file, or - for stdin')
    .option('--skill <id>', 'the tool to use, if you were asked to choose')
    .option('--idempotency-key <key>', 'a repeated run with the same key and prompt runs only once')
    .option('--graph', 'only print the state graph of a toolflow, as Mermaid')
    .action(async (prompt: string | undefined, options: RunOptions) => {
      if (options.graph === true) return cli.out().data(drawGraph(GRAPH))
      if (prompt === undefined) return cli.fail('a prompt is missing: sluice run "prompt"')
      const body = bodyOf(prompt, options)
      if (body === undefined) return cli.fail('--top-k and --risk-score must be numbers')
      const key = options.idempotencyKey
      const reply = await sendOnce(cli, {
        path: '/v1/toolflow',
        body,
        outcomes: '/v1/toolflow',
        ...(key === undefined ? {} : { key }),
      })
      if (options.args === undefined) return cli.exit(printFlow(cli.out(), reply, prompt))
      const typed = { body, typed: options.args }
      cli.exit(printFlow(cli.out(), withoutPosition(reply, typed), prompt))
      printTypedFault(cli.out(), reply, typed)
    })

  program
    .command('resume <run_id> <approval_id> <choice>')
    .description('answer a held toolflow: approve, edit or cancel')
    .option('--args <json>', 'for edit: the new arguments as a JSON object, @file, or - for stdin')
    .option('--reason <words>', 'the reason, for the audit')
    .option(
      '--digest <digest>',
      'for approve: digest of the request you were shown; without it, the request is shown first',
    )
    .option(...TYPED)
    .option(...PASSPHRASE_FILE)
    .action(async (run_id: string, approval_id: string, word: string, options: ResumeOptions) => {
      const choice = CHOICE_OF[word]
      if (choice === undefined) return cli.fail('the choice must be approve, edit or cancel')
      const shown = word === 'approve' ? await showToApprove(cli, approval_id, options) : { digest: options.digest }
      if (shown === undefined) return
      const reason = word === 'cancel' ? (await askReason(options.reason)).reason : options.reason
      const parts = [
        ...Object.entries(shown).flatMap(([name, part]) =>
          part === undefined ? [] : [`"${name}":${JSON.stringify(part)}`],
        ),
        `"approval_id":${JSON.stringify(approval_id)}`,
        `"choice":${JSON.stringify(choice)}`,
        ...(options.args === undefined ? [] : [`"args":${jsonArgument(options.args)}`]),
        ...(reason === undefined ? [] : [`"reason":${JSON.stringify(reason)}`]),
      ]
      const path = `/v1/toolflow/${encodeURIComponent(run_id)}/resume`
      const reply = await sendProven(cli, path, options.passphraseFile, (passphrase) => {
        const proof = passphrase === undefined ? [] : [`"passphrase":${JSON.stringify(passphrase)}`]
        return `{${[...parts, ...proof].join(',')}}`
      })
      cli.exit(printFlow(cli.out(), reply))
    })
}

type ResumeOptions = { args?: string; reason?: string; digest?: string; typed?: string } & WithPassphrase

const CHOICE_OF: Readonly<Record<string, string | undefined>> = {
  approve: 'Approve & Execute',
  edit: 'Edit Inputs',
  cancel: 'Cancel',
}

/** The arguments are sent as text: parsing them here could hide something that the gate must reject. */
function bodyOf(prompt: string, { query, topK, riskScore, args, skill }: RunOptions): string | undefined {
  const numbers = [topK, riskScore].filter((text) => text !== undefined)
  if (numbers.some((text) => text.trim() === '' || !Number.isFinite(Number(text)))) return undefined
  const parts = [
    `"user_prompt":${JSON.stringify(prompt)}`,
    ...(query === undefined ? [] : [`"query":${JSON.stringify(query)}`]),
    ...(topK === undefined ? [] : [`"top_k":${Number(topK)}`]),
    ...(riskScore === undefined ? [] : [`"risk_score":${Number(riskScore)}`]),
    ...(skill === undefined ? [] : [`"skill_id":${JSON.stringify(skill)}`]),
    ...(args === undefined ? [] : [`"args":${jsonArgument(args)}`]),
  ]
  return `{${parts.join(',')}}`
}
