import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallState } from '../../src/kernel/contract/call.ts'
import { openChaosNodes, type ChaosNodes } from './chaos-nodes.ts'
import type { Violation } from './history.ts'
import { readReceipts } from './read-history.ts'
import { skipped, type PartReport } from './report.ts'

const WAIT_MS = 60_000

/**
 * A node is stopped between the commit that marks a call `executing` and the send, until another node has taken the call over, and is then
 * continued. It must send nothing, store nothing, and end.
 */
export async function zombiePart({ hasPostgres }: { readonly hasPostgres: boolean }): Promise<PartReport> {
  const part = 'a node stopped past its lease and continued (SIGSTOP, SIGCONT)'
  if (!hasPostgres) return skipped(part, 'there is no Postgres')
  const nodes = await openChaosNodes()
  try {
    const other = await nodes.start()
    const zombie = await nodes.start({ launcher: join(import.meta.dirname, 'stopping-gate.ts') })
    const agent = await other.key('agent', 'a', 'ana')
    const approver = await other.key('approver', 'bob')
    const ended = once(zombie.process, 'exit')
    writeFileSync(join(zombie.folder, 'stop-at'), '')
    const calling = zombie.http('POST', '/v1/calls', agent, { tool: 'log__add', args: { text: 'late' } }).then(
      ({ body }) =>
        nodes.records.push({ is: 'call', call_id: String(body['call_id']), status: String(body['status']) }),
      () => undefined,
    )
    const call_id = await becomes(nodes, 'unknown')
    zombie.process.kill('SIGCONT')
    await ended
    nodes.gone(zombie)
    await calling
    const late = readReceipts(nodes.log).length
    // The audit of the start is in the stream of the dead node, that of the retry in another one.
    const settled = await other.http('POST', `/v1/calls/${call_id}/resume`, approver, { as: 'retry' })
    nodes.records.push({ is: 'settlement', call_id, as: 'retry', acknowledged: settled.status === 200 })
    const { retry } = settled.body
    const approval_id = String((retry as { readonly approval_id?: string } | undefined)?.approval_id)
    const { body } = await other.http('GET', `/v1/approvals/${approval_id}`, approver)
    const digest = String(body['digest'])
    const decision = { decision: 'approve', digest }
    const decided = await other.http('POST', `/v1/approvals/${approval_id}/decide`, approver, decision)
    nodes.records.push({
      is: 'decision',
      approval_id,
      says: 'approve',
      digest,
      acknowledged: decided.status === 200,
    })
    await becomes(nodes, 'executed')
    const { checks, violations } = await nodes.check()
    const extra: Violation[] =
      late === 0
        ? []
        : [{ kind: 'sent_after_takeover', about: call_id, says: 'the stopped node sent it when it continued' }]
    return { part, faults: { SIGSTOP: 1 }, checks, violations: [...violations, ...extra] }
  } finally {
    await nodes.stop()
  }
}

/** The one call, once the ledger says that. */
async function becomes(nodes: ChaosNodes, wanted: CallState): Promise<string> {
  const until = performance.now() + WAIT_MS
  while (performance.now() < until) {
    const found = (await nodes.history()).calls.find(({ state }) => state === wanted)
    if (found !== undefined) return found.call_id
    await sleep(200)
  }
  throw new Error(`the call did not become ${wanted}`)
}
