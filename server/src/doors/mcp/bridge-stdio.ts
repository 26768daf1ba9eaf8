import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** Sends one message to the running gate: its status and the answer's text. */
export type Post = (body: string) => Promise<{ readonly status: number; readonly text: string }>

/**
 * MCP on stdin and stdout, as a client of the running gate: each line goes there as it is, byte for byte, and each answer
 * comes back as one line. Ends when stdin does and everything is answered.
 */
export async function bridgeStdio(input: Readable, output: Writable, post: Post): Promise<void> {
  const underWay = new Set<Promise<void>>()
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (line.trim() === '') continue
    const answered = forward(line, output, post)
    underWay.add(answered)
    void answered.finally(() => underWay.delete(answered))
  }
  await Promise.all(underWay)
}

async function forward(line: string, output: Writable, post: Post): Promise<void> {
  try {
    const { text } = await post(line)
    if (text !== '') output.write(`${text}\n`)
  } catch {
    const id = idIn(line)
    if (id === undefined) return
    const error = {
      code: -32603,
      message: 'the gate cannot be reached; start it with `sluice up`',
      data: { code: 'gate.absent' },
    }
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`)
  }
}

function idIn(line: string): unknown {
  try {
    return (JSON.parse(line) as { id?: unknown } | null)?.id
  } catch {
    return null
  }
}
