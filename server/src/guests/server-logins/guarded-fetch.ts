import { lookup as dnsLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { FetchLike } from '@modelcontextprotocol/client'
import { readBody } from '../../adapters/upstream/http/body.ts'
import { exchange, type OutgoingRequest, type HttpReply } from '../../adapters/upstream/http/exchange.ts'
import type { AddressRules } from './address-rules.ts'

/** Metadata, registrations and tokens are small. */
const ANSWER_LIMIT = 262_144

/** Written by the gate itself, so it can be shown to people. */
const OURS = new WeakSet<Error>()
export const isOwnFault = (error: unknown): error is Error => error instanceof Error && OURS.has(error)
const fault = (says: string): Error => {
  const error = new Error(says)
  OURS.add(error)
  return error
}

/**
 * `fetch` for the SDK's login functions: only to addresses that the rules allow, also after a name is resolved, with a time and
 * size limit, and without following redirects. The SDK follows those within one origin, through here.
 */
export function guardedFetch(rules: AddressRules, timeout_ms: number): FetchLike {
  return async (address, init = {}) => {
    const url = new URL(address)
    const wrong = rules.faultOf(url)
    if (wrong !== undefined) throw fault(wrong)
    let refused: string | undefined
    const { openPool } = await import('../../adapters/upstream/http/pool.ts')
    const pool = openPool(
      url.origin,
      checkedLookup(rules, (says) => (refused = says)),
    )
    const asking = exchange(url, askOf(init), pool)
    const timer = setTimeout(() => asking.abort(), timeout_ms)
    try {
      const reply = await asking.reply
      if (reply.is === 'fault') throw fault(refused ?? `\`${url.host}\` could not be reached (${reply.says})`)
      const body = await readBody(reply.body, ANSWER_LIMIT)
      if (typeof body === 'string') throw fault(`the answer of \`${url.host}\` ${BODY_FAULTS[body]}`)
      return responseOf(reply, body)
    } finally {
      clearTimeout(timer)
      void pool.destroy()
    }
  }
}

const BODY_FAULTS = { too_large: 'is too large', broke_off: 'was cut off, or did not arrive in time' } as const

/** Checks the addresses that are then connected to, so that a name cannot resolve differently a moment later. */
function checkedLookup(rules: AddressRules, onRefused: (says: string) => void): LookupFunction {
  return (host, options, done) => {
    dnsLookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '')
      const wrong = addresses
        .map(({ address }) => rules.faultOfAddress(host, address))
        .find((says) => says !== undefined)
      if (wrong !== undefined) {
        onRefused(wrong)
        return done(new Error(wrong), '')
      }
      if (options.all === true) return done(null, addresses)
      const [first] = addresses
      return done(null, first?.address ?? '', first?.family)
    })
  }
}

function askOf({ method, headers, body }: RequestInit): OutgoingRequest {
  const text = body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : undefined
  return {
    method: method === 'POST' ? 'POST' : 'GET',
    headers: Object.fromEntries(new Headers(headers)),
    ...(text === undefined ? {} : { body: text }),
  }
}

function responseOf({ status, headers }: HttpReply, body: Buffer): Response {
  const kept = new Headers()
  for (const name of ['content-type', 'location']) {
    const value = headers[name]
    if (typeof value === 'string') kept.set(name, value)
  }
  const is_empty = [204, 205, 304].includes(status)
  return new Response(is_empty ? null : new Uint8Array(body), { status, headers: kept })
}
