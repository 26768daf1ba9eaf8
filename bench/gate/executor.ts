import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { peerFile } from './peers.ts'

/** `executor` from npm: a gateway that also asks people and records calls. It runs a piece of code per call, as its documentation says. */
export type Executor = { readonly child: ChildProcess; readonly url: string; readonly tool: string }

type ToolServer = { readonly url: string } | { readonly command: string; readonly args: readonly string[] }

const LONGEST_START_MS = 60_000

/** With one tool server, reached as it is configured through its own API. `asks`: each call is held for an approval. */
export async function startExecutor(
  folder: string,
  port: number,
  server: ToolServer,
  { asks = false }: { readonly asks?: boolean } = {},
): Promise<Executor> {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  // It would fetch a list of integrations from the network.
  const env = { PATH: process.env['PATH'], HOME: home, EXECUTOR_DATA_DIR: join(folder, 'data'), DO_NOT_TRACK: '1' }
  const words = [peerFile('executor', 'bin/executor'), 'web', '--port', String(port), '--log-level', 'error']
  const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] })
  await ready(child)
  const url = `http://127.0.0.1:${port}`
  const added =
    'url' in server
      ? { transport: 'remote', name: 'bench', slug: 'bench', endpoint: server.url, remoteTransport: 'streamable-http' }
      : { transport: 'stdio', name: 'bench', slug: 'bench', ...server }
  await post(`${url}/api/mcp/servers`, added)
  await post(`${url}/api/connections`, {
    owner: 'user',
    name: 'main',
    integration: 'bench',
    template: 'none',
    value: '',
  })
  if (asks) await post(`${url}/api/policies`, { owner: 'user', pattern: 'bench.*', action: 'require_approval' })
  return { child, url, tool: 'tools.bench.user.main.echo' }
}

/** What is run for one call. */
export const codeOf = (tool: string, args: object): string => `return await ${tool}(${JSON.stringify(args)})`

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('there is nothing to read')
    const timer = setTimeout(() => reject(new Error('executor did not start in time')), LONGEST_START_MS)
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.includes('is ready')) return
      clearTimeout(timer)
      resolve()
    })
    child.once('exit', (code) => reject(new Error(`executor ended with ${code}`)))
  })
}

export async function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (answer.status >= 400) throw new Error(`${url} was answered with ${answer.status}: ${text.slice(0, 300)}`)
  return (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>
}
