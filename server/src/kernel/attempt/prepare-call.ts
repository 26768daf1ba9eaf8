import type { Call, CallRequest } from '../contract/call.ts'
import { SECRETS_KEY } from '../contract/call-secrets.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { inForce, type Tool } from '../contract/tool.ts'
import type { Facts } from '../decide/facts.ts'
import { callerIdentity } from '../contract/caller-identity.ts'
import { grantedTools } from '../identity/granted-tools.ts'
import { canonicalJson } from '../json/canonical.ts'
import { splitInputs } from '../json/split-inputs.ts'
import { splitSecrets } from '../json/split-secrets.ts'
import { wordsFor } from '../catalogue/down-servers.ts'
import { nearestTool } from '../text/nearest-tool.ts'
import type { VisibleTools } from '../catalogue/visible-tools.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { YieldWhenDue, Clock, Digest, Ids, MaybePromise } from '../ports/runtime.ts'
import { isSmallValue, type Scanner } from '../ports/scanner.ts'

export type PrepareDeps = {
  readonly visibleTools: Pick<VisibleTools, 'tools'>
  readonly catalogue: Catalogue
  readonly digest: Digest
  readonly clock: Clock
  readonly ids: Ids
  readonly judgement: { readonly scanner: Pick<Scanner, 'validate'> }
  readonly yieldWhenDue?: YieldWhenDue
  /** Absent if no tool server connects: a call of the gate to itself, a replay. */
  readonly firstListing?: () => Promise<void>
  readonly serverReports?: () => readonly { readonly server: string; readonly state: string }[]
}

export type PreparedCall = { readonly call: Call; readonly tool: Tool; readonly integrity: Facts['integrity'] }

const UNADMITTED = 'not shown: this tool has not been admitted yet'

/** Steps 1 to 3 of the corridor: identify, canonicalize, validate. Nothing is recorded and nothing is decided yet. */
export function prepareCall(
  deps: PrepareDeps,
  request: CallRequest,
  thread: string,
): MaybePromise<Result<PreparedCall>> {
  const tool = grantedTool(deps, request)
  // An unknown tool may belong to a server that is still connecting, and large arguments are processed with pauses: both take a promise.
  return tool === undefined || (deps.yieldWhenDue !== undefined && !isSmallValue(request.args))
    ? prepareSlowly(deps, request, thread)
    : prepareWith(deps, request, thread, tool)
}

const grantedTool = ({ catalogue }: PrepareDeps, { caller, tool }: CallRequest): Tool | undefined =>
  caller.grant === undefined || grantedTools(caller)(tool) ? catalogue.tool(tool) : undefined

async function prepareSlowly(deps: PrepareDeps, request: CallRequest, thread: string): Promise<Result<PreparedCall>> {
  const known = grantedTool(deps, request)
  const tool = known ?? (await deps.firstListing?.().then(() => grantedTool(deps, request)))
  if (tool === undefined) return unknownTool(deps, request)
  if (!isSmallValue(request.args)) await deps.yieldWhenDue?.()
  return prepareWith(deps, request, thread, tool)
}

function prepareWith(
  deps: PrepareDeps,
  request: CallRequest,
  thread: string,
  tool: Tool,
): MaybePromise<Result<PreparedCall>> {
  const { row } = tool
  if (tool.executor !== request.executor) return refuse('tool.client_only', { tool: row.tool_id })
  if (row.gone_at !== undefined) return refuse('tool.gone', { tool: row.tool_id })
  const canonical = canonicalJson(request.args)
  if (!canonical.ok) return canonical
  const call = callOf(deps, request, thread, row, canonical.value)
  const integrity = integrityOf(call, request.claimed)
  const prepared: PreparedCall = { call, tool, integrity }
  // A forged call is blocked and recorded as one, whatever else is wrong with it.
  if (integrity !== 'intact') return ok(prepared)
  const valid = validArgs(deps, tool, request)
  if (valid instanceof Promise) return valid.then((checked) => (checked.ok ? ok(prepared) : checked))
  return valid.ok ? ok(prepared) : valid
}

/** One object per call: fields that most requests do not have are added to it. */
function callOf(
  { ids, digest, clock }: PrepareDeps,
  request: CallRequest,
  thread: string,
  row: Tool['row'],
  canonical_args: string,
): Call {
  const call: { -readonly [Field in keyof Call]: Call[Field] } = {
    call_id: ids.call(),
    caller: request.caller,
    tool_id: row.tool_id,
    server: row.server,
    definition_hash: row.definition_hash,
    canonical_args,
    args_hash: digest(canonical_args),
    thread,
    trace: request.trace ?? ids.trace(),
    received_at: clock(),
  }
  const folded = foldArgs(canonical_args)
  if (folded !== canonical_args) call.folded_hash = digest(folded)
  if (request.answerable !== undefined) call.answerable = request.answerable
  if (request.evict_over !== undefined) call.evict_over = request.evict_over
  if (request.answer_stream !== undefined) call.answer_stream = request.answer_stream
  if (request.executor !== undefined) call.executor = request.executor
  if (request.by_run !== undefined) call.by_run = request.by_run
  if (request.as_task === true) call.task_of = callerIdentity(request.caller)
  return call
}

/** If the server's tools are not known yet, the problem is the server, not the name. */
function unknownTool(deps: PrepareDeps, request: CallRequest): Result<never> {
  const [name = ''] = request.tool.split('__', 1)
  const report = deps.serverReports?.().find(({ server, state }) => server === name && state !== 'ready')
  const isKnown = deps.catalogue.tools().some(({ row }) => row.server === name)
  if (report === undefined || isKnown || !grantedTools(request.caller)(request.tool))
    return refuse('tool.unknown', { tool: request.tool, ...suggestion(deps, request) })
  const { code, says } = wordsFor(report)
  return refuse(code === 'server.needs_login' ? 'tool.login_needed' : 'tool.unavailable', { server: name, why: says })
}

/** The tool that was probably meant, among those this caller sees. */
function suggestion({ visibleTools }: PrepareDeps, { caller, tool }: CallRequest): Record<string, string> {
  const meant = nearestTool(tool, visibleTools.tools(caller))
  return meant === undefined ? {} : { did_you_mean: meant }
}

function validArgs(
  { judgement }: PrepareDeps,
  { row }: Tool,
  { args, by_run }: CallRequest,
): MaybePromise<Result<void>> {
  const open = splitSecrets(args)
  if (!open.ok) return open
  if (open.value.secrets !== undefined && (by_run?.document === undefined || by_run.kind !== 'workflow'))
    return refuse('call.args_invalid', { paths: `${SECRETS_KEY}: only a step of a document names secrets` })
  const split = splitInputs(open.value.args)
  if (!split.ok) return split
  const { definition, hash } = inForce(row)
  const valid = judgement.scanner.validate(definition.inputSchema, hash, split.value.args)
  return valid instanceof Promise ? valid.then((checked) => shownFault(row, checked)) : shownFault(row, valid)
}

/** The message quotes the schema, and a schema that nobody has admitted must not reach an agent. */
const shownFault = ({ admitted }: Tool['row'], valid: Result<void>): Result<void> =>
  valid.ok || admitted !== undefined ? valid : refuse('call.args_invalid', { paths: UNADMITTED })

/** A caller's own canonical form or hash is compared, never used. */
function integrityOf(call: Call, claimed: CallRequest['claimed']): Facts['integrity'] {
  if (claimed?.canonical !== undefined && claimed.canonical !== call.canonical_args) return 'canonical_differs'
  if (claimed?.hash !== undefined && claimed.hash !== call.args_hash) return 'hash_differs'
  return 'intact'
}

/** Longer arguments are compared unfolded, because folding them would block the event loop for too long. */
const LONGEST = 65_536

/**
 * Canonical arguments without invisible differences: white space, invisible characters, other encodings of the same letter. After
 * a rejection, a call that differs only in these is the same call. Letter case is a visible difference and is kept.
 */
export function foldArgs(canonical: string): string {
  if (canonical.length > LONGEST || isFolded(canonical)) return canonical
  return canonical
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/(?:[\s\p{Zs}]|\\[bfnrt]|\\u00[01][0-9a-f])+/gu, ' ')
    .replace(/(?<=") | (?=")/g, '')
}

/** Nothing to fold: plain ASCII without escapes, double spaces, or spaces beside a quotation mark. Most arguments are like that. */
const isFolded = (canonical: string): boolean => /^[\x20-\x7e]*$/.test(canonical) && !/\\| {2}|" | "/.test(canonical)
