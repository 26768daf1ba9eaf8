import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Order, LoadReply } from './load.ts'

export const PATIENCE_MS = 30_000

/** The process that sends the load. One order at a time. */
export function openLoad(): {
  send(order: Order): Promise<Extract<LoadReply, { is: 'done' | 'loaded' }>>
  child: ChildProcess
} {
  const child = fork(join(import.meta.dirname, 'load.ts'), { stdio: ['ignore', 2, 2, 'ipc'] })
  return {
    child,
    send: (order) =>
      new Promise((resolve, reject) => {
        const gone = (code: number | null) => reject(new Error(`the load generator ended with ${code}`))
        const timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS)
        child.once('exit', gone)
        child.once('message', (reply: LoadReply) => {
          clearTimeout(timer)
          child.off('exit', gone)
          if (reply.is === 'failed') reject(new Error(reply.says))
          else resolve(reply)
        })
        child.send(order)
      }),
  }
}
export type Load = ReturnType<typeof openLoad>
