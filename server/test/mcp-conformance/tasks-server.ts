import { answer, send, serveRaw } from '../tool-servers/raw-server.ts'

/** The tools that the suite's scenarios about tasks call. A call that takes long becomes a task at the gate, not here. */
const LONG_MS = 1_500
const tools = ['greet', 'slow_compute', 'failing_job', 'protocol_error_job']

serveRaw({
  tools: () => tools.map((name) => ({ name, description: `the tool ${name}` })),
  onCall({ id, name, args }) {
    if (name === 'greet') answer(id, `Hello, ${String(args['name'])}!`)
    const seconds = name === 'slow_compute' ? Number(args['seconds']) : 0
    setTimeout(() => end(id, name), Math.max(LONG_MS, seconds * 1_000))
  },
})

function end(id: string | number, name: string): void {
  if (name === 'slow_compute') answer(id, 'computed')
  if (name === 'failing_job') send({ id, result: { content: [{ type: 'text', text: 'it failed' }], isError: true } })
  if (name === 'protocol_error_job') send({ id, error: { code: -32603, message: 'it broke' } })
}
