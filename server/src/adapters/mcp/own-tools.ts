import { z } from 'zod'
import { textsInOutcome } from '../../kernel/sessions/answer-texts.ts'
import type { CallRequest } from '../../kernel/contract/call.ts'
import { count } from '../../kernel/contract/framed-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { answerCall } from './answer-call.ts'
import { readerOf } from './exchange.ts'
import type { OwnTool } from './mcp-ports.ts'
import { failed, own, textResult } from './own-tool.ts'
import { toolResult } from './tool-result.ts'

const LONGEST_WAIT_MS = 60_000
const LONGEST_READ = 20_000
const MOST_FOUND = 50

const Pointer = z.string().describe('The artifact://… pointer from a result')

const digestIn = (pointer: string): string => pointer.replace(/^artifact:\/\//, '')

const callStatus = own({
  name: 'call_status',
  title: 'Outcome of a held call',
  description:
    'Returns the outcome of a call that was held for approval or is still running. It never runs anything, so you can call it as often as needed.',
  args: z.strictObject({
    call_id: z.string().describe('The call_id from the pending answer'),
    wait_ms: z.int().min(0).max(LONGEST_WAIT_MS).optional().describe('How long to wait for an outcome'),
  }),
  async run(gate, exchange, { call_id, wait_ms }) {
    const found = await gate.readCall(exchange.caller, call_id, wait_ms ?? 0)
    const read = await gate.labelled(readerOf(exchange), found, textsInOutcome)
    return read.ok ? { result: toolResult(read.value, false) } : failed(read.problem)
  },
})

const artifactRead = own({
  name: 'artifact_read',
  title: 'Read a large output',
  description: 'Reads a part of an output that was too large to return.',
  args: z.strictObject({
    pointer: Pointer,
    from: z.int().min(0).optional().describe('The first character; 0 by default'),
    length: z.int().min(1).max(LONGEST_READ).optional().describe(`Characters, ${LONGEST_READ} at most`),
  }),
  async run(gate, exchange, { pointer, from = 0, length = LONGEST_READ }) {
    const read = await gate.readArtifact(readerOf(exchange), digestIn(pointer), from, length)
    if (!read.ok) return failed(read.problem)
    const { text, size } = read.value
    const end = from + text.length
    return textResult(
      text,
      `[characters ${from} to ${end} of ${size}${end < size ? `; continue with from=${end}` : ''}]`,
    )
  },
})

const artifactGrep = own({
  name: 'artifact_grep',
  title: 'Search a large output',
  description: 'Finds the lines of a large output in which a text, or a regular expression, occurs.',
  args: z.strictObject({
    pointer: Pointer,
    pattern: z.string(),
    regexp: z.boolean().optional().describe('The pattern is a regular expression'),
    around: z.int().min(0).max(5).optional().describe('Lines to show before and after a hit'),
    limit: z.int().min(1).max(100).optional().describe('Maximum number of hits; 20 by default'),
  }),
  async run(gate, exchange, { pointer, pattern, regexp = false, around = 0, limit = 20 }) {
    const found = await gate.grepArtifact(readerOf(exchange), digestIn(pointer), { pattern, regexp, around, limit })
    if (!found.ok) return failed(found.problem)
    const { hits, complete } = found.value
    const lines = hits.map(({ line, from, text }) => `line ${line}, from ${from}: ${text}`)
    const more = complete ? '' : '; the search stopped early, so there may be more'
    return textResult(...(lines.length === 0 ? [] : [lines.join('\n')]), `[${count(hits.length, 'hit')}${more}]`)
  },
})

const toolSearch = own({
  name: 'tool_search',
  title: 'Find a tool',
  description: 'Finds the tools that do what you describe, best first.',
  args: z.strictObject({
    query: z.string().describe('What the tool should do'),
    top_k: z.int().min(1).max(MOST_FOUND).optional().describe('Maximum number of results; 5 by default'),
  }),
  async run(gate, { caller }, { query, top_k }) {
    const found = await gate.toolViews.search(caller, query, top_k)
    if (!found.ok) return failed(found.problem)
    const down = gate.toolViews.down(caller).map(({ says }) => `${says}; its tools may be missing here`)
    return textResult(JSON.stringify(found.value), ...(down.length === 0 ? [] : [`[${down.join('. ')}]`]))
  },
})

const skillCard = own({
  name: 'get_skill_card',
  title: 'How to call a tool',
  description: 'Returns how to call one tool: its arguments with an example, its effects, and how to undo it.',
  args: z.strictObject({
    skill_id: z.string().describe('From tool_search'),
    full: z.boolean().optional().describe('Return the full schema'),
  }),
  async run(gate, { caller }, { skill_id, full = false }) {
    const card = gate.toolViews.card(caller, skill_id, full)
    return card.ok ? textResult(JSON.stringify(card.value)) : failed(card.problem)
  },
})

const executeSkill = own({
  name: 'execute_skill_proxy',
  calls: true,
  title: 'Call a tool',
  description:
    'Calls one tool through the gate. The answer may be `pending`: then a person decides first, and call_status returns the outcome. mode dry_run only previews the call.',
  args: z.strictObject({
    skill_id: z.string().describe('From tool_search'),
    // Not copied: a copy could lose a key called `__proto__`, which the hash must cover.
    args: z
      .unknown()
      .refine((value) => isJsonObject(value as Json))
      .meta({ type: 'object', description: 'The arguments, as described by the card' }),
    mode: z.enum(['dry_run', 'execute']).optional().describe('execute by default'),
  }),
  run(gate, exchange, { skill_id, args, mode }) {
    const request: Pick<CallRequest, 'tool' | 'args' | 'dry_run'> = {
      tool: skill_id,
      args: args as JsonObject,
      ...(mode === 'dry_run' ? { dry_run: 'only' } : {}),
    }
    return answerCall(gate, exchange, request, () => false)
  },
})

/** The tools that every client gets, because any call may be held and any output may be large. */
export const COMMON_TOOLS: readonly OwnTool[] = [callStatus, artifactRead, artifactGrep]
/** The tools that replace the servers' own tools, so that the list has a constant size. */
export const SEARCH_TOOLS: readonly OwnTool[] = [toolSearch, skillCard, executeSkill]
