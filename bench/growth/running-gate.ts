import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openConnection, postText } from '../gate/connection.ts'

/** Of this checkout: the sources, as `npm start` runs them. */
const LAUNCHER = join(import.meta.dirname, '../../bin/sluice')

/**
 * In MB. `anon` is the process's own; `file` are pages of Node's binary and of libraries, which all Nodes on a machine share;
 * `pss` is its own and its share of those. Linux only, else NaN.
 */
export type Memory = { readonly rss: number; readonly anon: number; readonly file: number; readonly pss: number }

export type RunningGate = {
  /** From the start of the process to the answer of its first gated call. */
  readonly first_call_ms: number
  /** A connection whose `call` makes one call and says how long it took. */
  connect(): Promise<{ call(): Promise<number>; close(): void }>
  /** Resident memory of the process, its tool servers not counted. */
  memory(): Memory
  /** CPU time of the process so far in µs. Linux only, else NaN. */
  cpu(): number
  stop(): Promise<void>
}

/** `sluice up` in this folder, as an operator runs it, and one agent that calls `tool` over HTTP. */
export async function runGate(folder: string, tool: string, launcher = LAUNCHER): Promise<RunningGate> {
  const env = { ...process.env, NODE_OPTIONS: '' }
  const key = readFileSync(join(folder, 'agent.key'), 'utf8')
  const started = performance.now()
  const child = spawn(process.execPath, [launcher, 'up', '--trust'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const greeting = await new Promise<string>((done, fail) => {
    createInterface({ input: child.stdout }).once('line', done)
    child.once('exit', (code) => fail(new Error(`the gate ended with ${code}`)))
  })
  const url = new URL('/v1/calls', /http:[^,\s]+/.exec(greeting)?.[0])
  // The same call made again and again would be held for a person.
  const own = randomBytes(4).toString('hex')
  let count = 0
  const connect = async () => {
    let connection = await openConnection(url)
    const call = async () => {
      count += 1
      const body = JSON.stringify({ tool, args: { text: `call ${own} ${count}` }, thread: `bench-${count % 100}` })
      // The gate closes connections that are idle for a while, as when the other gate of a comparison takes its turn.
      if (connection.isClosed()) connection = await openConnection(url)
      const begun = performance.now()
      const reply = await connection.ask(postText(url, `authorization: Bearer ${key}\r\n`, body))
      if (reply.status !== 200) throw new Error(`a call of the bench ended with ${reply.status}: ${reply.body}`)
      return performance.now() - begun
    }
    return { call, close: () => connection.close() }
  }
  const first = await connect()
  await first.call()
  const first_call_ms = performance.now() - started
  first.close()
  const proc = (file: string) =>
    process.platform === 'linux' ? readFileSync(`/proc/${child.pid}/${file}`, 'utf8') : ''
  return {
    first_call_ms,
    connect,
    memory: () => memoryOf(child.pid),
    cpu() {
      const text = proc('stat')
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      return (Number(fields[11]) + Number(fields[12])) * 10_000
    },
    async stop() {
      child.kill('SIGTERM')
      await new Promise((done) => child.once('exit', done))
    },
  }
}

function memoryOf(pid: number | undefined): Memory {
  const text =
    process.platform === 'linux'
      ? ['status', 'smaps_rollup'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join('')
      : ''
  const mb = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024)
  return { rss: mb('VmRSS'), anon: mb('RssAnon'), file: mb('RssFile'), pss: mb('Pss') }
}

/** The memory of a Node process that runs nothing. */
export async function memoryOfNode(): Promise<Memory> {
  const child = spawn(process.execPath, ['-e', 'console.log(); setInterval(() => {}, 1_000)'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await new Promise((done) => child.stdout.once('data', done))
  const memory = memoryOf(child.pid)
  child.kill('SIGKILL')
  return memory
}
