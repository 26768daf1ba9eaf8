import type { Command } from 'commander'
import { drawGraph } from '../../kernel/runs/draw-graph.ts'
import { GRAPH } from './graph.ts'
import { chat } from './agent-chat.ts'
import { EXIT } from '../../adapters/cli/exit-codes.ts'
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

/** The exit code of a turn's status. */
const EXIT_OF_TURN: Readonly<Record<string, number>> = {
  completed: EXIT.ok,
  running: EXIT.held,
  awaiting_approval: EXIT.held,
  awaiting_input: EXIT.held,
  failed: EXIT.failed,
  cancelled: EXIT.refused,
}

type SendOptions = { thread?: string; store?: boolean }

/** Messages to an agent, and its threads. */
export function addAgentCommands(program: Command, cli: Cli): void {
  const agent = program
    .command('agent')
    .description('talk to the built-in agent; every call it proposes goes through the gate')

  agent
    .command('send <message>')
    .description('send one message and print the answer')
    .option('--thread <id>', 'continue this thread')
    .option('--no-store', 'for a new thread: keep its text in memory only; it ends when the gate restarts')
    .action(async (message: string, { thread, store }: SendOptions) => {
      const body = JSON.stringify({
        message,
        ...(thread === undefined ? {} : { thread_id: thread }),
        ...(store === false ? { do_not_store: true } : {}),
      })
      const reply = await cli.send('POST', '/agent/run', body)
      const code = printReply(cli.out(), reply, (answer) => printAnswer(cli.out(), answer))
      cli.exit(EXIT_OF_TURN[textOf(fieldsOf(reply.body)['status'])] ?? code)
    })

  agent
    .command('chat')
    .description('chat with the agent; its plan, calls and pending approvals are shown as they happen')
    .option('--thread <id>', 'continue this thread')
    .action(async ({ thread }: { thread?: string }) => cli.exit(await chat(cli, thread)))

  agent
    .command('threads')
    .description('list your threads (conversations with the agent), newest first')
    .action(async () => {
      const reply = await cli.send('GET', '/agent/threads?limit=200')
      cli.exit(printReply(cli.out(), reply, (body) => printThreads(cli.out(), body)))
    })

  agent
    .command('export <thread_id>')
    .description('print a whole thread as JSON')
    .action(async (thread_id: string) => {
      const run = await cli.send('GET', `/agent/threads/${encodeURIComponent(thread_id)}`)
      cli.exit(printReply(cli.out(), run, (body) => cli.out().data(JSON.stringify(body, undefined, 2))))
    })

  agent
    .command('cancel <thread_id>')
    .description('stop a thread; a call that is waiting for approval is withdrawn')
    .action(async (thread_id: string) => {
      const reply = await cli.send('POST', `/agent/threads/${encodeURIComponent(thread_id)}/cancel`)
      cli.exit(printReply(cli.out(), reply, () => cli.out().line(`${thread_id} was asked to stop`)))
    })

  agent
    .command('graph')
    .description('print the state graph of a thread, as Mermaid')
    .action(() => cli.out().data(drawGraph(GRAPH)))
}

function printAnswer(out: Out, answer: PrintedFields): void {
  out.framed(textOf(answer['response']))
  out.line(`${textOf(answer['status'])}, ${textOf(answer['thread_id'])}`, 'quiet')
}

function printThreads(out: Out, body: PrintedFields): void {
  const items = itemsOf(body)
  if (items.length === 0) return out.line('no threads; start one with `sluice agent chat`')
  const rows = items.map((thread) => [
    textOf(thread['thread_id']),
    textOf(thread['status']),
    textOf(thread['turns']),
    timeOf(thread['created_at']),
    textOf(thread['title']).slice(0, 40),
  ])
  table(out, [['THREAD', 'STATUS', 'TURNS', 'SINCE', 'FIRST MESSAGE'], ...rows])
}
