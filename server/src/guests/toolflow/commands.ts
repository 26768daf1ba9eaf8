import type { Command } from 'commander'
import { drawGraph } from '../../kernel/runs/draw-graph.ts'
import { GRAPH } from './graph.ts'
import { jsonArgument } from '../../adapters/cli/json-argument.ts'
import { showToApprove, TYPED } from '../../adapters/cli/approval-commands.ts'
import { askReason } from '../../adapters/cli/confirm.ts'
import { PASSPHRASE_FILE, sendProven, type WithPassphrase } from '../../adapters/cli/passphrase-commands.ts'
import { printTypedFault, withoutPosition } from '../../adapters/cli/print-typed-fault.ts'
import { sendOnce } from '../../adapters/cli/send-once.ts'
import type { Cli } from '../../adapters/cli/cli.ts'
import type { GateResponse } from '../../adapters/cli/client.ts'
import { EXIT, EXIT_OF_FLOW } from '../../adapters/cli/exit-codes.ts'
import { fieldsOf, printReply, textOf, type PrintedFields, type Out } from '../../adapters/cli/print.ts'

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

const KINDS = ['result_card', 'approval_packet', 'block_card', 'no_candidates_card']

/** Three lines: what happened and why, what to do next, and the ids to find it again. */
function printFlow(out: Out, reply: GateResponse, prompt?: string): number {
  const view = fieldsOf(reply.body)
  const code = printReply(out, reply, () => {
    const card = cardIn(view)
    const { says, next } = sentences(view, card, prompt)
    out.line(oneLine(says))
    out.line(`next: ${next}`)
    out.line(`receipt: ${receiptOf(view, card)}`)
  })
  // It is not known whether the tool ran. A script must not treat that as a failure and run it again.
  const ran = fieldsOf(fieldsOf(view['state'])['exec_result'])['status']
  if (view['status'] === 'FAILED' && ran === 'unknown') return EXIT.unknown
  return EXIT_OF_FLOW[textOf(view['status'] ?? '')] ?? code
}

type Sentences = { readonly says: string; readonly next: string }

function sentences(view: PrintedFields, card: PrintedFields, prompt: string | undefined): Sentences {
  const state = fieldsOf(view['state'])
  const tool = textOf(card['skill_id'] ?? state['selected_skill_id'] ?? '')
  const call = textOf(state['call_id'] ?? '')
  const named = tool === '' ? '' : ` ${tool}`
  const gate = gateWords(view, card)
  switch (view['status']) {
    case 'OK':
      return { says: `done, ${gate}:${named}: ${answerIn(state, card)}`, next: `full result: sluice status ${call}` }
    case 'ASK':
      return asking(card, { tool, gate, prompt })
    case 'BLOCK':
      return {
        says: `blocked, ${gate}:${named}: ${textOf(card['reason'])}`,
        next: 'ask for something else; sluice policy show lists the rules',
      }
    case 'NO_CANDIDATES':
      return {
        says: `no tool found for: ${textOf(card['query'])}`,
        next: 'use other words, or list all tools: sluice tools',
      }
    case 'FAILED':
      return {
        says: `${fieldsOf(state['exec_result'])['status'] === 'unknown' ? 'outcome unknown' : 'failed'}:${named}: ${textOf(card['reason'])}`,
        next: call === '' ? 'correct the problem and run it again' : `details: sluice status ${call}`,
      }
    default:
      return { says: `still running:${named}`, next: `check again: sluice runs show ${textOf(view['run_id'])}` }
  }
}

/** What the gate decided, and by which source. */
function gateWords({ status }: PrintedFields, card: PrintedFields): string {
  const { gate_status, source } = fieldsOf(card['gate_evidence'])
  const by = textOf(source ?? 'the gate')
  if (gate_status === 'AUTO_RUN') return `allowed by ${by}`
  if (gate_status === 'ASK') return status === 'OK' ? 'approved by a person' : `as ${by} asks`
  return `by ${by}`
}

type Asking = { readonly tool: string; readonly gate: string; readonly prompt: string | undefined }

/** What a person is asked for: a decision, a choice of tool, or inputs. */
function asking(card: PrintedFields, { tool, gate, prompt }: Asking): Sentences {
  const why = textOf(card['why_this'])
  if (typeof card['approval_id'] === 'string') {
    const id = card['approval_id']
    const { hub, url } = fieldsOf(card['decided_at'])
    const decide = `sluice approve ${id}   or: sluice deny ${id}   or: sluice edit ${id}`
    return {
      says: `held for approval, ${gate}: ${tool}: ${why}`,
      next: hub === undefined ? decide : `decide at the hub ${textOf(hub)}, not here: ${textOf(url)}`,
    }
  }
  const again = `sluice run ${shellText(prompt ?? 'PROMPT')}`
  const candidates = Array.isArray(card['candidates']) ? card['candidates'].map(fieldsOf) : []
  if (candidates.length > 0) {
    const names = candidates.map(({ skill_id }) => textOf(skill_id))
    return {
      says: `which tool do you mean? ${names.join(', ')}`,
      next: `choose one: ${again} --skill ${names[0] ?? ''}`,
    }
  }
  const inputs = Array.isArray(card['required_inputs']) ? card['required_inputs'].map(textOf) : []
  const example = JSON.stringify(Object.fromEntries(inputs.map((name) => [name, '…'])))
  return {
    says: `more input is needed: ${tool}: ${why}`,
    next: `pass the arguments: ${again} --args ${shellText(example)}`,
  }
}

const shellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

function cardIn(view: PrintedFields): PrintedFields {
  const kind = KINDS.find((name) => view[name] !== undefined)
  return kind === undefined ? {} : fieldsOf(view[kind])
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

/** The tool's own text, else the summary of its structured answer. */
function answerIn(state: PrintedFields, card: PrintedFields): string {
  const { content } = fieldsOf(fieldsOf(state['exec_result'])['result'])
  const texts = (Array.isArray(content) ? content.map(fieldsOf) : []).flatMap(({ text }) =>
    typeof text === 'string' ? [text] : [],
  )
  return texts.length > 0 ? texts.join(' ').slice(0, LONGEST_ANSWER) : textOf(card['summary'])
}
const LONGEST_ANSWER = 500

function receiptOf(view: PrintedFields, card: PrintedFields): string {
  const state = fieldsOf(view['state'])
  const ids = [view['run_id'], state['call_id'], card['approval_id']].filter((id) => typeof id === 'string')
  return ids.join(' ')
}
