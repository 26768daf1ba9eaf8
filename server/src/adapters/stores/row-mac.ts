import { Bug } from '../../kernel/contract/problems.ts'
import type { Table } from '../../kernel/ports/ledger.ts'
import { hmacSha256 } from './hmac.ts'
import { TABLES } from './listed.ts'
import { addTerms, type OnceSum } from './once-sum.ts'

/**
 * A key stored beside the database. `sealed`: every row already has a MAC, so one without is not ours. `heads`: the same for the
 * heads of the audit. `onces`: the same for single-use keys and their sums.
 */
export type RowKey = {
  readonly key: string
  readonly sealed: boolean
  readonly heads?: boolean
  readonly onces?: boolean
}

const LEAST_BYTES = 32
/** 128 bits of HMAC-SHA256. */
const MAC_BYTES = 16
const DOMAIN = 'sluice.row.v1'

/** Checkpoints are signed themselves, and `audit verify` names one that was changed. */
export const hasMac = (table: Table): boolean => table !== 'checkpoints'
export const TABLES_WITH_MACS: readonly Table[] = TABLES.filter(hasMac)

/**
 * MACs over what is stored: somebody who writes the database without the key cannot create a valid row.
 * INVARIANT: injective. The kind, the names, the numbers and the lengths of both texts precede the texts.
 */
export type RowMacs = {
  row(table: Table, id: string, version: number, body: string, later: string | null): Uint8Array
  event(run: string, seq: number, body: string): Uint8Array
  account(id: string, units: number | bigint, until: number | null): Uint8Array
  /** Over the newest entry of an audit stream, and so over every entry before it. */
  head(stream: string, seq: number, hash: string): Uint8Array
  /** For the name of an audit stream. */
  stream(name: string): Uint8Array
  /** For a single-use key. `term` is never stored; it is a part of the sum of all keys. */
  once(key: string, until: number): { readonly mac: Uint8Array; readonly term: bigint }
  /** A sum of terms as it is stored: masked, so that the difference of two sums does not reveal a term. */
  sealSum(stream: string, sum: OnceSum): StoredSum
  /** Undefined if a gate with this key did not store it. */
  openSum(stream: string, n: number, stored: { readonly masked: unknown; readonly mac: unknown }): bigint | undefined
}
export type StoredSum = { readonly masked: Uint8Array; readonly mac: Uint8Array }

export function rowMacs(hexKey: string): RowMacs {
  const bytes = Buffer.from(hexKey, 'hex')
  if (bytes.byteLength < LEAST_BYTES) throw new Bug('the key of the rows is too short')
  const hmac = hmacSha256(bytes)
  const macOf = (names: readonly unknown[], body = '', later = ''): Uint8Array =>
    Buffer.from(hmac(JSON.stringify(names), body, later).slice(0, MAC_BYTES), 'latin1')
  const sumMac = (stream: string, n: number, masked: Uint8Array): Uint8Array =>
    macOf([DOMAIN, 'once sum', stream, n, Buffer.from(masked).toString('hex')])
  return {
    row: (table, id, version, body, later) =>
      macOf([DOMAIN, 'row', table, id, version, body.length, later?.length ?? null], body, later ?? ''),
    event: (run, seq, body) => macOf([DOMAIN, 'event', run, seq, body.length], body),
    account: (id, units, until) => macOf([DOMAIN, 'account', id, String(units), until]),
    head: (stream, seq, hash) => macOf([DOMAIN, 'head', stream, seq, hash]),
    stream: (name) => macOf([DOMAIN, 'stream', name]),
    once(text, until) {
      const bytes = Buffer.from(hmac(JSON.stringify([DOMAIN, 'once', text, until])), 'latin1')
      return { mac: bytes.subarray(0, MAC_BYTES), term: numberIn(bytes.subarray(MAC_BYTES)) }
    },
    sealSum(stream, { n, sum }) {
      const masked = bytesOf(addTerms(sum, [numberIn(macOf([DOMAIN, 'once mask', stream, n]))]))
      return { masked, mac: sumMac(stream, n, masked) }
    },
    openSum(stream, n, { masked, mac }) {
      if (!(masked instanceof Uint8Array) || !isSameMac(mac, sumMac(stream, n, masked))) return undefined
      return addTerms(numberIn(masked), [-numberIn(macOf([DOMAIN, 'once mask', stream, n]))])
    },
  }
}

const numberIn = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const bytesOf = (number: bigint): Uint8Array => Buffer.from(number.toString(16).padStart(2 * MAC_BYTES, '0'), 'hex')

export const isSameMac = (stored: unknown, wanted: Uint8Array): boolean =>
  stored instanceof Uint8Array && Buffer.compare(stored, wanted) === 0
