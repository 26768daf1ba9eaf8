import { createInterface } from 'node:readline'
import { isStrong, typingWords } from '../../adapters/cli/confirm.ts'
import { EXIT } from '../../adapters/cli/exit-codes.ts'
import type { EventLine } from '../../adapters/cli/event-lines.ts'
import { fieldsOf, printReply, textOf, type Out } from '../../adapters/cli/print.ts'
import { printPacket } from '../../adapters/cli/print-packet.ts'
import type { Cli } from '../../adapters/cli/cli.ts'

/** A chat in the terminal, until the person ends it. */
export async function chat(cli: Cli, thread: string | undefined): Promise<number> {
  const out = cli.out()
  if (thread !== undefined) {
    const found = await cli.send('GET', `/agent/threads/${encodeURIComponent(thread)}`)
    if (found.status !== 200) return printReply(out, found, () => {})
  }
  const input = createInterface({ input: process.stdin })
  const lines = input[Symbol.asyncIterator]()
  let thread_id = thread
  out.line('Write a message; an empty line or Ctrl-D ends the chat.', 'quiet')
  try {
    for (;;) {
      const message = (await ask(lines, '> '))?.trim()
      if (message === undefined || message === '') return EXIT.ok
      const before = thread_id === undefined ? undefined : await placeOf(cli, thread_id)
      const body = { message, ...(thread_id === undefined ? {} : { thread_id }) }
      const reply = await cli.send('POST', '/agent/run?wait_ms=0', JSON.stringify(body))
      const code = printReply(out, reply, () => {})
      if (code !== EXIT.ok) continue
      const answer = fieldsOf(reply.body)
      thread_id = textOf(answer['thread_id'])
      await followTurn(cli, textOf(answer['run_id']), before, lines)
    }
  } finally {
    input.close()
  }
}

type Lines = AsyncIterator<string>

/** Undefined when the person closed the input. */
async function ask(lines: Lines, prompt: string): Promise<string | undefined> {
  process.stderr.write(prompt)
  const line = await lines.next()
  return line.done === true ? undefined : line.value
}

/** The id of the newest event, so that only later events are shown. */
async function placeOf(cli: Cli, thread_id: string): Promise<string | undefined> {
  const reply = await cli.send('GET', `/agent/threads/${encodeURIComponent(thread_id)}`)
  const last = fieldsOf(reply.body)['last_event_id']
  return typeof last === 'string' ? last : undefined
}

/** Shows events until the turn ends. If a call is held, a person with the right to decide can do so here. */
async function followTurn(cli: Cli, run_id: string, before: string | undefined, lines: Lines): Promise<void> {
  let from = before
  for (;;) {
    const final = await untilFinal(cli, run_id, from)
    if (textOf(final.data['status']) !== 'awaiting_approval') return
    if (!(await decideHere(cli, run_id, lines))) return
    from = final.id
  }
}

function untilFinal(cli: Cli, run_id: string, from: string | undefined): Promise<EventLine> {
  return new Promise((resolve) => {
    const path = `/agent/runs/${encodeURIComponent(run_id)}/events`
    const stop = cli.subscribe(
      path,
      (event) => {
        show(cli.out(), event)
        if (event.event !== 'final') return
        stop()
        resolve(event)
      },
      from,
    )
  })
}

function show(out: Out, { event, data }: EventLine): void {
  switch (event) {
    case 'plan':
      for (const [at, step] of listOf(data['steps']).entries()) out.framed(`${at + 1}. ${textOf(step)}`)
      return
    case 'tool_proposed':
      return out.line(`calls ${textOf(data['tool'])} ${JSON.stringify(data['args'])}`, 'quiet')
    case 'risk_gate':
      return out.line(
        `the gate says ${textOf(data['effect'])}${data['why'] === '' ? '' : `: ${textOf(data['why'])}`}`,
        'quiet',
      )
    case 'approval_required':
      return out.line(`waiting for approval ${textOf(data['approval_id'])}`, 'held')
    case 'error':
      return out.line(textOf(data['says']), 'bad')
    case 'final':
      return out.framed(textOf(data['response']))
    default:
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Shows the packet and asks for a decision. False if this key may not decide, or the person does not want to decide now. */
async function decideHere(cli: Cli, run_id: string, lines: Lines): Promise<boolean> {
  const out = cli.out()
  const thread = fieldsOf((await cli.send('GET', `/agent/runs/${encodeURIComponent(run_id)}`)).body)
  const id = encodeURIComponent(textOf(thread['approval_id']))
  const packet = await cli.send('GET', `/v1/approvals/${id}`)
  if (packet.status >= 400) return false
  printPacket(out, fieldsOf(packet.body))
  const said = (await ask(lines, 'approve, deny, or leave it? [a/d/N] '))?.trim().toLowerCase()
  const decision = said === 'a' ? 'approve' : said === 'd' ? 'deny' : undefined
  if (decision === undefined) return false
  const { digest } = fieldsOf(packet.body)
  const isTyped = decision === 'approve' && isStrong(fieldsOf(packet.body))
  const typed = isTyped ? await ask(lines, `to approve, ${typingWords(fieldsOf(packet.body))}\n> `) : undefined
  const reason = decision === 'deny' ? await ask(lines, 'reason, shown to the agent (optional): ') : undefined
  const words = reason?.trim() ?? ''
  const body = JSON.stringify(
    decision === 'approve' ? { decision, digest, typed } : { decision, ...(words === '' ? {} : { reason: words }) },
  )
  const reply = await cli.send('POST', `/v1/approvals/${id}/decide`, body)
  return printReply(out, reply, () => {}) === EXIT.ok
}
