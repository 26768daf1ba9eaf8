import type { ChildProcess } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { quantile } from '../bench.ts'
import { cpuOf } from './cpu.ts'
import { echoOf } from './echo-tool.ts'
import { codeOf, post, startExecutor } from './executor.ts'
import { freePort, keyOf, startGate, stop, TOOL_ARGS, TOOL_COMMAND } from './systems.ts'

/** A call that is held, approved by somebody else and then executed: from the request to its outcome. */
export type HeldRow = {
  readonly way: 'http' | 'mcp'
  readonly concurrency: number
  readonly system: 'sluice' | 'executor'
  readonly calls_s: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly cpu_us: number
}

type Plan = { readonly concurrency: readonly number[]; readonly ms: number; readonly warm_ms: number }
type Way = (number: number) => Promise<string>
type Held = { readonly child: ChildProcess; readonly ways: Readonly<Record<HeldRow['way'], Way>> }

const TEXT = 'the quarterly figures are in the shared folder, where they were read before noon'
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))

export async function measureHeld(folder: string, plan: Plan): Promise<readonly HeldRow[]> {
  const rows: HeldRow[] = []
  for (const [system, open] of [
    ['sluice', heldBySluice],
    ['executor', heldByExecutor],
  ] as const) {
    const own = join(folder, `held-${system}`)
    mkdirSync(own)
    const { child, ways } = await open(own)
    try {
      for (const way of ['http', 'mcp'] as const) {
        await run(ways[way], 4, plan.warm_ms)
        for (const concurrency of plan.concurrency) {
          const before = cpuOf(child.pid ?? 0)
          const { us, ms } = await run(ways[way], concurrency, plan.ms)
          const cpu = cpuOf(child.pid ?? 0) - before
          rows.push({ way, concurrency, system, ...figures(us, ms), cpu_us: rounded(cpu / us.length, 1) })
        }
        console.error(`held calls over ${way}: ${system}`)
      }
    } finally {
      await stop(child)
    }
  }
  return rows
}

function figures(us: readonly number[], ms: number) {
  const sorted = [...us].sort((a, b) => a - b)
  return {
    calls_s: rounded((us.length / ms) * 1000, 1),
    p50_ms: rounded(quantile(sorted, 0.5) / 1000, 3),
    p99_ms: rounded(quantile(sorted, 0.99) / 1000, 3),
  }
}

/** Numbers are never used twice, so no gate can take one call for another. */
let number = 0

async function run(way: Way, concurrency: number, ms: number) {
  const us: number[] = []
  const start = performance.now()
  const until = start + ms
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      do {
        const one = (number += 1)
        const asked = performance.now()
        const said = await way(one)
        us.push(Math.round((performance.now() - asked) * 1000))
        if (!said.includes(echoOf(TEXT, one)))
          throw new Error(`a held call was answered wrongly: ${said.slice(0, 300)}`)
      } while (performance.now() < until)
    }),
  )
  return { us, ms: performance.now() - start }
}

/** The approver is another person with a key of their own, who reads the request and approves its digest. */
async function heldBySluice(folder: string): Promise<Held> {
  const asks = { id: 'asked', effect: 'ask', match: { tool: 'bench__echo' }, says: 'a person is asked' }
  const { child, address: base } = await startGate({ upstream: 'stdio', url: '', folder }, { rules: [asks] })
  const agent = { authorization: `Bearer ${keyOf(folder, 'agent', 'bench')}` }
  const approver = { authorization: `Bearer ${keyOf(folder, 'approver', 'bob')}` }
  const get = async (path: string, headers: Readonly<Record<string, string>>) =>
    (await fetch(`${base}${path}`, { headers })).text()
  const approve = async (approval_id: string) => {
    const { digest } = JSON.parse(await get(`/v1/approvals/${approval_id}`, approver)) as { digest: string }
    await post(`${base}/v1/approvals/${approval_id}/decide`, { decision: 'approve', digest }, approver)
  }
  const session = await mcpSession(`${base}/mcp`, agent)
  return {
    child,
    ways: {
      async http(one) {
        const args = { text: TEXT, number: one }
        const held = await post(`${base}/v1/calls`, { tool: 'bench__echo', args, thread: 'bench' }, agent)
        await approve(String(held['approval_id']))
        return get(`/v1/calls/${String(held['call_id'])}?wait_ms=30000&session=bench`, agent)
      },
      async mcp(one) {
        const held = await session('bench__echo', { text: TEXT, number: one })
        const { approval_id, call_id } = (held['structuredContent'] ?? {}) as Readonly<Record<string, string>>
        await approve(String(approval_id))
        return JSON.stringify(await session('call_status', { call_id, wait_ms: 30_000 }))
      },
    },
  }
}

/** The caller resumes the call itself: this system has no separate approver. */
async function heldByExecutor(folder: string): Promise<Held> {
  const server = { command: TOOL_COMMAND, args: TOOL_ARGS }
  const { child, url, tool } = await startExecutor(folder, await freePort(), server, { asks: true })
  const session = await mcpSession(`${url}/mcp`, {})
  return {
    child,
    ways: {
      async http(one) {
        const code = codeOf(tool, { text: TEXT, number: one })
        const { structured } = (await post(`${url}/api/executions`, { code })) as {
          structured?: { executionId: string }
        }
        const path = `${url}/api/executions/${structured?.executionId ?? ''}/resume`
        return JSON.stringify(await post(path, { action: 'accept', content: {} }))
      },
      async mcp(one) {
        const held = await session('execute', { code: codeOf(tool, { text: TEXT, number: one }) })
        const { executionId } = (held['structuredContent'] ?? {}) as Readonly<Record<string, string>>
        return JSON.stringify(await session('resume', { executionId, action: 'accept', content: '{}' }))
      },
    },
  }
}

type Answer = Readonly<Record<string, unknown>>

async function mcpSession(url: string, more: Readonly<Record<string, string>>) {
  const version = '2025-06-18'
  const send = async (body: object, headers: Readonly<Record<string, string>>) => {
    const all = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...more,
      ...headers,
    }
    return fetch(url, { method: 'POST', headers: all, body: JSON.stringify({ jsonrpc: '2.0', ...body }) })
  }
  const clientInfo = { name: 'bench', version: '1.0.0' }
  const hello = await send(
    { id: 0, method: 'initialize', params: { protocolVersion: version, capabilities: {}, clientInfo } },
    {},
  )
  await hello.text()
  const named = hello.headers.get('mcp-session-id')
  const headers = { 'mcp-protocol-version': version, ...(named === null ? {} : { 'mcp-session-id': named }) }
  await (await send({ method: 'notifications/initialized' }, headers)).text()
  let id = 0
  return async (name: string, args: object): Promise<Answer> => {
    const answer = await send({ id: (id += 1), method: 'tools/call', params: { name, arguments: args } }, headers)
    const text = await answer.text()
    const json = /^data: (\{.*)$/m.exec(text)?.[1] ?? text
    return (JSON.parse(json) as { result?: Answer }).result ?? { error: text }
  }
}
