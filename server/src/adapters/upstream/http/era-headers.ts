import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client'
import { isJsonObject, type Json } from '../../../kernel/contract/json.ts'
import type { MetaEnvelope } from '../messages.ts'
import type { OurRequest } from '../our-request.ts'

/** Since 2026-07-28 a message's method and name are also in its headers, where a proxy can read them. */
export function requestHeaders(request: OurRequest<unknown>, envelope: MetaEnvelope): Record<string, string> {
  const version = envelope[PROTOCOL_VERSION_META_KEY]
  if (typeof version !== 'string') return {}
  return {
    ...mirroredHeaders(request.call),
    'mcp-protocol-version': version,
    'mcp-method': request.method,
    ...(request.name === undefined ? {} : { 'mcp-name': asHeader(request.name) }),
  }
}

function mirroredHeaders(call: OurRequest<unknown>['call']): Record<string, string> {
  if (call === undefined || call.mirrors.length === 0) return {}
  const args = JSON.parse(call.canonical_args) as Json
  return Object.fromEntries(call.mirrors.flatMap(({ header, path }) => entry(header, at(args, path))))
}

/** The same for the SDK's own messages. None of those it sends for discovery has a name. */
export function messageHeaders(message: object): Record<string, string> {
  const { id, method, params } = message as { id?: Json; method?: Json; params?: Json }
  const meta = isJsonObject(params) ? params['_meta'] : undefined
  const version = isJsonObject(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined
  if (id === undefined || typeof method !== 'string' || typeof version !== 'string') return {}
  return { 'mcp-protocol-version': version, 'mcp-method': method }
}

function at(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (node, key) => (isJsonObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
    value,
  )
}

function entry(header: string, value: Json | undefined): [string, string][] {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return []
  // Larger numbers are no longer exact.
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return []
  return [[`mcp-param-${header.toLowerCase()}`, asHeader(String(value))]]
}

/** Plain if the text can be a header value, otherwise in the encoding of the specification. */
export function asHeader(text: string): string {
  const is_plain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/s.test(text)
  return is_plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}
