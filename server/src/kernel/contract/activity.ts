import { z } from 'zod'
import { Caller } from './caller.ts'
import { CallState } from './call.ts'
import { FieldChange, PacketRisk } from '../approvals/packet-parts.ts'
import { Sentence } from './sentence.ts'
import { Effect, Opinion, Strength, Verdict } from './verdict.ts'

/** What went wrong: its code, and a sentence for people. */
export const ShownProblem = z.object({
  code: z.string(),
  says: z.string(),
  about: z.record(z.string(), z.string()),
})
export type ShownProblem = z.infer<typeof ShownProblem>

/** One call in a list: enough for a row, nothing secret. */
export const CallSummary = z.object({
  call_id: z.string(),
  tool_id: z.string(),
  state: CallState,
  /** What the gate decided. */
  effect: Effect,
  /** In observe mode: what would have happened. */
  observed: Effect.optional(),
  sentence: Sentence,
  /** Why, in a sentence: the opinion that decided. */
  why: z.string(),
  /** The rule that decided. */
  rule: z.string().optional(),
  asked_by: Caller,
  thread: z.string(),
  by_run: z.object({ run_id: z.string(), kind: z.string(), step: z.string(), lane: z.string().nullable() }).optional(),
  received_at: z.number(),
  started_at: z.number().optional(),
  ended_at: z.number().optional(),
  approval_id: z.string().optional(),
  /** The consent that allowed it. */
  consent_id: z.string().optional(),
  problem: ShownProblem.optional(),
  /** When its arguments and outputs were deleted: then the sentence names only the tool. */
  expired_at: z.number().optional(),
  /** For a call whose outcome is unknown and that nobody has settled. */
  proposed_args: z.string().optional(),
  rollback: z.string().optional(),
  choices: z.array(z.enum(['retry', 'done', 'failed'])).optional(),
})
export type CallSummary = z.infer<typeof CallSummary>

/** One event in the life of a call. */
export const CallMoment = z.object({
  at: z.number(),
  is: z.enum([
    'asked',
    'judged',
    'held',
    'edited',
    'seconded',
    'approved',
    'denied',
    'expired',
    'withdrawn',
    'stale',
    'consumed',
    'started',
    'checked',
    'ended',
    'read_back',
    'settled',
    'erased',
  ]),
  /** Who did it, if it was a person. */
  by: z.string().optional(),
  says: z.string(),
  approval_id: z.string().optional(),
})
export type CallMoment = z.infer<typeof CallMoment>

/** A call from its request to its end. */
export const CallLife = CallSummary.extend({
  risk: PacketRisk,
  verdict: Verdict,
  policy_version: z.string(),
  definition_hash: z.string(),
  args_hash: z.string(),
  trace: z.string(),
  /** JSON without its secrets; absent if it was deleted. */
  arguments: z.string().optional(),
  /** What redaction hid in it. */
  hidden: z.array(z.object({ at: z.string(), type: z.string(), length: z.number().int() })),
  result: z
    .object({
      content: z.array(z.record(z.string(), z.unknown())).readonly(),
      structuredContent: z.unknown().optional(),
      isError: z.boolean().optional(),
      _meta: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  output: z
    .object({
      evicted: z.boolean(),
      size_chars: z.number().int(),
      rehydration_allowed: z.boolean(),
      pointer: z.string().optional(),
      summary: z.string().optional(),
    })
    .optional(),
  moments: z.array(CallMoment),
})
export type CallLife = z.infer<typeof CallLife>

/** How a list of calls can be filtered. All given fields must match. */
export type CallFilter = {
  readonly state?: CallState
  readonly tool?: string
  /** The id of a caller, such as `agent:claude`. */
  readonly caller?: string
  readonly user?: string
  /** Not before, and not after, in milliseconds. */
  readonly since?: number
  readonly until?: number
  /** All of these words must be in the sentence, the names of tool, caller, user or thread, or the id. */
  readonly words?: string
}

const Count = z.number().int()

/** Recent activity, in numbers. */
export const OverviewAnswer = z.object({
  from: z.number(),
  to: z.number(),
  /** Earlier numbers are not known, for example because the gate was started then. */
  complete_from: z.number(),
  calls: Count,
  /** Calls in the last full minute. */
  per_minute: Count,
  /** Equal steps from `from` to `to`. */
  step_ms: Count,
  series: z.array(z.object({ at: z.number(), ran: Count, asked: Count, blocked: Count, failed: Count })),
  /** The outcomes of the calls: each is counted once. */
  mix: z.object({ ran: Count, asked: Count, blocked: Count, failed: Count, unknown: Count }),
  held: z.object({
    count: Count,
    /** The median time of a decision. Absent if there was none. */
    median_ms: z.number().optional(),
    /** Decisions that took less than this many minutes; the last one has no limit. */
    buckets: z.array(z.object({ under_minutes: z.number().nullable(), count: Count })),
    expired: Count,
    waiting: Count,
  }),
  /** By the 95th percentile, the slowest first. */
  slowest: z.array(z.object({ tool_id: z.string(), calls: Count, p95_ms: z.number() })),
  callers: z.array(z.object({ id: z.string(), user: z.string(), calls: Count, asked: Count, blocked: Count })),
  /** What a model reads before its first question, estimated at four characters per token. */
  tokens: z.object({ all_tools: Count, search: Count, tools: Count }),
})
export type OverviewAnswer = z.infer<typeof OverviewAnswer>

/** What somebody has to do something about. Of each kind the first few are described and all are counted. */
export const AttentionAnswer = z.object({
  at: z.number(),
  /** Pending requests, and those of them that expire soon, the first to expire first. */
  requests: z.object({
    pending: Count,
    count: Count,
    items: z.array(z.object({ approval_id: z.string(), sentence: Sentence, asked_by: Caller, expires_at: z.number() })),
  }),
  /** Tool servers that cannot be called, of all servers of this node. */
  servers: z.object({
    all: Count,
    count: Count,
    items: z.array(
      z.object({
        server: z.string(),
        /** `waiting` (it failed and will be tried again), `needs_login`, or `closed`. */
        state: z.string(),
        /** Its tools that are known. */
        tools: Count,
        since: z.number(),
        failures: Count,
        last_failure: z.string().optional(),
        last_line: z.string().optional(),
      }),
    ),
  }),
  /** Calls whose outcome is unknown until a person settles them, the newest first. */
  unknown: z.object({
    count: Count,
    items: z.array(
      z.object({
        call_id: z.string(),
        sentence: Sentence,
        asked_by: Caller,
        received_at: z.number(),
        problem: ShownProblem.optional(),
      }),
    ),
  }),
  /** Consents in use that have little time or few calls left. */
  consents: z.object({
    count: Count,
    items: z.array(
      z.object({
        consent_id: z.string(),
        actor: z.string(),
        tool: z.string(),
        expires_at: z.number(),
        calls: Count,
        calls_left: Count,
      }),
    ),
  }),
  /** Tools whose calls are held until an admin admits them. */
  tools: z.object({
    count: Count,
    items: z.array(z.object({ tool_id: z.string(), is: z.enum(['new', 'changed']) })),
  }),
})
export type AttentionAnswer = z.infer<typeof AttentionAnswer>

/** How the gate would judge an edit that is not saved. */
export const EditPreviewAnswer = z.object({
  effect: Effect,
  strength: Strength.optional(),
  evidence: z.array(Opinion).readonly(),
  sentence: Sentence,
  /** Compared with the current request. */
  changes: z.array(FieldChange).readonly(),
})
export type EditPreviewAnswer = z.infer<typeof EditPreviewAnswer>

/** What a consent would have covered. */
export const ConsentPreviewAnswer = z.object({
  since: z.number(),
  until: z.number(),
  /** Held calls of that period that these terms would have covered, up to the number of calls they permit. */
  covered: Count,
  /** Calls that were checked; `complete` is false if there were more. */
  looked_at: Count,
  complete: z.boolean(),
  /** The newest of them. */
  examples: z.array(CallSummary),
})
export type ConsentPreviewAnswer = z.infer<typeof ConsentPreviewAnswer>
