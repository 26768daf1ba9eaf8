/** The desk's tool server: the watched stocks, the number of the edition, and a file of alerts: `node desk.ts alerts.jsonl`. */
import { appendFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const [file = 'alerts.jsonl'] = process.argv.slice(2)
/** The number of the newest edition. */
let newest = 0
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
      description: 'Numbers editions by the time they begin. No two have the same number.',
      inputSchema: z.strictObject({}),
      outputSchema: z.object({ number: z.int() }),
      annotations: READS,
    },
    () => {
      newest = Math.max(newest + 1, Date.now())
      return answer({ number: newest })
    },
  )
  server.registerTool(
    'positions',
    {
      title: 'Positions',
      description: 'Lists the tickers that the portfolio holds.',
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
