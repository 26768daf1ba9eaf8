import { answer, send, serveRaw, type RawTool } from './raw-server.ts'

/**
 * Lists very many tools with texts as long as they may be, in pages. `TOOL_COUNT`: how many tools; `TEXT_LENGTH`: characters of each
 * description; `CHANGE_EVERY_MS`: milliseconds between two notices that the list has changed, with one tool changed in each listing.
 */
const size = Number(process.env['TOOL_COUNT'] ?? 5_000)
const length = Number(process.env['TEXT_LENGTH'] ?? 32_768)
const flood = Number(process.env['CHANGE_EVERY_MS'] ?? 0)
const PAGE = 200

/** Words that no other tool has, so that an index has to learn every one of them. */
function wordsOf(seed: number, characters: number): string {
  let text = ''
  for (let at = 0; text.length < characters; at += 1)
    text += `${((seed * 7_919 + at * 104_729) >>> 0).toString(36).replaceAll(/\d/g, 'x')}${at % 9 === 8 ? '. ' : ' '}`
  return text.slice(0, characters)
}

const toolAt = (at: number, version: number): RawTool & Record<string, unknown> => ({
  name: `send_the_message_${wordsOf(at, 40).replaceAll(/\W/g, '')}_${'x'.repeat(40)}`,
  title: wordsOf(at, 256),
  description: `${version} ${wordsOf(at, length)}`.slice(0, length),
  inputSchema: { type: 'object', properties: { to: { type: 'string', description: wordsOf(at, 200) } } },
})

let version = 0
let listings = 0
serveRaw({
  tools: () => [],
  before({ id, method, params }) {
    if (method !== 'tools/list' || id === undefined) return false
    const from = Number(params?.['cursor'] ?? 0)
    if (from === 0) listings += 1
    const to = Math.min(size, from + PAGE)
    const changed = (at: number) => (at === listings % size ? listings + version : 0)
    const tools = Array.from({ length: to - from }, (_, at) => toolAt(from + at, flood > 0 ? changed(from + at) : 0))
    const own = from === 0 ? [{ name: 'count', inputSchema: { type: 'object' } }] : []
    send({ id, result: { tools: [...own, ...tools], ...(to < size ? { nextCursor: String(to) } : {}) } })
    return true
  },
  onCall({ id }) {
    version += 1
    answer(id, String(listings))
  },
})
if (flood > 0) setInterval(() => send({ method: 'notifications/tools/list_changed' }), flood)
