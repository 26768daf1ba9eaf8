import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../kernel/ports/runtime.ts'
import type {
  AdmitsInvitation,
  MessageTransport,
  OpenRoomTransport,
  TakeMessage,
  OutgoingMessage,
  Sent,
} from '../../kernel/ports/transports.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'
import type { Preparation } from '../../kernel/ports/prepare-guest.ts'
import { followRooms } from './follow-rooms.ts'
import { matrixAccount, type MatrixAccount } from './matrix-account.ts'
import { openMatrixConnection, type MatrixConnection } from './matrix-connection.ts'
import { isUnreached } from '../../adapters/upstream/unreached.ts'
import { eventsSince } from './recent-events.ts'

export type MatrixTransportPorts = {
  /** Logs in as the user of each document. */
  readonly agents: ReadonlyMap<string, () => Promise<MatrixConnection>>
  readonly clock: Clock
  readonly stopping: AbortSignal
  readonly log: (says: string, about?: Readonly<Record<string, unknown>>) => void
}

const RETRY_MS = 2_000

/** Nobody logs in before a message is sent or received. */
export const roomTransports =
  ({ folder, stopping, log }: Preparation): OpenRoomTransport =>
  ({ name, matrix }, fault) => {
    const secret = (reference: string, place: string): string => {
      const found = secretOf(reference, folder, process.env) ?? ''
      if (found === '') fault(`matrix.agents.${place}`, 'the secret is missing')
      return found
    }
    const agents = Object.entries(matrix.agents).map(([agent, { user, token, password }]) => {
      const account = {
        homeserver: matrix.homeserver,
        user,
        ...(token === undefined ? {} : { token: secret(token, `${agent}.token`) }),
        ...(password === undefined ? {} : { password: secret(password, `${agent}.password`) }),
      }
      return [agent, () => openMatrixConnection(account)] as const
    })
    const logError = (says: string, about = {}) => log('error', says, about)
    return matrixTransport(name, { agents: new Map(agents), clock: Date.now, stopping, log: logError })
  }

/** Messages of documents over a homeserver, each document as its own user. */
export function matrixTransport(name: string, deps: MatrixTransportPorts): MessageTransport {
  const accounts = new Map([...deps.agents].map(([agent, open]) => [agent, matrixAccount(open)]))
  return {
    name,
    reaches: (room, agent) => room.startsWith('!') && accounts.has(agent),
    async send(message) {
      const account = accounts.get(message.agent)
      if (account === undefined) return { is: 'not_sent', why: 'the document has no user at the homeserver' }
      return sendOnce({ session: account.session, clock: deps.clock, stopping: deps.stopping }, message)
    },
    async listen(take, admits) {
      const stops = [...accounts].map(([agent, account]) => follow(name, agent, account, take, admits, deps))
      return async () => {
        await Promise.all(stops.map((stop) => stop()))
        await Promise.all([...accounts.values()].map((account) => account.close()))
      }
    },
  }
}

/** Follows the rooms of one document, with a new session whenever the homeserver ends the previous one. Returns a function that stops it. */
function follow(
  transport: string,
  agent: string,
  account: MatrixAccount,
  take: TakeMessage,
  admits: AdmitsInvitation,
  { clock, stopping, log }: MatrixTransportPorts,
): () => Promise<void> {
  const stop = new AbortController()
  const stopped = AbortSignal.any([stop.signal, stopping])
  const whole = async (): Promise<void> => {
    let isReported = false
    while (!stopped.aborted) {
      try {
        const session = await account.session()
        isReported = false
        const ended = new Promise<void>((resolve) => {
          session.onEnded(resolve)
          stopped.addEventListener('abort', () => resolve(), { once: true })
        })
        const leave = followRooms({ transport, agent, session, take, admits, clock, stopping, log })
        await ended
        await leave()
      } catch (error) {
        if (!isReported) log('the homeserver cannot be reached; retrying', { transport, agent, error: nameOf(error) })
        isReported = true
        await sleep(RETRY_MS, undefined, { signal: stopped }).catch(() => {})
      }
    }
  }
  const done = whole()
  return async () => {
    stop.abort()
    await done
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown')

type SendPorts = {
  readonly session: () => Promise<MatrixConnection>
  readonly clock: Clock
  readonly stopping: AbortSignal
}

/** In the content of a document's messages: the id of the call that sent it. */
const MESSAGE_ID = 'io.sluice.message'
const TRIED_FOR_MS = 30_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
/** How far the clocks of the gate and the homeserver may be apart. */
const SKEW_MS = 600_000

/**
 * Tries for half a minute.
 * INVARIANT: once an attempt may have reached the homeserver, the message is sent again only if the room does not have it.
 */
async function sendOnce(
  { session, clock, stopping }: SendPorts,
  { id, room, text, since }: OutgoingMessage,
): Promise<Sent> {
  const content = { msgtype: 'm.text', body: text, 'm.mentions': {}, [MESSAGE_ID]: id }
  const began = clock()
  let mayBeThere = since !== undefined
  let isSending = false
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    if (stopping.aborted) return { is: mayBeThere ? 'lost' : 'not_sent', why: 'the gate is stopping' }
    try {
      isSending = false
      const open = await session()
      const found = mayBeThere ? await isThere(open, room, id, (since ?? began) - SKEW_MS) : 'no'
      if (found === 'yes') return { is: 'sent' }
      if (found === 'unclear') return { is: 'lost', why: 'an earlier attempt may have sent it' }
      isSending = true
      await open.send(room, 'm.room.message', content, id)
      return { is: 'sent' }
    } catch (error) {
      if (isSending && !isUnreached(error) && statusOf(error) === undefined) mayBeThere = true
      const why = whyNot(error)
      if (isRefused(error)) return { is: mayBeThere ? 'lost' : 'not_sent', why }
      if (clock() + pause > began + TRIED_FOR_MS) return { is: mayBeThere ? 'lost' : 'not_sent', why }
      await sleep(pause, undefined, { signal: stopping }).catch(() => {})
    }
  }
}

/** `unclear`: messages of an earlier process in an encrypted room cannot be read. */
async function isThere(session: MatrixConnection, room: string, id: string, since: number) {
  let isUnclear = false
  for await (const event of eventsSince(session, room, since, () => (isUnclear = true))) {
    if (event.sender !== session.user) continue
    if (event.content[MESSAGE_ID] === id) return 'yes'
    if (event.type === 'm.room.encrypted') isUnclear = true
  }
  return isUnclear ? 'unclear' : 'no'
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof Error && 'httpStatus' in error && typeof error.httpStatus === 'number' ? error.httpStatus : undefined

/** A definite rejection: retrying would not help. */
function isRefused(error: unknown): boolean {
  const status = statusOf(error)
  return status !== undefined && status >= 400 && status < 500 && status !== 429 && status !== 408 && status !== 401
}

function whyNot(error: unknown): string {
  const status = statusOf(error)
  if (status !== undefined) return `the homeserver answered with status ${status}`
  return isUnreached(error) ? 'the homeserver could not be reached' : 'the homeserver did not answer'
}
