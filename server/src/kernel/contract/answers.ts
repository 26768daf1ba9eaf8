import { z } from 'zod'
import { ApprovalState } from './approval.ts'
import { AuditEntry, Checkpoint } from './audit.ts'
import { CallerKind, KeyGrant } from './caller.ts'
import { ConsentRow, ConsentState } from './consent.ts'
import { DecisionAnswer, ToolResultAnswer } from '../approvals/packet-answer.ts'
import { PauseRow } from './pause.ts'
import { RunGraph, RunStatus } from './run.ts'
import { WhoIsAsked } from './routes.ts'
import { Surface } from './caller.ts'
import { ListingFault } from './tool-bounds.ts'
import { RiskClass, ToolEffect } from './tool.ts'
import { Opinion, Strength } from './verdict.ts'

/** The format of HTTP answers, for the OpenAPI document. Fields may be added to any of them; none is ever removed. */

export const ProblemAnswer = z.object({
  code: z.string(),
  title: z.string(),
  detail: z.string(),
  status: z.number().int(),
  retry: z.enum(['never', 'later']),
  about: z.record(z.string(), z.string()),
  trace_id: z.string(),
})

export const ErasureAnswer = z.object({
  user: z.string(),
  calls: z.number().int(),
  runs: z.number().int(),
  habits: z.number().int(),
  artifacts: z.number().int(),
  open: z.array(z.string()),
})

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.number().int().optional() })

const OutputAnswer = z.object({
  evicted: z.boolean(),
  size_chars: z.number().int(),
  rehydration_allowed: z.boolean(),
  pointer: z.string().optional(),
  summary: z.string().optional(),
})
const call = { call_id: z.string() }

/** The request that a retry waits for. */
const RetryAnswer = z.object({
  approval_id: z.string(),
  url: z.string(),
  hub: z.string().optional(),
  expires_at: z.number(),
})

/** A refused or failed call is a problem. */
export const CallAnswer = z.union([
  z.object({
    status: z.literal('executed'),
    ...call,
    result: ToolResultAnswer,
    output: OutputAnswer,
    verified: z.unknown().optional(),
    read_back: z.string().optional(),
    rollback: z.string().optional(),
  }),
  z.object({
    status: z.literal('pending'),
    ...call,
    approval_id: z.string(),
    url: z.string(),
    /** On a node: the hub that decides. */
    hub: z.string().optional(),
    expires_at: z.number(),
    evidence: z.array(Opinion),
  }),
  z.object({ status: z.literal('executing'), ...call }),
  z.object({ status: z.literal('not_reported'), ...call }),
  z.object({ status: z.literal('unknown'), ...call, retry: RetryAnswer.optional() }),
  z.object({ status: z.literal('previewed'), tool: z.string(), preview: ToolResultAnswer }),
])

export const DecidedAnswer = z.object({
  approval_id: z.string(),
  call_id: z.string(),
  state: ApprovalState,
  strength: Strength,
  asked: WhoIsAsked,
  decisions: z.array(DecisionAnswer),
  replaces: z.string().optional(),
})

export const ToolAnswer = z.object({
  tool_id: z.string(),
  server: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  input_schema: z.record(z.string(), z.unknown()),
  effects: z.array(ToolEffect),
  effects_from: z.enum(['configured', 'pack', 'annotated', 'inferred', 'unknown']),
  /** The pack that contains this definition of it. */
  pack: z.string().optional(),
  risk: RiskClass,
  idempotent: z.boolean(),
  dry_run: z.boolean(),
  definition_hash: z.string(),
  /** Whether what the server lists now is what was admitted. Title, description and schema are the admitted ones. */
  admitted: z.boolean(),
  admitted_hash: z.string().optional(),
})

export const ServerAnswer = z.object({
  server: z.string(),
  /** `starting`, `ready`, `waiting` (it failed and will be tried again), `needs_login`, or `closed`. */
  state: z.string(),
  tools: z.number().int(),
  /** When it came up, went down, or was found to need a login. */
  since: z.number(),
  /** Attempts in a row that failed. */
  failures: z.number().int(),
  /** Why it is not ready; when it is, why it last was not. */
  last_failure: z.string().optional(),
  /** `open`: too many calls in a row failed, so no call is sent for a while. */
  breaker: z.string(),
  /** Only if people can log in there: whose login it is, and its state. */
  login: z.object({ per: z.enum(['gate', 'user']), state: z.enum(['logged_in', 'needed', 'none']) }).optional(),
  /** The end of what its last run wrote to stderr, without secrets. */
  stderr: z.array(z.string()),
  /** What was cut or left out of its latest list of tools. */
  findings: z.array(ListingFault.extend({ says: z.string() })),
})
export const ArtifactAnswer = z.object({ text: z.string(), size: z.number().int() })
export const KeyAnswer = z.object({
  key_id: z.string(),
  caller: z.object({ kind: CallerKind, id: z.string(), user: z.string(), surface: Surface.optional() }),
  created_at: z.number(),
  expires_at: z.number().optional(),
  revoked_at: z.number().optional(),
  /** Revoked, but what it granted goes on. */
  grants_kept: z.literal(true).optional(),
})
export const NewKeyAnswer = KeyAnswer.extend({ key: z.string() })
export const RunAnswer = z.object({
  run_id: z.string(),
  kind: z.string(),
  status: RunStatus,
  owner: z.object({ id: z.string(), user: z.string() }).optional(),
  thread: z.string().optional(),
  parent: z.string().optional(),
  document: z.string().optional(),
  waits_for: z.string().optional(),
  fault: z
    .object({ count: z.number(), at: z.number(), says: z.string().optional(), retry_at: z.number().optional() })
    .optional(),
  timers: z.record(z.string(), z.number()),
  executing: z.array(z.string()),
  created_at: z.number(),
  ended_at: z.number().optional(),
})
export const RunDetailsAnswer = RunAnswer.extend({
  graph: RunGraph.optional(),
  events: z.array(
    z.object({
      seq: z.number(),
      type: z.string(),
      key: z.string().optional(),
      name: z.string().optional(),
      call_id: z.string().optional(),
      approval_id: z.string().optional(),
      run_id: z.string().optional(),
      by: z.string().optional(),
      at: z.number().optional(),
    }),
  ),
  next: z.number().optional(),
})
export const PauseAnswer = PauseRow
/** `about` is any JSON, a recursive type that the document need not expand. */
export const AuditEntryAnswer = z.object({
  ...AuditEntry.shape,
  about: z.record(z.string(), z.unknown()).optional(),
})

export const AuditPageAnswer = z.object({ items: z.array(AuditEntryAnswer), next_cursor: z.string().optional() })

export const MintedConsentAnswer = ConsentRow.omit({ shelf: true })
export const ConsentAnswer = MintedConsentAnswer.extend({
  state: ConsentState,
  calls_left: z.number(),
  cost_left: z.number().optional(),
})
/** The current outcome; `problem` if there is one. */
export const SettledAnswer = z
  .object({ status: z.string(), call_id: z.string(), retry: RetryAnswer.optional() })
  .loose()
export const WithdrawnAnswer = z.object({ approval_id: z.string(), state: ApprovalState })
export const TokenAnswer = z.object({ token: z.string() })
export const UserAnswer = z.object({ user: z.string() })
/** What goes back to a key. */
export const KeyGrantsAnswer = z.object({ grants: z.array(KeyGrant) })
export const RevokedKeyAnswer = KeyGrantsAnswer.extend({ key_id: z.string(), revoked_at: z.number() })
export const RotatedAnswer = z.object({ rotated: z.enum(['token', 'checkpoint']) })
export const AdmittedAnswer = z.object({ tool_id: z.string() })
export const CheckpointAnswer = z.object({ checkpoint: Checkpoint.nullable() })
export const AuditKeysAnswer = z.object({
  items: z.array(z.object({ key: z.string(), public_key: z.string(), active: z.boolean() })),
})
/** Whether the chain is intact, and the first place where it is not. */
export const VerifiedAnswer = z.object({
  ok: z.boolean(),
  entries: z.number().int(),
  checkpoints: z.number().int(),
  streams: z.array(z.object({ stream: z.string(), seq: z.number().int(), head: z.string() })),
  unsigned: z.number().int(),
  breaks: z.array(z.object({}).loose()).optional(),
  first: z.object({ what: z.string(), stream: z.string(), seq: z.number().int(), says: z.string() }).optional(),
})
export const ProofAnswer = z.object({
  v: z.literal(1),
  entry: AuditEntryAnswer,
  path: z.array(z.object({ side: z.enum(['left', 'right']), hash: z.string() })),
  checkpoint: Checkpoint,
  public_key: z.string(),
})
export const HealthAnswer = z.object({ ok: z.literal(true) }).loose()
export const FoundToolsAnswer = z.object({
  items: z.array(
    z.object({
      skill_id: z.string(),
      title: z.string(),
      score_hint: z.number(),
      tags: z.array(z.string()),
      reason: z.string(),
    }),
  ),
  notices: z.array(z.object({ code: z.string(), says: z.string() })).optional(),
})
export const CardAnswer = z.object({}).loose()
export const PolicyAnswer = z.object({}).loose()
export const PolicyTextAnswer = z.object({ text: z.string(), version: z.string() })
export const PolicyPutAnswer = z.object({ version: z.string(), before: z.string(), changed: z.boolean() })
export const DoctorAnswer = z.object({
  ok: z.boolean(),
  findings: z
    .array(
      z.object({
        severity: z.enum(['error', 'warning', 'note', 'ok']),
        about: z.string(),
        says: z.string(),
        do: z.string().optional(),
      }),
    )
    .readonly(),
})
export type DoctorAnswer = z.infer<typeof DoctorAnswer>
export const ChannelsAnswer = z.object({
  items: z.array(z.object({ name: z.string(), events: z.array(z.string()), answers: z.boolean() })),
})
export const SettingsAnswer = z.object({}).loose()
