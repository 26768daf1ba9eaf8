import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Node } from '../helpers/with-nodes.ts'
import type { ChaosNodes } from './chaos-nodes.ts'
import { recordAnswer, type Load } from './soak-load.ts'

const WAIT_MS = 60_000

/** Waits until something holds, for a minute. */
export async function until(orElse: () => string, holds: () => Promise<boolean>): Promise<void> {
  const last = performance.now() + WAIT_MS
  while (!(await holds())) {
    if (performance.now() > last) throw new Error(orElse())
    await sleep(100)
  }
}

type Answer = Awaited<ReturnType<Node['http']>>

/** Undefined when the connection was closed instead: a node closes those that were idle for five seconds, perhaps just now. */
const answerOf = (asked: Promise<Answer>): Promise<Answer | undefined> => asked.catch(() => undefined)

/** A node that keeps working has not exited. */
export function mustRun({ process: { exitCode, signalCode, pid } }: Node): void {
  if (exitCode !== null || signalCode !== null) throw new Error(`node ${pid} ended (${exitCode ?? signalCode})`)
}

export async function killNode(nodes: ChaosNodes, node: Node): Promise<void> {
  const ended = once(node.process, 'exit')
  node.process.kill('SIGKILL')
  await ended
  nodes.gone(node)
}

/** Exits on SIGTERM even if the database or Redis is unavailable. */
export async function mustEnd(nodes: ChaosNodes, node: Node): Promise<void> {
  mustRun(node)
  const ended = once(node.process, 'exit')
  node.process.kill('SIGTERM')
  const late = sleep(WAIT_MS, 'late' as const, { ref: false })
  const isLate = (await Promise.race([ended, late])) === 'late'
  if (isLate) node.process.kill('SIGKILL')
  nodes.gone(node)
  if (isLate) throw new Error('a node that was asked to stop did not stop')
}

/** The node reports that it accepts no calls, because they cannot be recorded. */
export async function becomesClosed(node: Node): Promise<void> {
  let last = ''
  await until(
    () => `a node accepted calls without its store: ${last}`,
    async () => {
      mustRun(node)
      const answer = await answerOf(node.http('GET', '/readyz', undefined))
      last = JSON.stringify(answer)
      return answer?.status === 503 && String(answer.body['code']).startsWith('audit.')
    },
  )
}

/**
 * Each node executes a call without a restart. Resolves with the time that took. Every call has its own session, so that earlier
 * reads do not count.
 */
export async function mustExecute(
  nodes: readonly Node[],
  key: string,
  text: string,
  record: Load['record'],
): Promise<number> {
  const from = performance.now()
  for (const [index, node] of nodes.entries()) {
    let tries = 0
    let last = ''
    await until(
      () => `node ${index} executed nothing (${text}): ${last}`,
      async () => {
        mustRun(node)
        const args = { text: `${text}-${index}-${(tries += 1)}` }
        const answer = await answerOf(
          node.http('POST', '/v1/calls', key, { tool: 'log__add', args, thread: args.text }),
        )
        if (answer === undefined) return false
        recordAnswer({ record }, answer)
        last = JSON.stringify(answer.body)
        return answer.body['status'] === 'executed'
      },
    )
  }
  return Math.round(performance.now() - from)
}

/** The node rejects a call because it cannot be recorded. Resolves with the problem's code. */
export async function becomesRefusing(
  node: Node,
  key: string,
  text: string,
  record: Load['record'],
  cause: () => void,
): Promise<string> {
  let tries = 0
  let code = ''
  await until(
    () => `a node still accepts calls (${text})`,
    async () => {
      cause()
      mustRun(node)
      const args = { text: `${text}-${(tries += 1)}` }
      const answer = await answerOf(node.http('POST', '/v1/calls', key, { tool: 'log__add', args, thread: args.text }))
      if (answer === undefined) return false
      recordAnswer({ record }, answer)
      code = String(answer.body['code'])
      return answer.status === 503 && code.startsWith('audit.')
    },
  )
  return code
}
