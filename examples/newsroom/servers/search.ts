/** A tool server that searches a file of articles: `node search.ts news.json`. The file is read at every search, so news can change. */
import { readFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const [file = 'news.json'] = process.argv.slice(2)
const Article = z.object({ ticker: z.string(), headline: z.string(), text: z.string() })

serveStdio(() => {
  const server = new McpServer({ name: 'news', version: '1.0.0' })
  server.registerTool(
    'search',
    {
      title: 'Search the news',
      description: 'Finds the articles about a ticker.',
      inputSchema: z.strictObject({
        query: z.string().min(1).max(100),
        key: z.string().describe('Your key for the archive'),
      }),
      outputSchema: z.object({ articles: z.array(Article) }),
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    ({ query, key }) => {
      if (key !== process.env['NEWS_KEY'])
        return { isError: true, content: [{ type: 'text', text: 'the key for the archive is wrong' }] }
      const all = z.array(Article).parse(JSON.parse(readFileSync(file, 'utf8')))
      const articles = all.filter(({ ticker }) => ticker === query.toUpperCase())
      return { content: [{ type: 'text', text: `${articles.length} articles` }], structuredContent: { articles } }
    },
  )
  return server
})
