import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Node } from '../helpers/with-nodes.ts'
import { openChaosGate } from './chaos-gate.ts'
import { beginLoad } from './load-on-nodes.ts'
import { LOGGED_POLICY, loggedServer } from './logged-tools.ts'
import { until } from './node-checks.ts'
import { pick } from './random.ts'
import { addCounts, type PartReport } from './report.ts'
import { makeCall, recordAnswer, type Load } from './soak-load.ts'
import { superviseHttp, type Supervised } from './supervised.ts'

const CLIENTS = 6
const LOAD_MS = 40_000
const SHORT_MS = 8_000
/** The gate's memory limit, with incoming answers of 64 MB. */
const MOST_MB = 1_024

/** What each server does when it is called; `log` behaves correctly. */
const SERVERS: Readonly<Record<string, readonly string[]>> = {
  hangs: ['hang', 'freeze'],
  crashes: ['crash', 'crash_after', 'crash_mid_answer'],
  lies: ['lie', 'answer_ahead', 'wrong_id', 'wrong_shape', 'no_result', 'both', 'ask_back', 'fail'],
  floods: ['flood', 'flood_stderr', 'flood_listings', 'huge'],
}

/** The same over HTTP. Such a server is not a child of the gate: a supervisor starts it again. */
const HTTP_SERVERS: Readonly<Record<string, readonly string[]>> = {
  'http-hangs': ['hang', 'hang_in_stream', 'freeze'],
  'http-crashes': ['crash', 'hang_up', 'crash_mid_answer', 'crash_after'],
  'http-lies': [
    'not_json',
    'not_http_json',
    'wrong_id',
    'wrong_shape',
    'no_result',
    'server_error',
    'forget',
    'lie',
    'fail',
  ],
  'http-floods': ['flood', 'huge'],
}

/**
 * Tool servers that hang, crash, answer wrongly and flood, all at once, next to a correct one under load. All calls of the correct one are
 * executed, each call to the others ends with its known outcome, and they are used again once they behave.
 */
export async function upstreamPart(setup: { readonly seed: number; readonly isShort: boolean }): Promise<PartReport> {
  const part = 'tool servers that hang, crash, answer wrongly and flood, beside one that behaves, with load'
  const supervised = new Map<string, Supervised>()
  const log = join(mkdtempSync(join(tmpdir(), 'sluice-chaos-http-')), 'tool.log')
  for (const name of Object.keys(HTTP_SERVERS))
    supervised.set(name, await superviseHttp('logging-http.ts', { LOG: log }))
  const names = [...Object.keys(SERVERS), ...supervised.keys()]
  const gate = await openChaosGate({
    log,
    config: () => ({
      servers: {
        ...Object.fromEntries(['log', ...Object.keys(SERVERS)].map((name) => [name, loggedServer(log)])),
        ...Object.fromEntries([...supervised].map(([name, { url }]) => [name, overHttp(url)])),
      },
      policy: {
        rules: [
          ...LOGGED_POLICY.rules,
          { id: 'others', effect: 'allow', match: { server: names }, says: 'these run at once' },
        ],
      },
    }),
  })
  try {
    const node = await gate.start()
    const { load, end } = await beginLoad(node, gate.running, gate.records, { ...setup, clients: CLIENTS })
    let faults: Readonly<Record<string, number>> = {}
    const did = (does: string) => void (faults = addCounts(faults, { [does]: 1 }))
    const over = performance.now() + (setup.isShort ? SHORT_MS : LOAD_MS)
    const isOver = () => performance.now() > over
    await Promise.all(
      Object.entries({ ...SERVERS, ...HTTP_SERVERS }).map(([server, ways]) =>
        misbehave({ ...load, isOver }, node, { server, ways, did }),
      ),
    )
    for (const server of names) await behavesAgain(load, node, server)
    const peak = peakOf(node)
    const made = await end()
    const { checks, violations, rounds } = await gate.finish(load, { mustSucceed: ({ server }) => server === 'log' })
    if (peak > MOST_MB) throw new Error(`the gate took ${peak} MB`)
    const notes = [
      `${made} calls to the server that behaves by ${CLIENTS} clients; the gate took at most ${peak} MB; nothing was open after ${rounds} checks`,
    ]
    return { part, faults, checks, violations, notes }
  } finally {
    await gate.stop()
    for (const one of supervised.values()) await one.stop()
    rmSync(dirname(log), { recursive: true, force: true })
  }
}

const overHttp = (url: string) => ({ url, timeout_ms: 2_000, tools: { add: { effects: ['write'] } } })

type Misbehaviour = {
  readonly server: string
  readonly ways: readonly string[]
  readonly did: (does: string) => void
}

/** Calls a server that misbehaves each time, one call after the other. */
async function misbehave(load: Load, node: Node, { server, ways, did }: Misbehaviour): Promise<void> {
  for (let number = 0; !load.isOver(); number += 1) {
    const does = ways[number] ?? pick(load.random, ways)
    const key = `${server}-${number}`
    const body = { tool: `${server}__add`, args: { text: key, does }, thread: key }
    const answer = await makeCall(node, load.agent, key, body)
    recordAnswer(load, answer, key)
    did(server.startsWith('http-') ? `${does} over HTTP` : does)
    // A server that is unavailable for a while is not asked again immediately.
    if (answer.status !== 200) await sleep(200)
  }
}

async function behavesAgain(load: Load, node: Node, server: string): Promise<void> {
  let tries = 0
  let last = ''
  await until(
    () => `${server} executed nothing after it behaved again: ${last}`,
    async () => {
      const key = `${server}-again-${(tries += 1)}`
      const answer = await makeCall(node, load.agent, key, { tool: `${server}__add`, args: { text: key }, thread: key })
      recordAnswer(load, answer, key)
      last = JSON.stringify(answer.body)
      return answer.body['status'] === 'executed'
    },
  )
}

/** The most memory that a process had, in megabytes; 0 where that cannot be read. */
function peakOf({ process: { pid } }: Node): number {
  try {
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kilobytes ?? 0) / 1024)
  } catch {
    return 0
  }
}
