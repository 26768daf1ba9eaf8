import { modern, rpc, type RawRequest } from '../../../../test/helpers/send-raw.ts'

const list = rpc('tools/list')
const good = modern('tools/call', { name: 'lively__look', arguments: {} })

/** What the door rejects: HTTP status, code and JSON-RPC number. Without a number it is not an MCP answer. */
export const REFUSALS: readonly [
  name: string,
  sendRaw: RawRequest,
  status: number,
  code: string,
  rpc: number | undefined,
][] = [
  ['a body that is not JSON', { body: '{' }, 400, 'request.not_ijson', -32700],
  ['the same key twice', { body: '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}' }, 400, 'request.not_ijson', -32700],
  ['bytes that are not UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, 'request.not_ijson', -32700],
  ['a megabyte and more', { body: `"${'x'.repeat(1_048_576)}"` }, 413, 'request.too_large', -32000],
  ['a batch', { body: [list] }, 400, 'mcp.batch_refused', -32600],
  ['an empty batch', { body: [] }, 400, 'mcp.batch_refused', -32600],
  ['no JSON-RPC', { body: { id: 1, method: 'ping' } }, 400, 'mcp.message_invalid', -32600],
  ['an id that is neither text nor number', { body: { ...list, id: null } }, 400, 'mcp.message_invalid', -32600],
  ['params that are a list', { body: { ...list, params: [] } }, 400, 'mcp.message_invalid', -32600],
  [
    'another content type',
    { headers: { 'content-type': 'text/plain' }, body: list },
    415,
    'request.media_type',
    -32000,
  ],
  ['no content type', { headers: { 'content-type': '' }, body: list }, 415, 'request.media_type', -32000],
  ['an Accept without JSON', { headers: { accept: 'text/html' }, body: list }, 406, 'request.not_acceptable', -32000],
  [
    'a stream that is not accepted',
    { method: 'GET', headers: { accept: 'application/json' } },
    406,
    'request.not_acceptable',
    -32000,
  ],
  ['an HTTP method that is not supported', { method: 'PUT', body: list }, 405, 'request.method_not_allowed', undefined],
  [
    'a version of the protocol that never existed',
    { headers: { 'mcp-protocol-version': '2025-01-01' }, body: list },
    400,
    'mcp.version_unsupported',
    -32022,
  ],
  ['a version that is not supported yet', modernAt('2027-01-01'), 400, 'mcp.version_unsupported', -32022],
  [
    'a session that was never started',
    { headers: { 'mcp-session-id': 'nonsense' }, body: list },
    404,
    'mcp.session_unknown',
    -32001,
  ],
  ['the end of a session that does not exist', { method: 'DELETE' }, 404, 'mcp.session_unknown', -32001],
  ['a surface that does not exist', { path: '/mcp?surface=all', body: list }, 400, 'request.invalid', -32000],
  ['another host', { headers: { host: 'evil.example' }, body: list }, 403, 'request.foreign_host', undefined],
  [
    'a page of another origin',
    { headers: { origin: 'https://evil.example' }, body: list },
    403,
    'request.foreign_host',
    undefined,
  ],
  [
    'a newer header without its envelope',
    { headers: { 'mcp-protocol-version': '2026-07-28' }, body: list },
    400,
    'mcp.envelope_invalid',
    -32602,
  ],
  [
    'an envelope without capabilities',
    { ...good, body: rpc('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }) },
    400,
    'mcp.envelope_invalid',
    -32602,
  ],
  [
    'an older handshake under a newer header',
    { headers: { 'mcp-protocol-version': '2026-07-28' }, body: rpc('initialize') },
    400,
    'mcp.header_mismatch',
    -32020,
  ],
  [
    'another version in the header',
    { ...good, headers: { ...good.headers, 'mcp-protocol-version': '2025-11-25' } },
    400,
    'mcp.header_mismatch',
    -32020,
  ],
  [
    'another method in the header',
    { ...good, headers: { ...good.headers, 'mcp-method': 'tools/list' } },
    400,
    'mcp.header_mismatch',
    -32020,
  ],
  [
    'another name in the header',
    { ...good, headers: { ...good.headers, 'mcp-name': 'lively__stay' } },
    400,
    'mcp.header_mismatch',
    -32020,
  ],
  [
    'a name that cannot be decoded',
    { ...good, headers: { ...good.headers, 'mcp-name': '=?base64?%%%?=' } },
    400,
    'mcp.header_mismatch',
    -32020,
  ],
  [
    'no version in the headers',
    { ...good, headers: { ...good.headers, 'mcp-protocol-version': '' } },
    400,
    'mcp.header_mismatch',
    -32020,
  ],
  [
    'no method in the headers',
    { ...good, headers: { ...good.headers, 'mcp-method': '' } },
    400,
    'mcp.header_mismatch',
    -32020,
  ],
  [
    'no name in the headers',
    { ...good, headers: { ...good.headers, 'mcp-name': '' } },
    400,
    'mcp.header_mismatch',
    -32020,
  ],
  [
    'an argument that its header does not repeat',
    modern('tools/call', { name: 'lively__typed', arguments: { text: 'a' } }),
    400,
    'mcp.header_mismatch',
    -32020,
  ],
  ['an argument that its header gives another value', typed('b'), 400, 'mcp.header_mismatch', -32020],
  ['a newer method that does not exist', modern('ping'), 404, 'mcp.method_unknown', -32601],
  ['an older method that does not exist', { body: rpc('tools/burn') }, 200, 'mcp.method_unknown', -32601],
  ['a cursor that was not issued', { body: rpc('tools/list', { cursor: 'x' }) }, 200, 'mcp.params_invalid', -32602],
  ['a call without a tool', { body: rpc('tools/call', {}) }, 200, 'mcp.params_invalid', -32602],
]

function modernAt(version: string): RawRequest {
  const { headers, body } = modern('tools/list')
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    headers: { ...headers, 'mcp-protocol-version': version },
    body: { ...(body as object), params: { _meta: meta } },
  }
}
export function typed(header: string): RawRequest {
  const { headers, body } = modern('tools/call', { name: 'lively__typed', arguments: { text: 'a' } })
  return { headers: { ...headers, 'mcp-param-text': header }, body }
}
