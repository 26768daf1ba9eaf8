import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { readDocument } from '../read-document.ts'

const root = resolve(import.meta.dirname, '../../../../..')
const newsroom = join(root, 'examples/newsroom')
const NAMES = /saito|kairo|kumo|news_?re(?:quest|sponse)|newsroom/i

test('the documents of the newsroom are valid, and the product contains nothing specific to them', () => {
  const documents = ['saito', 'kairo', 'kumo'].map((name) =>
    readDocument(readFileSync(join(newsroom, `${name}.yaml`), 'utf8')),
  )
  expect(documents.map((read) => read.ok)).toEqual([true, true, true])
  const files = globSync('{server/src,console/src,bin}/**/*', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(?:test|suite)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  expect(files.length).toBeGreaterThan(500)
  expect(files.filter((file) => NAMES.test(readFileSync(file, 'utf8')))).toEqual([])
})

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
