import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'

/** How long a server may be silent before it is ended and started again. */
const SILENT_MS = 3_000
const LOOK_MS = 500

export type Supervised = { readonly url: string; stop(): Promise<void> }

/** A tool server over HTTP that is started again on the same port when it ends or no longer answers, as a supervisor does. */
export async function superviseHttp(script: string, env: Readonly<Record<string, string>>): Promise<Supervised> {
  let isOver = false
  let child: ChildProcess | undefined
  const start = async (port: string): Promise<string> => {
    const started = spawn(process.execPath, [resolve(import.meta.dirname, '../tool-servers', script)], {
      env: { PATH: process.env['PATH'], ...env, PORT: port },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child = started
    if (started.stdout === null) throw new Error('it has no stdout')
    const lines = createInterface({ input: started.stdout })
    const [line] = (await Promise.race([once(lines, 'line'), once(started, 'exit')])) as [unknown]
    const same = port === '0' ? String(line) : port
    const again = () => {
      if (!isOver) start(same).catch(() => setTimeout(again, LOOK_MS).unref())
    }
    if (started.exitCode === null) started.once('exit', again)
    else again()
    return same
  }
  const port = await start('0')
  const url = `http://127.0.0.1:${port}/mcp`
  const answers = async (): Promise<boolean> => {
    try {
      await (await fetch(url, { method: 'DELETE', signal: AbortSignal.timeout(SILENT_MS) })).text()
      return true
    } catch (error) {
      // It is being started.
      return !(error instanceof DOMException)
    }
  }
  let looking: Promise<void> = Promise.resolve()
  const look = async (): Promise<void> => {
    if (!isOver && !(await answers())) child?.kill('SIGKILL')
  }
  const timer = setInterval(() => {
    looking = look()
  }, LOOK_MS)
  return {
    url,
    async stop() {
      isOver = true
      clearInterval(timer)
      await looking
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
