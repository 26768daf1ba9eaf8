import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { linesOf } from '../gate/lines.ts'

export const TOOL_SERVER = [join(import.meta.dirname, '../gate/tool-server.ts'), 'stdio']

/** The tool server of all systems, asked over its pipes without a library. */
export function openTool(): { call(args: unknown): Promise<string>; close(): void } {
  const child = spawn(process.execPath, TOOL_SERVER, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, (text: string) => void>()
  let last = 0
  linesOf(child.stdout, (lines) => {
    for (const line of lines) {
      const { id, result } = JSON.parse(line) as { id: number; result: { content: readonly { text: string }[] } }
      waiting.get(id)?.(result.content[0]?.text ?? '')
      waiting.delete(id)
    }
  })
  return {
    call: (args) =>
      new Promise((resolve) => {
        const id = (last += 1)
        waiting.set(id, resolve)
        const params = { name: 'echo', arguments: args }
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
      }),
    close: () => void child.kill(),
  }
}
