import { SECRETS_KEY } from '../../kernel/contract/call-secrets.ts'
import { Caller } from '../../kernel/contract/caller.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { inForce, type Tool } from '../../kernel/contract/tool.ts'
import { actingCaller, type AgentState } from './state.ts'
import type { AgentFound } from './step.ts'
import { canonicalJson } from '../../kernel/json/canonical.ts'
import { validateAgainst } from '../../kernel/json/validate-args.ts'
import { sayProblem } from '../../kernel/text/say-problem.ts'
import { couldAllow } from '../workflows/api.ts'
import { grepArtifact, type GrepPorts } from '../../kernel/artifacts/grep-artifact.ts'
import { readArtifact } from '../../kernel/artifacts/read-artifact.ts'
import { MOST_TOP_K, searchTools, type SearchPorts } from '../../kernel/catalogue/search-tools.ts'
import type { ModelOutput, OfferedTool } from '../models/api.ts'
import type { Clock, Digest } from '../../kernel/ports/runtime.ts'
import { documentOf, type ThreadDocumentPorts } from './threads.ts'

export type ProposalPorts = SearchPorts &
  GrepPorts &
  ThreadDocumentPorts & { readonly clock: Clock; readonly digest: Digest }

const ASK_USER: OfferedTool = {
  name: 'ask_user',
  description: 'Ask the user for something that is missing. Use it instead of guessing.',
  schema: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
}
const ARTIFACT_READ: OfferedTool = {
  name: 'artifact_read',
  description:
    'Read a part of an output that was too large: `pointer` from the result, the first character, and how many.',
  schema: {
    type: 'object',
    properties: { pointer: { type: 'string' }, from: { type: 'integer' }, length: { type: 'integer' } },
    required: ['pointer'],
  },
}
const ARTIFACT_GREP: OfferedTool = {
  name: 'artifact_grep',
  description: 'Find the lines of a large output that contain a text.',
  schema: {
    type: 'object',
    properties: { pointer: { type: 'string' }, pattern: { type: 'string' } },
    required: ['pointer', 'pattern'],
  },
}
const LONGEST_PURPOSE = 1_000
const LONGEST_SCHEMA = 20_000
const LONGEST_QUESTION = 1_000
const LONGEST_PAGE = 10_000

/**
 * The tools that match the queries best. For a thread of a document, only those that its capabilities could allow; these are few,
 * so all of them are included if they fit.
 */
export async function toolsFor(
  deps: ProposalPorts,
  state: AgentState,
  queries: readonly string[],
): Promise<readonly Tool[]> {
  const most = state.settings.tools
  const caller = Caller.parse(actingCaller(state))
  const opened = await documentOf(deps, state)
  const own =
    opened === undefined
      ? undefined
      : deps.visibleTools.tools(caller).filter((tool) => couldAllow(opened.capabilities, caller, tool))
  if (own !== undefined && own.length <= most) return own
  const found = await Promise.all(
    queries.map((query) =>
      searchTools(deps, caller, query.slice(0, 1_000) || 'help', own === undefined ? most : MOST_TOP_K),
    ),
  )
  const ids = new Set(found.flatMap((one) => (one.ok ? one.value.map(({ skill_id }) => skill_id) : [])))
  const tools = [...ids].flatMap((id) => deps.catalogue.tool(id) ?? [])
  if (own === undefined) return tools.slice(0, most)
  const names = new Set(own.map(({ row }) => row.tool_id))
  const fitting = tools.filter(({ row }) => names.has(row.tool_id))
  return [...fitting, ...own.filter(({ row }) => !ids.has(row.tool_id))].slice(0, most)
}

/** The tools that match the step best, never the whole catalogue; and the runtime's own tools. */
export async function offeredTools(deps: ProposalPorts, state: AgentState): Promise<readonly OfferedTool[]> {
  const { plan, current_step, messages } = state
  const step = plan?.[current_step] ?? ''
  const message = messages.findLast(({ role }) => role === 'user')?.text ?? ''
  const tools = (await toolsFor(deps, state, [step, message])).flatMap((tool) => {
    if (tool.row.admitted === undefined) return []
    const { definition } = inForce(tool.row)
    const { inputSchema: schema, description = '' } = definition
    if (JSON.stringify(schema).length > LONGEST_SCHEMA) return []
    return [{ name: tool.row.tool_id, description: description.slice(0, LONGEST_PURPOSE), schema }]
  })
  const hasArtifacts = messages.some(({ role, text }) => role === 'tool' && text.includes('artifact://'))
  return [...tools, ASK_USER, ...(hasArtifacts ? [ARTIFACT_READ, ARTIFACT_GREP] : [])]
}

/**
 * Reads the executor model's answer, as a call that can be judged or as text.
 * INVARIANT: only an offered tool with arguments that match its schema is a call; hash and canonical form are computed here.
 */
export async function proposalOf(
  deps: ProposalPorts,
  state: AgentState,
  offered: readonly OfferedTool[],
  { text, call }: ModelOutput,
): Promise<Pick<AgentFound, 'proposed' | 'said'>> {
  if (call === undefined)
    return { said: { kind: text.trim() === '' ? 'invalid' : 'text', text: text.trim() || 'the model said nothing' } }
  const { name, args } = call
  const invalid = (why: string) => ({ said: { kind: 'invalid' as const, text: why, tool: name.slice(0, 100) } })
  if (!offered.some((tool) => tool.name === name)) return invalid('this tool is not one of those you were offered')
  if (args === undefined || !isJsonObject(args)) return invalid('the arguments are not a JSON object')
  if (Object.hasOwn(args, SECRETS_KEY)) return invalid('the arguments must not name secrets')
  if (name === ASK_USER.name)
    return { said: { kind: 'question', text: textIn(args, 'question').slice(0, LONGEST_QUESTION) } }
  if (name === ARTIFACT_READ.name || name === ARTIFACT_GREP.name)
    return { said: { kind: 'lookup', text: await lookUp(deps, state, name, args), tool: name } }
  const tool = deps.catalogue.tool(name)
  if (tool === undefined) return invalid('the tool no longer exists')
  const { definition, hash } = inForce(tool.row)
  const valid = validateAgainst(definition.inputSchema, hash, args)
  if (!valid.ok) return invalid(sayProblem(valid.problem))
  const canonical = canonicalJson(args)
  if (!canonical.ok) return invalid(sayProblem(canonical.problem))
  return {
    proposed: {
      name,
      args,
      canonical_args: canonical.value,
      args_hash: deps.digest(canonical.value),
      tool_call_id: `${state.run_id}/${state.works}`,
      step_idx: state.current_step,
      created_at: deps.clock(),
    },
  }
}

/** Only artifacts that the thread's caller may read; the pointer is a digest and never a path. */
async function lookUp(deps: ProposalPorts, state: AgentState, name: string, args: JsonObject): Promise<string> {
  const digest = /^(?:artifact:\/\/)?([0-9a-f]{64})$/.exec(textIn(args, 'pointer'))?.[1] ?? ''
  const reader = { caller: Caller.parse(actingCaller(state)), thread: state.thread_id }
  if (name === ARTIFACT_READ.name) {
    const from = wholeIn(args, 'from', 0)
    const read = await readArtifact(
      deps,
      reader,
      digest,
      from,
      Math.min(LONGEST_PAGE, wholeIn(args, 'length', LONGEST_PAGE)),
    )
    return read.ok
      ? `characters ${from} to ${from + read.value.text.length} of ${read.value.size}:\n${read.value.text}`
      : sayProblem(read.problem)
  }
  const pattern = textIn(args, 'pattern')
  const found = await grepArtifact(deps, reader, digest, { pattern, regexp: false, around: 1, limit: 20 })
  return found.ok ? JSON.stringify(found.value).slice(0, LONGEST_PAGE) : sayProblem(found.problem)
}

const textIn = (args: JsonObject, name: string): string => {
  const value: Json | undefined = args[name]
  return typeof value === 'string' ? value : ''
}
const wholeIn = (args: JsonObject, name: string, otherwise: number): number => {
  const value: Json | undefined = args[name]
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : otherwise
}
