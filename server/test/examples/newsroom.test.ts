import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const newsroom = join(root, 'examples/newsroom')

test('each edition has its own number, also several in the same second', async () => {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const args = [join(newsroom, 'servers/desk.ts')]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: root }))
  const ask = () => client.callTool({ name: 'edition', arguments: {} })
  const answers = await Promise.all([ask(), ask(), ask(), ask(), ask()])
  await client.close()
  const numbers = answers.map(({ structuredContent }) => (structuredContent as { number: number }).number)
  expect(new Set(numbers).size).toBe(5)
})
