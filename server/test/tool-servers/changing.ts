import { answer, send, serveRaw, type RawTool } from './raw-server.ts'

/** Changes what it offers while it runs: `become` takes the new list of tools. */
let tools: readonly RawTool[] = [{ name: 'become', description: 'as listed first' }]

serveRaw({
  tools: () => tools,
  onCall({ id, args }) {
    tools = args['tools'] as RawTool[]
    send({ method: 'notifications/tools/list_changed' })
    answer(id, 'changed')
  },
})
