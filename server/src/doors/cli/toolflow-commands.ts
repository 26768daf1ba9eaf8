import type { Command } from 'commander'
import { drawToolflow } from '../../commands/toolflow/draw-toolflow.ts'
import { EXIT_OF_FLOW } from './exit-codes.ts'
import { jsonArgument } from './json-argument.ts'
import { shownDigest } from './approval-commands.ts'
import { fieldsOf, printReply, textOf, type Fields, type Out } from './print.ts'
import type { Reply } from './client.ts'
import { sendOnce } from './send-once.ts'
import type { Session } from './session.ts'

type RunOptions = {
  query?: string
  topK?: string
  riskScore?: string
  args?: string
  skill?: string
  graph?: boolean
}

/** Search, choose, judge and run in one command, and a person's answer to what it asks. */
export function addToolflowCommands(program: Command, session: Session): void {
  program
    .command('run [prompt]')
    .description('find the tool that a prompt means and run it through the gate')
    .option('--query <words>', 'search for these words instead of the prompt')
    .option('--top-k <count>', 'how many candidates')
    .option('--risk-score <figure>', 'your own figure of the risk, 0 to 100; it can only raise the known one')
    .option('--args <json>', 'the arguments, a JSON object, or @file, or - for stdin')
    .option('--skill <id>', 'the tool you mean, when it asks you to choose')
    .option('--graph', 'only print the graph that every flow follows, as Mermaid')
    .action(async (prompt: string | undefined, options: RunOptions) => {
      if (options.graph === true) return session.out().data(drawToolflow())
      if (prompt === undefined) return session.fail('say what to do: sluice run "prompt"')
      const body = bodyOf(prompt, options)
      if (body === undefined) return session.fail('--top-k and --risk-score are numbers')
      const reply = await sendOnce(session, { path: '/v1/toolflow', body, outcomes: '/v1/toolflow' })
      session.exit(printFlow(session.out(), reply))
    })

  program
    .command('resume <run_id> <approval_id> <choice>')
    .description('answer what a flow asks: approve, edit or cancel')
    .option('--args <json>', 'for edit: the inputs instead, a JSON object, or @file, or - for stdin')
    .option('--reason <words>', 'why, for the record')
    .option('--digest <digest>', 'for approve: of the packet you were shown; without it the packet is shown first')
    .action(async (run_id: string, approval_id: string, word: string, options: ResumeOptions) => {
      const choice = CHOICE_OF[word]
      if (choice === undefined) return session.fail('the choice is approve, edit or cancel')
      const digest = word === 'approve' ? (options.digest ?? (await shownDigest(session, approval_id))) : options.digest
      if (word === 'approve' && digest === undefined) return
      const parts = [
        ...(digest === undefined ? [] : [`"digest":${JSON.stringify(digest)}`]),
        `"approval_id":${JSON.stringify(approval_id)}`,
        `"choice":${JSON.stringify(choice)}`,
        ...(options.args === undefined ? [] : [`"args":${jsonArgument(options.args)}`]),
        ...(options.reason === undefined ? [] : [`"reason":${JSON.stringify(options.reason)}`]),
      ]
      const path = `/v1/toolflow/${encodeURIComponent(run_id)}/resume`
      session.exit(printFlow(session.out(), await session.send('POST', path, `{${parts.join(',')}}`)))
    })
}

type ResumeOptions = { args?: string; reason?: string; digest?: string }

const CHOICE_OF: Readonly<Record<string, string | undefined>> = {
  approve: 'Approve & Execute',
  edit: 'Edit Inputs',
  cancel: 'Cancel',
}

/** The arguments travel as they were written: parsing them here could hide what the gate must refuse. */
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

/** Three lines: status and gate, next action, receipt. */
function printFlow(out: Out, reply: Reply): number {
  const view = fieldsOf(reply.body)
  const code = printReply(out, reply, () => {
    const card = cardIn(view)
    const gate = fieldsOf(card['gate_evidence'])
    const word = textOf(gate['gate_status'] ?? 'none')
    out.line(`${textOf(view['status'])} (gate ${word}, ${textOf(gate['source'])}): ${wordsOf(view, card)}`)
    out.line(`next: ${nextOf(card)}`)
    out.line(`receipt: ${receiptOf(view, card)}`)
  })
  return EXIT_OF_FLOW[textOf(view['status'] ?? '')] ?? code
}

const KINDS = ['result_card', 'approval_packet', 'block_card', 'no_candidates_card']

function cardIn(view: Fields): Fields {
  const kind = KINDS.find((name) => view[name] !== undefined)
  return kind === undefined ? {} : fieldsOf(view[kind])
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

function wordsOf(view: Fields, card: Fields): string {
  const skill = card['skill_id'] ?? fieldsOf(view['state'])['selected_skill_id']
  const words = card['summary'] ?? card['reason'] ?? card['why_this'] ?? card['query'] ?? 'still under way'
  return oneLine(typeof skill === 'string' ? `${skill}: ${textOf(words)}` : textOf(words))
}

function nextOf(card: Fields): string {
  const actions = Array.isArray(card['next_actions'])
    ? card['next_actions'].map(textOf).join(' | ')
    : 'sluice run again'
  const required = Array.isArray(card['required_inputs']) ? card['required_inputs'].map(textOf) : []
  const candidates = Array.isArray(card['candidates']) ? card['candidates'].map(fieldsOf) : []
  if (candidates.length > 0)
    return `${actions}: --skill ${candidates.map(({ skill_id }) => textOf(skill_id)).join(', ')}`
  return card['approval_id'] === null ? `${actions}: ${required.join(', ')}` : actions
}

function receiptOf(view: Fields, card: Fields): string {
  const state = fieldsOf(view['state'])
  const ids = [view['run_id'], state['call_id'], card['approval_id']].filter((id) => typeof id === 'string')
  return ids.join(' ')
}
