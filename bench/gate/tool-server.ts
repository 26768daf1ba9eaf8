import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerTo, type Message } from './echo-tool.ts'
import { linesOf } from './lines.ts'

// A tool server without a library: a slow one would hide what a gateway costs. `http` prints its port, `stdio` uses its pipes.
if (process.argv[2] === 'stdio') {
  linesOf(process.stdin, (lines) => {
    const answers = lines.map((line) => answerTo(JSON.parse(line) as Message)).filter((text) => text !== undefined)
    if (answers.length > 0) process.stdout.write(`${answers.join('\n')}\n`)
  })
  process.stdin.on('end', () => process.exit(0))
} else {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (body += text))
    request.on('end', () => {
      const answer = answerTo(JSON.parse(body) as Message)
      if (answer === undefined) return response.writeHead(202).end()
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
      return response.end(answer)
    })
    return undefined
  })
  // Keeps the connections of systems that are not being measured at the moment.
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
}
