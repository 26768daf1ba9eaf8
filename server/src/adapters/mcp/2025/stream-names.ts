import { randomBytes } from 'node:crypto'
import type { RpcId } from '../rpc.ts'

const RANDOM_BYTES = 12
const RANDOM_LENGTH = 16
const LONGEST_REQUEST = 200
const ID = /^([\w-]{16}(?:_[\w-]{1,400})?)\.(\d{1,9})$/

/** The name of a stream that answers a request. It contains the request's id and time, so that another node can answer. */
export function newStreamName(id: RpcId, now: number): string {
  const random = randomBytes(RANDOM_BYTES).toString('base64url')
  const request = JSON.stringify([id, now])
  return request.length > LONGEST_REQUEST ? random : `${random}_${Buffer.from(request).toString('base64url')}`
}

/** The position at which a client lost its stream, from the id of its last event. */
export function placeIn(last_id: string): { readonly stream: string; readonly after: number } | undefined {
  const [, stream, after] = ID.exec(last_id) ?? []
  return stream === undefined ? undefined : { stream, after: Number(after) }
}

/** The request that a stream answers, from the stream's name. Not trusted, because the client sends it. */
export function requestIn(stream: string): { readonly id: RpcId; readonly at: number } | undefined {
  try {
    const [id, at] = JSON.parse(Buffer.from(stream.slice(RANDOM_LENGTH + 1), 'base64url').toString()) as unknown[]
    const isId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id))
    return isId && typeof at === 'number' && Number.isFinite(at) ? { id, at } : undefined
  } catch {
    return undefined
  }
}
