import { connect as dial, createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import type { Death, KillableLedger } from '../ledger-doubts.suite.ts'
import { STATE } from './functions.ts'
import { openLedger } from './open-ledger.suite.ts'

const proxies = new Set<Server>()

export async function stopProxies(): Promise<void> {
  for (const proxy of proxies) proxy.close()
  proxies.clear()
}

/** The function that commits a group is named in every message that sends one. */
const GROUP = 'commit_group_'
/** A database answer that ends the session: `FATAL`, the code of a shutdown by an admin, a text. */
const FATAL = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0')

/**
 * A store behind a proxy that cuts the connection at the next group, as requested. "Before commit": the group has arrived at the
 * proxy, and nothing of it at the database. "After commit": the database has answered.
 */
export async function openKillable(address: string): Promise<KillableLedger> {
  const [url = '', schema] = address.split(' ')
  const target = new URL(url)
  let armed: Death | undefined
  const server = createServer((client) => {
    const database = dial(Number(target.port), target.hostname)
    let cutting: Death | undefined
    /** The group does not match the database: it is decided again, and sent once more. */
    let isSentBack = false
    const cut = () => {
      client.destroy()
      database.destroy()
    }
    const refuse = () => {
      const head = Buffer.alloc(5)
      head.write('E')
      head.writeInt32BE(FATAL.length + 4, 1)
      client.end(Buffer.concat([head, FATAL]))
      database.destroy()
    }
    pipe(client, database, (chunk) => {
      if (armed !== undefined && chunk.includes(GROUP)) {
        cutting = armed
        armed = undefined
        if (cutting === 'on arrival' || cutting === 'before commit') return cut()
        if (cutting === 'commit fails, nothing stored') return refuse()
      }
      database.write(chunk)
    })
    pipe(database, client, (chunk) => {
      isSentBack ||= chunk.includes(STATE.CHANGED)
      const isCommitted = isReady(chunk) && !isSentBack
      if (isReady(chunk)) isSentBack = false
      if (isCommitted && cutting === 'after commit') return cut()
      if (isCommitted && cutting === 'commit fails, stored') return refuse()
      client.write(chunk)
    })
  })
  proxies.add(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = (server.address() as { port: number }).port
  const through = new URL(url)
  through.host = `127.0.0.1:${port}`
  const ledger = await openLedger(`${through.href} ${schema}`, { onFault: () => undefined })
  return { ledger, dieNext: (death) => void (armed = death) }
}

/** The database is ready and not in a transaction. */
const isReady = (chunk: Buffer): boolean => chunk.subarray(-6).equals(Buffer.from('Z\0\0\0\x05I'))

function pipe(from: Socket, to: Socket, onChunk: (chunk: Buffer) => void): void {
  from.on('data', onChunk)
  from.on('error', () => to.destroy())
  from.on('close', () => to.destroy())
}
