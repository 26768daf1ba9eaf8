import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { followThread } from '../../server/src/guests/agent/follow-thread.ts'
import { runAgent } from '../../server/src/guests/agent/run-agent.ts'
import { openGate } from '../../server/src/main/open-gate.ts'
import type { Caller } from '../../server/src/kernel/contract/caller.ts'
import { readConfig } from '../../server/test/read-config.ts'
import type { RunId } from '../../server/src/kernel/contract/ids.ts'
import { MESSAGE, type AgentSystem } from './system.ts'
import { TOOL_SERVER } from './tool.ts'

const CALLER: Caller = { kind: 'user', id: 'user:bench', user: 'bench' }
/** The events of one turn, in this order; `state` comes in between, and `message_delta` is not stored. */
const EXPECTED_EVENTS = ['plan', 'tool_proposed', 'risk_gate', 'tool_result', 'final']

type Followed = { turns: number; readonly received: string[]; readonly ids: string[]; stop(): void }

/** The whole gate, as it is started, with a follower on every thread. */
export async function openSluiceAgent(url: string): Promise<AgentSystem> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-agent-'))
  const config = readConfig({
    listen: { port: 0 },
    servers: { bench: { command: process.execPath, args: TOOL_SERVER, tools: { echo: { effects: ['read'] } } } },
    models: { agent: { provider: 'openai-compatible', url: `${url}/v1`, model: 'test' } },
    // These limits are not meant for conversations as long as a bench.
    repetition: { most: 1_000 },
  })
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  const place = { file: join(folder, 'sluice.yaml'), folder, data: join(folder, 'data') }
  const policy = { text: 'rules: []', file: 'policy.yaml' }
  const opened = await openGate(
    { ...place, config: config.value, policy },
    { log: () => {}, url: () => 'http://gate.bench' },
  )
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  await opened.value.settled
  const { ports } = opened.value
  const threads = new Map<RunId, Followed>()

  const follow = async (run_id: RunId): Promise<Followed> => {
    const received: string[] = []
    const ids: string[] = []
    const following = await followThread(ports, CALLER, run_id, undefined, {
      onEvent({ event, id }) {
        if (id !== undefined) ids.push(id)
        if (EXPECTED_EVENTS.includes(event)) received.push(event)
      },
      onEnd() {},
    })
    if (!following.ok) throw new Error(JSON.stringify(following.problem))
    return { turns: 0, received, ids, stop: following.value }
  }

  return {
    async thread() {
      let thread_id: string | undefined
      return async () => {
        const turn = await runAgent(ports, CALLER, {
          message: MESSAGE,
          ...(thread_id === undefined ? {} : { thread_id }),
        })
        if (!turn.ok) throw new Error(JSON.stringify(turn.problem))
        const { run_id, response, status } = turn.value
        if (status !== 'completed') throw new Error(`a turn ended as ${status}: ${response}`)
        thread_id = turn.value.thread_id
        const followed = threads.get(run_id) ?? (await follow(run_id))
        followed.turns += 1
        threads.set(run_id, followed)
        return response
      }
    },
    async faults() {
      const all = await Promise.all([...threads].map(async ([run_id, followed]) => faultsOf(run_id, followed)))
      return all.flat()
    },
    async close() {
      for (const { stop } of threads.values()) stop()
      await opened.value.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Compares the events that a follower got with those that this many turns must produce. Waits for outstanding ones. */
async function faultsOf(run_id: RunId, { turns, received, ids }: Followed): Promise<string[]> {
  const wanted = Array.from({ length: turns }, () => EXPECTED_EVENTS).flat()
  for (let tries = 0; received.length < wanted.length && tries < 500; tries += 1)
    await new Promise((more) => setTimeout(more, 10))
  const faults: string[] = []
  if (received.join() !== wanted.join())
    faults.push(`${run_id}: ${received.length} events of ${wanted.length}, or in another order`)
  if (new Set(ids).size !== ids.length) faults.push(`${run_id}: an event was sent twice`)
  return faults
}
