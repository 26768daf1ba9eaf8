import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answer, sendJson, serveRawHttp } from './raw-http-server.ts'

/**
 * Accepts only bearer tokens that it issued itself, at `/token`, to `client` with the secret `s3cret-of-the-client`. The tool
 * `revoke` invalidates them; with `CLOSED` it accepts none at all.
 */
let tokens = new Set<string>()
let asked: string[] = []
const basic = `Basic ${Buffer.from('client:s3cret-of-the-client').toString('base64')}`

function giveToken(request: IncomingMessage, response: ServerResponse): void {
  let form = ''
  request.on('data', (part: Buffer) => (form += part.toString()))
  request.on('end', () => {
    asked.push(form)
    if (request.headers.authorization !== basic) {
      sendJson(response, { error: 'invalid_client' }, 401)
      return
    }
    const token = `token-${randomUUID()}`
    tokens.add(token)
    const expires_in = Number(process.env['EXPIRES_IN'] ?? 3600)
    sendJson(response, { access_token: token, token_type: 'Bearer', expires_in })
  })
}

serveRawHttp({
  tools: () => [{ name: 'echo' }, { name: 'revoke' }, { name: 'asked' }],
  onCall(call) {
    if (call.name === 'revoke') tokens = new Set()
    answer(call, call.name === 'asked' ? JSON.stringify(asked) : JSON.stringify(call.args))
  },
  before(request, response) {
    if (request.url === '/token') {
      giveToken(request, response)
      return true
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (tokens.has(token) && process.env['CLOSED'] === undefined) return false
    request.resume()
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    return true
  },
})
