import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { built } from '../built/built.ts'

/** A command for a host. */
export type Ordered = {
  readonly folder: string
  readonly words: readonly string[]
  readonly env: NodeJS.ProcessEnv
}
export type Ran = { readonly code: number | null; readonly out: string; readonly err: string }

/** After the output of a command. No command prints this character. */
export const OUTPUT_ENDS = '\u0000'

type Host = { readonly process: ChildProcess; readonly ended: Promise<readonly [number | null]> }
const idle: Host[] = []

/**
 * Runs a command in a process that has already loaded the command line, which takes most of the time of a command. A process runs one
 * command at a time.
 */
export async function hostCommand(ordered: Ordered): Promise<Ran> {
  const host = idle.pop() ?? startHost()
  const output = Promise.all([textOf(host.process.stdout), textOf(host.process.stderr)])
  const answered = Promise.race([once(host.process, 'message') as Promise<[number]>, host.ended])
  host.process.send(ordered)
  const [code] = await answered
  const [out, err] = await output
  if (host.process.connected) idle.push(host)
  return { code, out, err }
}

function startHost(): Host {
  const child = spawn(process.execPath, [built(join(import.meta.dirname, 'command-host.ts'))], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  // It ends with this process, and does not keep it from ending.
  child.unref()
  child.channel?.unref()
  for (const stream of [child.stdout, child.stderr] as (Socket | null)[]) stream?.setEncoding('utf8').unref()
  return { process: child, ended: once(child, 'close') as Promise<[number | null]> }
}

/** What is written until the command has ended, or the host. */
function textOf(stream: ChildProcess['stdout']): Promise<string> {
  return new Promise((done) => {
    let text = ''
    const finish = () => {
      stream?.off('data', read).off('close', finish)
      done(text.replace(OUTPUT_ENDS, ''))
    }
    const read = (more: string) => {
      text += more
      if (text.endsWith(OUTPUT_ENDS)) finish()
    }
    stream?.on('data', read).once('close', finish)
  })
}
