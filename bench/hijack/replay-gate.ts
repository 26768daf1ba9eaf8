import { loadRoutes } from '../../server/src/kernel/approvals/load-routes.ts'
import { dispatchCall, type AskedDeps } from '../../server/src/kernel/attempt/asked.ts'
import { executeCall } from '../../server/src/kernel/attempt/execute-call.ts'
import { judgementOf } from '../../server/test/judging.ts'
import type { FileFacts } from '../../server/src/kernel/ports/files.ts'
import { createIntake } from '../../server/src/kernel/attempt/intake.ts'
import { createRunningCalls } from '../../server/src/kernel/attempt/running-calls.ts'
import { outputLabel } from '../../server/src/kernel/sessions/labels.ts'
import { openSessions } from '../../server/src/guests/provenance/sessions.ts'
import type { CallRow, ToolResult } from '../../server/src/kernel/contract/call.ts'
import type { Caller } from '../../server/src/kernel/contract/caller.ts'
import { rememberEffects } from '../../server/src/guests/risk/inferred-effects.ts'
import { readConfig } from '../../server/test/read-config.ts'
import type { ServerSettings } from '../../server/src/kernel/contract/server-settings.ts'
import type { Json, JsonObject } from '../../server/src/kernel/contract/json.ts'
import type { Tool, ToolDefinition, ToolEffect } from '../../server/src/kernel/contract/tool.ts'
import { joinTool } from '../../server/src/kernel/catalogue/join-tool.ts'
import { inSteps } from '../../server/src/kernel/ports/in-steps.ts'
import { judgedProvenance, judgeProvenanceOf } from '../../server/src/guests/provenance/judge-provenance.ts'
import { compilePolicy } from '../../server/src/kernel/policy/compile-policy.ts'
import type { Policy } from '../../server/src/kernel/policy/policy.ts'
import { sha256Hex } from '../../server/src/adapters/keys/digest.ts'
import { randomIds } from '../../server/src/main/random-ids.ts'
import { createMemoryStore } from './memory-store.ts'
import type { Judgement } from '../../server/src/kernel/decide/judging.ts'

/** Printed with the figures: everything is allowed, so only provenance can ask. */
export const PRESET = `rules:
  - { id: all, effect: allow, match: { tool: '*' }, says: in this replay only provenance asks }
`

const SERVER = 'suite'
/** Its key may pass on user messages: the data set's user messages count as the user's words. */
const AGENT: Caller = { kind: 'agent', id: 'agent:replay', user: 'user', speaks_for_user: true }
const NEVER_REPEATED = { most: 1_000, within_s: 60, denied_for: 60 }

export type ReplayGate = {
  /** Whether the call was held, and how long the decision took. */
  call(
    definition: ToolDefinition,
    args: JsonObject,
    recorded: { readonly words?: string; readonly output: Json },
  ): Promise<{
    readonly held: boolean
    readonly us: number
    readonly rules: readonly string[]
    approve(): Promise<void>
  }>
}

type Shared = {
  readonly judgement: Judgement
  readonly policy: Policy
  readonly settings: ServerSettings
  readonly routes: ReturnType<typeof loadRoutes>
}

/** What all replayed runs share. The other deciders are switched off, because the bench measures only this one. */
export async function openShared(names: readonly string[]): Promise<Shared> {
  // Sensitive text is judged by another decider.
  const quiet = { content: { secrets: 'off', pii: 'off' } }
  const tools = Object.fromEntries(names.map((name) => [name, quiet]))
  const config = readConfig({ servers: { [SERVER]: { command: 'none', tools } }, repetition: NEVER_REPEATED })
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  const judgement = await judgementOf(config.value, { secretOf: (text) => text, files: FILES })
  const policy = compilePolicy({ text: PRESET, file: 'preset' }, { digest: sha256Hex })
  if (!policy.ok) throw new Error(JSON.stringify(policy.faults))
  const settings = config.value.servers[SERVER]
  if (settings === undefined) throw new Error('the server is not configured')
  return { judgement, policy: policy.value, settings, routes: loadRoutes(config.value.approvals) }
}

/** No file of the replay is on this machine. */
const FILES: FileFacts = {
  windows: false,
  home: () => '/',
  configured: async () => undefined,
  look: () => ({
    isHere: false,
    isFrom: false,
    programs: [],
    own: [],
    mayBeHere: false,
    names: { folder: undefined, files: [] },
    isThere: async () => false,
    bases: async () => [],
    follow: async () => undefined,
    placesOf: async () => [],
    entriesIn: async () => [],
    secondNames: async () => [],
    linksIn: async () => new Set(),
  }),
}

/** A gate for one run: the corridor itself, over a store in memory and a tool server that answers what was recorded. */
export function openReplay(
  { judgement, policy, settings, routes }: Shared,
  labelled?: (name: string) => readonly ToolEffect[],
): ReplayGate {
  const { ledger, tables, accounts } = createMemoryStore()
  const tools = new Map<string, Tool>()
  let output: Json = null
  let now = 1_700_000_000_000
  const clock = () => (now += 1)
  const artifacts: DispatchArtifacts = {
    put: async () => undefined,
    read: async () => undefined,
    expire: async () => 0,
    erase: async () => 0,
  }
  const sessions = openSessions({ tables, artifacts, judgement, yieldWhenDue: async () => {} })
  const base = {
    ledger,
    tables,
    accounts,
    sessions,
    clock,
    artifacts,
    judgement,
    digest: sha256Hex,
    ids: randomIds,
    files: FILES,
    otherApprovers: [],
    routes,
    policy: () => policy,
    intake: createIntake(() => undefined),
    probe: () => {},
    links: () => 'none',
    boot: 'replay',
    persist: () => {},
    holdFor: () => 60_000,
    pendingLimits: { requests: 1_000, bytes: 1_000_000_000 },
    volume: { over: () => undefined, add: () => {} },
    // Look-alikes of earlier recipients are shown, and change no verdict.
    searches: { search: async () => ({ items: [] }) },
    doubts: { settle: () => {} },
    servers: { call: async () => ({ is: 'answered', result: resultOf(output) }), generation: () => 1 },
    catalogue: {
      tool: (id: string) => tools.get(id),
      tools: () => [...tools.values()],
      lookAlikes: () => [],
      refresh: async () => {},
    },
    running: createRunningCalls({ subscribe: () => () => {}, publish: () => {} } as unknown as Parameters<
      typeof createRunningCalls
    >[0]),
  }
  const deps = {
    ...base,
    execute: (started: Parameters<typeof executeCall>[1]) =>
      executeCall(base as unknown as Parameters<typeof executeCall>[0], started),
  } as unknown as AskedDeps

  return {
    async call(definition, args, recorded) {
      const tool = toolOf(definition, settings, labelled)
      const { tool_id } = tool.row
      if (!tools.has(tool_id))
        await ledger.commit([{ kind: 'swap', table: 'tools', id: tool_id, from: 'absent', to: tool.row }])
      tools.set(tool_id, tool)
      output = recorded.output
      const outcome = await dispatchCall(deps, {
        caller: AGENT,
        tool: tool_id,
        args,
        thread: 'run',
        ...(recorded.words === undefined ? {} : { words: recorded.words }),
      })
      const held = outcome.status === 'pending'
      if (outcome.status === 'refused') throw new Error(`${definition.name}: ${JSON.stringify(outcome.problem)}`)
      const row =
        'call_id' in outcome && outcome.call_id !== undefined
          ? (await tables.row('calls', outcome.call_id))?.row
          : undefined
      return {
        held,
        us: row === undefined ? 0 : await decisionTime(deps, tool, row),
        rules:
          'evidence' in outcome
            ? outcome.evidence.filter(({ effect }) => effect === 'ask').map(({ rule }) => rule)
            : [],
        async approve() {
          if (row !== undefined) await recordApproved(deps, row, recorded.output)
        },
      }
    },
  }
}

type DispatchArtifacts = Parameters<typeof openSessions>[0]['artifacts'] &
  Readonly<Record<'put' | 'expire' | 'erase', unknown>>

/** The same decision once more, timed: reading the session is not counted, because that happens after the previous answer. */
async function decisionTime(deps: AskedDeps, tool: Tool, row: CallRow): Promise<number> {
  const session = await deps.sessions.readUntil(row.caller, row.thread, row.received_at)
  const began = performance.now()
  const judgement = await inSteps(
    undefined,
    judgedProvenance({ session, mode: 'balanced' }, row, tool, deps.judgement.commandOf),
  )
  const facts = { now: 0, tool, provenance: { session, mode: 'balanced', fields: {}, judgement } }
  judgeProvenanceOf(deps.policy(), row, facts as unknown as Parameters<typeof judgeProvenanceOf>[2])
  return (performance.now() - began) * 1_000
}

/** A person approved: records the call as approved and executed, with its output. */
async function recordApproved({ ledger, tables, clock }: AskedDeps, row: CallRow, output: Json): Promise<void> {
  const held = await tables.row('calls', row.call_id)
  if (held === undefined) return
  const approval = {
    decider: 'approval',
    effect: 'allow',
    rule: 'approved',
    says: 'approved',
    source: 'approval',
    at: clock(),
  } as const
  const to: CallRow = {
    ...held.row,
    state: 'executed',
    started_at: clock(),
    verdict: { effect: 'allow', evidence: [...held.row.verdict.evidence, approval] },
    result: resultOf(output),
  }
  await ledger.commit([
    { kind: 'swap', table: 'calls', id: row.call_id, from: held.version, to },
    ...outputLabel(to, held.version, clock()),
  ])
}

/** An answer as an MCP server gives it: text as text, anything else as structured content. */
function resultOf(output: Json): ToolResult {
  if (typeof output === 'string') return { content: [{ type: 'text', text: output }] }
  if (output === null) return { content: [] }
  return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output }
}

const infer = rememberEffects()

function toolOf(
  definition: ToolDefinition,
  settings: ServerSettings,
  labelled?: (name: string) => readonly ToolEffect[],
): Tool {
  const definition_hash = sha256Hex(JSON.stringify(definition))
  const admitted = { hash: definition_hash, definition, at: 0, by: 'first-listing' }
  const tool_id = `${SERVER}__${definition.name}`
  const row = {
    v: 1,
    tool_id,
    server: SERVER,
    definition,
    definition_hash,
    admitted,
    first_seen: 0,
    last_changed: 0,
  } as const
  const tool = { ...joinTool(row, settings, { infer }), version: 1 }
  return labelled === undefined ? tool : { ...tool, effects: labelled(definition.name), effects_from: 'configured' }
}
