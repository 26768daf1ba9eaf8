import { expect, test } from 'vitest'
import { TUNING } from '../tuning.ts'
import { httpTransport } from './http-transport.ts'

test('values of headers and the client secret are in no message, whoever repeats them', () => {
  const oauth = { token_url: 'https://id.example/token', client_id: 'client', client_secret: 's3cret-of-the-client' }
  const limits = { timeout_ms: 1_000, concurrency: 1, output_limit: 1_024, trusted: false }
  const headers = { 'x-key': 'key-of-the-operator' }
  const way = httpTransport({ name: 's', url: 'https://tools.example/mcp', headers, oauth, ...limits }, TUNING)
  expect(way.hide('`key-of-the-operator` and s3cret-of-the-client, said it')).toBe('`[secret]` and [secret], said it')
  expect(way.hide('nothing of ours')).toBe('nothing of ours')
})
