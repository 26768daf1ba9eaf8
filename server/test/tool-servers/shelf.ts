import { answer, send, serveRaw } from './raw-server.ts'

/** A server with resources, prompts and completions. The one called `stuck` lists its tools and never anything else. */
const [name = 'shelf'] = process.argv.slice(2)
const SECRET = 'AKIAQ3EGRZ7XMPLE2TWN'

const resources = [`shelf://${name}/page`, `shelf://${name}/hidden`, 'shelf://both'].map((uri) => ({
  uri,
  name: `of ${name}`,
}))
const contents = (uri: string, text: string) => ({ contents: [{ uri, mimeType: 'text/plain', text }] })

const ANSWERS: Record<string, (params: Record<string, unknown>) => object | undefined> = {
  'resources/list': ({ cursor }) =>
    cursor === undefined ? { resources: resources.slice(0, 1), nextCursor: 'more' } : { resources: resources.slice(1) },
  'resources/templates/list': () => ({
    resourceTemplates: [{ uriTemplate: `shelf://${name}/numbers/{n}`, name: 'a number' }],
  }),
  'resources/read'({ uri }) {
    const number = /numbers\/(\d+)$/.exec(String(uri))?.[1]
    if (number !== undefined) return contents(String(uri), `number ${number} of ${name}`)
    if (String(uri).endsWith('/hidden'))
      return {
        contents: [
          { uri, text: `key ${SECRET}` },
          { uri, blob: Buffer.from(SECRET).toString('base64') },
        ],
      }
    return String(uri).endsWith('/page') || uri === 'shelf://both'
      ? contents(String(uri), `a page of ${name}`)
      : undefined
  },
  'prompts/list': () => ({ prompts: [{ name: 'greet', description: 'A greeting' }] }),
  'prompts/get'({ arguments: args }) {
    const { who } = (args ?? {}) as { who?: string }
    return { messages: [{ role: 'user', content: { type: 'text', text: `${name} greets ${who ?? 'you'}` } }] }
  },
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
  'completion/complete': () => ({ completion: { values: [`Ana of ${name}`] } }),
}

serveRaw({
  tools: () => [{ name: 'change' }],
  onCall({ id }) {
    send({ method: 'notifications/prompts/list_changed' })
    for (const n of ['2', '1/secret', '1/a', '1'])
      send({ method: 'notifications/resources/updated', params: { uri: `shelf://${name}/numbers/${n}` } })
    answer(id, 'changed')
  },
  before({ id, method, params }) {
    if (method === 'initialize' && id !== undefined) {
      const capabilities = {
        tools: {},
        resources: { subscribe: true },
        prompts: { listChanged: true },
        completions: {},
      }
      send({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name, version: '1' } } })
      return true
    }
    const reply = ANSWERS[method ?? '']
    if (reply === undefined || id === undefined) return false
    if (name === 'stuck') return true
    const result = reply(params ?? {})
    send(result === undefined ? { id, error: { code: -32002, message: 'no such resource' } } : { id, result })
    return true
  },
})
