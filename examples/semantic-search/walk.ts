/** Starts the embedding server and a gate that uses it, and finds a tool by a request that shares no word with it. */
import assert from 'node:assert/strict'
import { withGate } from '../with-gate.ts'
import { startEmbeddingServer } from './embedding-server.ts'

const REQUEST = 'tell my colleague the news'
const TRIES = 30

type Found = { readonly skill_id: string; readonly reason: string }

const { url, server } = await startEmbeddingServer()
const config = `
search:
  embeddings: { provider: openai-compatible, url: ${url}, model: all-minilm-l6-v2 }
`
await withGate(
  async (gate) => {
    const key = gate.key('agent', 'writer')
    const search = async (): Promise<readonly Found[]> => {
      const answer = await fetch(`${gate.url}/v1/tools/search?q=${encodeURIComponent(REQUEST)}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      return ((await answer.json()) as { items: Found[] }).items
    }
    // The tools are embedded in the background, so the first searches may use words alone.
    let found = await search()
    for (let tries = 1; tries < TRIES && found.length === 0; tries += 1) {
      await new Promise((done) => setTimeout(done, 1_000))
      found = await search()
    }
    for (const { skill_id, reason } of found) console.log(`${skill_id}: ${reason}`)
    assert.deepEqual(found[0], { ...found[0], skill_id: 'outbox__send_message', reason: 'similar in meaning' })
  },
  { config },
)
server.close()
server.closeAllConnections()
