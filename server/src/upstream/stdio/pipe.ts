import { parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import type { UpstreamAnswer, UpstreamCall } from '../../commands/ports.ts'
import { isJsonObject, type Json } from '../../contract/json.ts'
import { problem, type ProblemCode } from '../../contract/problems.ts'
import type { ServerConfig } from '../server-config.ts'
import { startChild, type Child } from './child.ts'
import { answerOf, callFrame, cancelFrame, idAtEnds, isFrameId, type Envelope, type FrameId } from './frames.ts'

export type Pipe = {
  readonly child: Child
  /** For the SDK: everything on the pipe but the calls below. */
  readonly transport: Transport
  /** Sends one call and waits for its answer, the timeout, the caller's abort or the child's end, whichever is first. */
  call(call: UpstreamCall, envelope: Envelope): Promise<UpstreamAnswer>
  /** Answers to calls that nobody waits for any more. */
  late(): number
}

export type PipeDeps = {
  readonly config: ServerConfig
  readonly grace_ms: number
  readonly stderr: (line: string) => void
  readonly noise: (says: string) => void
}

/** One child's stdin and stdout, shared by the SDK (discovery) and the lean path (calls), told apart by their ids. */
export function openPipe({ config, grace_ms, stderr, noise }: PipeDeps): Pipe {
  const server = config.name
  const waiting = new Map<FrameId, (answer: UpstreamAnswer) => void>()
  let sent = 0
  let late = 0
  let unreadable = 0

  const lost = (code: ProblemCode, about: Record<string, string> = {}): UpstreamAnswer => ({
    is: 'lost',
    problem: problem(code, { server, ...about }),
  })

  function settle(id: FrameId, answer: UpstreamAnswer): void {
    const resolve = waiting.get(id)
    if (resolve === undefined) late += 1
    else resolve(answer)
  }

  function spoil(head: string, tail: string, answer: UpstreamAnswer, says: string): void {
    const id = idAtEnds(head, tail)
    if (id !== undefined) return settle(id, answer)
    // Nobody's answer: perhaps a log line on the wrong stream. Whoever did wait for it will time out.
    unreadable += 1
    noise(says)
  }

  function hear(bytes: Buffer): void {
    const text = bytes.toString()
    let message: Json
    try {
      message = JSON.parse(text) as Json
    } catch {
      return spoil(text, text, lost('tool.garbled'), 'wrote a line to stdout that is not JSON')
    }
    if (isJsonObject(message) && isFrameId(message['id']) && message['method'] === undefined)
      return settle(message['id'], answerOf(server, message))
    forward(message)
  }

  function forward(message: Json): void {
    try {
      transport.onmessage?.(parseJSONRPCMessage(message))
    } catch {
      unreadable += 1
      noise('wrote a line to stdout that is not a JSON-RPC message')
    }
  }

  const too_large = lost('tool.too_large', { limit: String(config.output_limit) })
  const child = startChild(config, {
    line: hear,
    overlong: ({ head, tail, bytes }) => spoil(head, tail, too_large, `wrote a line of ${bytes} bytes, over its limit`),
    endless({ head, tail, bytes }) {
      spoil(head, tail, too_large, `wrote ${bytes} bytes without a line break and was ended`)
      child.kill()
    },
    stderr,
  })
  const breakOff = (how: string) => {
    for (const resolve of waiting.values()) resolve(lost('tool.broke_off', { how }))
    return transport.onclose?.()
  }
  void child.ended.then(breakOff)

  const transport: Transport & { readonly stderr: null; readonly pid: number | null } = {
    // The SDK knows a stdio transport by these two, and treats a silent server on one as an older server.
    stderr: null,
    pid: child.pid ?? null,
    async start() {
      const fault = await child.started
      if (fault !== undefined) throw new Error(fault)
    },
    async send(message) {
      if (!child.write(`${JSON.stringify(message)}\n`)) throw new Error('the tool server is gone')
    },
    close: () => child.close(grace_ms),
  }

  function call(call: UpstreamCall, envelope: Envelope): Promise<UpstreamAnswer> {
    const id: FrameId = `s-${(sent += 1)}`
    const frame = callFrame(id, call, envelope)
    const noise_before = unreadable
    return new Promise((resolve) => {
      if (call.signal?.aborted === true || !child.write(frame)) {
        const why = call.signal?.aborted === true ? 'aborted' : 'the server is gone'
        return resolve({ is: 'not_sent', problem: problem('tool.unavailable', { server, why }) })
      }
      const settled = (answer: UpstreamAnswer) => {
        waiting.delete(id)
        clearTimeout(timer)
        call.signal?.removeEventListener('abort', aborted)
        resolve(answer)
      }
      const giveUp = (why: 'timeout' | 'aborted') => {
        child.write(cancelFrame(id, why, envelope))
        const heard = unreadable - noise_before
        const about = {
          why,
          timeout_ms: String(config.timeout_ms),
          ...(heard === 0 ? {} : { unreadable: String(heard) }),
        }
        settled(lost('tool.timeout', about))
        // A line over the limit that did not end in a whole timeout will not end: every later answer would be part of it.
        if (why === 'timeout' && child.isSkipping()) child.kill()
      }
      const aborted = () => giveUp('aborted')
      const timer = setTimeout(() => giveUp('timeout'), config.timeout_ms)
      call.signal?.addEventListener('abort', aborted)
      waiting.set(id, settled)
    })
  }

  return { child, transport, call, late: () => late }
}
