/** The tool server of the desk: what is held, the number of the edition, and a file of alerts: `node desk.ts alerts.jsonl`. */
import { appendFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const [file = 'alerts.jsonl'] = process.argv.slice(2)
const READS = { readOnlyHint: true, openWorldHint: false }
const answer = (structuredContent: Record<string, unknown>) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }],
  structuredContent,
})

serveStdio(() => {
  const server = new McpServer({ name: 'desk', version: '1.0.0' })
  server.registerTool(
    'edition',
    {
      title: 'Number of the edition',
      description: 'Numbers editions by the second they begin in.',
      inputSchema: z.strictObject({}),
      outputSchema: z.object({ number: z.int() }),
      annotations: READS,
    },
    () => answer({ number: Math.floor(Date.now() / 1000) }),
  )
  server.registerTool(
    'positions',
    {
      title: 'Positions',
      description: 'Lists the tickers that are held.',
      inputSchema: z.strictObject({}),
      outputSchema: z.object({ tickers: z.array(z.string()) }),
      annotations: READS,
    },
    () => answer({ tickers: ['ACME', 'GLOBEX'] }),
  )
  server.registerTool(
    'file_alert',
    {
      title: 'File an alert',
      description: 'Files an alert about the portfolio, which the back office acts on.',
      inputSchema: z.strictObject({ run_id: z.int(), summary: z.string(), headlines: z.array(z.string()) }),
      outputSchema: z.object({ filed: z.boolean() }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    (alert) => {
      appendFileSync(file, `${JSON.stringify(alert)}\n`)
      return answer({ filed: true })
    },
  )
  return server
})
