import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** The bytes received on one connection. */
export type Answers = { readonly text: string; readonly statuses: readonly number[]; readonly codes: readonly string[] }

function read(text: string): Answers {
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
  const codes = [...text.matchAll(/"code":"([a-z_.]+)"/g)].map(([, code]) => code ?? '')
  return { text, statuses, codes }
}

export async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  // A closed connection is one of the expected answers.
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Sends these bytes as they are, and waits until the other side closes or `isEnough`. */
export async function send(
  url: string,
  bytes: string | Buffer,
  isEnough: (seen: Answers) => boolean = () => false,
): Promise<Answers> {
  const socket = await open(url)
  let text = ''
  return new Promise((done) => {
    const finish = () => {
      socket.destroy()
      done(read(text))
    }
    socket.on('close', finish)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (isEnough(read(text))) finish()
    })
    socket.write(bytes)
  })
}

/** The head of a request, each line as it is given. */
export const head = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`
