import type { Call, CallRequest } from '../../contract/call.ts'
import { SECRETS_KEY } from '../../contract/call-secrets.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'
import { inForce, type Tool } from '../../contract/tool.ts'
import type { Facts } from '../../core/gate/facts.ts'
import { callerIdentity } from '../../contract/caller-identity.ts'
import { grantedTools } from '../../core/identity/granted-tools.ts'
import { foldArgs } from '../../core/gate/fold-args.ts'
import { canonicalJson } from '../../core/json/canonical.ts'
import { splitInputs } from '../../core/json/split-inputs.ts'
import { splitSecrets } from '../../core/json/split-secrets.ts'
import { wordsFor } from '../catalogue/down-servers.ts'
import { nearestTool } from '../catalogue/nearest-tool.ts'
import type { VisibleTools } from '../catalogue/visible-tools.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { YieldWhenDue, Clock, Digest, Ids } from '../ports/runtime.ts'
import { isSmallValue, type Scanner } from '../scanning/scanner.ts'

export type PrepareDeps = {
  readonly visibleTools: Pick<VisibleTools, 'tools'>
  readonly catalogue: Catalogue
  readonly digest: Digest
  readonly clock: Clock
  readonly ids: Ids
  readonly judgement: { readonly scanner: Pick<Scanner, 'validate'> }
  readonly yieldWhenDue?: YieldWhenDue
  /** Absent if nothing connects: a call of the gate to itself, a replay. */
  readonly firstListing?: () => Promise<void>
  readonly serverReports?: () => readonly { readonly server: string; readonly state: string }[]
}

export type PreparedCall = { readonly call: Call; readonly tool: Tool; readonly integrity: Facts['integrity'] }

const UNADMITTED = 'not shown: this tool has not been admitted yet'

/** A request whose session is known. */
export type ThreadedRequest = CallRequest & { readonly thread: string }

/** Steps 1 to 3 of the corridor: identify, canonicalize, validate. Nothing is recorded and nothing is decided yet. */
export async function prepareCall(deps: PrepareDeps, request: ThreadedRequest): Promise<Result<PreparedCall>> {
  const found = () => (grantedTools(request.caller)(request.tool) ? deps.catalogue.tool(request.tool) : undefined)
  // Right after a start its server may still be connecting.
  const tool = found() ?? (await deps.firstListing?.().then(found))
  if (tool === undefined) return unknownTool(deps, request)
  const { row } = tool
  if (tool.executor !== request.executor) return refuse('tool.client_only', { tool: row.tool_id })
  if (row.gone_at !== undefined) return refuse('tool.gone', { tool: row.tool_id })
  // Parsing large arguments has already taken some time.
  if (!isSmallValue(request.args)) await deps.yieldWhenDue?.()
  const canonical = canonicalJson(request.args)
  if (!canonical.ok) return canonical
  const call: Call = {
    call_id: deps.ids.call(),
    caller: request.caller,
    tool_id: row.tool_id,
    server: row.server,
    definition_hash: row.definition_hash,
    canonical_args: canonical.value,
    args_hash: deps.digest(canonical.value),
    ...foldedHash(deps.digest, canonical.value),
    thread: request.thread,
    trace: request.trace ?? deps.ids.trace(),
    received_at: deps.clock(),
    ...(request.answerable === undefined ? {} : { answerable: request.answerable }),
    ...(request.evict_over === undefined ? {} : { evict_over: request.evict_over }),
    ...(request.answer_stream === undefined ? {} : { answer_stream: request.answer_stream }),
    ...(request.executor === undefined ? {} : { executor: request.executor }),
    ...(request.by_run === undefined ? {} : { by_run: request.by_run }),
    ...(request.as_task === true ? { task_of: callerIdentity(request.caller) } : {}),
  }
  const integrity = integrityOf(call, request.claimed)
  // A forged call is blocked and recorded as one, whatever else is wrong with it.
  const valid = integrity === 'intact' ? await validArgs(deps, tool, request) : ok(undefined)
  return valid.ok ? ok({ call, tool, integrity }) : valid
}

/** Absent if folding changes nothing. */
function foldedHash(digest: Digest, canonical: string): Pick<Call, 'folded_hash'> {
  const folded = foldArgs(canonical)
  return folded === canonical ? {} : { folded_hash: digest(folded) }
}

/** If the server's tools are not known yet, the problem is the server, not the name. */
function unknownTool(deps: PrepareDeps, request: ThreadedRequest): Result<never> {
  const [name = ''] = request.tool.split('__', 1)
  const report = deps.serverReports?.().find(({ server, state }) => server === name && state !== 'ready')
  const isKnown = deps.catalogue.tools().some(({ row }) => row.server === name)
  if (report === undefined || isKnown || !grantedTools(request.caller)(request.tool))
    return refuse('tool.unknown', { tool: request.tool, ...suggestion(deps, request) })
  const { code, says } = wordsFor(report)
  return refuse(code === 'server.needs_login' ? 'tool.login_needed' : 'tool.unavailable', { server: name, why: says })
}

/** The tool that was probably meant, among those this caller sees. */
function suggestion({ visibleTools }: PrepareDeps, { caller, tool }: ThreadedRequest): Record<string, string> {
  const meant = nearestTool(tool, visibleTools.tools(caller))
  return meant === undefined ? {} : { did_you_mean: meant }
}

async function validArgs(
  { judgement }: PrepareDeps,
  { row }: Tool,
  { args, by_run }: ThreadedRequest,
): Promise<Result<void>> {
  const open = splitSecrets(args)
  if (!open.ok) return open
  if (open.value.secrets !== undefined && (by_run?.document === undefined || by_run.kind !== 'workflow'))
    return refuse('call.args_invalid', { paths: `${SECRETS_KEY}: only a step of a document names secrets` })
  const split = splitInputs(open.value.args)
  if (!split.ok) return split
  const { definition, hash } = inForce(row)
  const valid = await judgement.scanner.validate(definition.inputSchema, hash, split.value.args)
  if (valid.ok) return ok(undefined)
  // The message quotes the schema, and a schema that nobody has admitted must not reach an agent.
  return row.admitted === undefined ? refuse('call.args_invalid', { paths: UNADMITTED }) : valid
}

/** A caller's own canonical form or hash is compared, never used. */
function integrityOf(call: Call, claimed: CallRequest['claimed']): Facts['integrity'] {
  if (claimed?.canonical !== undefined && claimed.canonical !== call.canonical_args) return 'canonical_differs'
  if (claimed?.hash !== undefined && claimed.hash !== call.args_hash) return 'hash_differs'
  return 'intact'
}
