import { z } from 'zod'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { FIELDS } from './steps/step-type.ts'
import { WorkflowStep } from './steps/steps.ts'

/** Names used in ids, URLs and sources. */
const Name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'a name is 1 to 64 letters, digits, `.`, `_` and `-`, beginning with a letter or digit',
  )
const Room = z.string().regex(/^![^\s]{1,254}$/, 'a room begins with `!`')
const Person = z.string().regex(/^@[^\s]{1,254}$/, 'a sender begins with `@`')
const Text = z.string().max(20_000)
const Alias = z.string().min(1).max(64)
const Limit = z.number().min(0, 'a limit is 0 (unlimited) or more')
const Count = z.int('a whole number').min(0, 'a limit is 0 (unlimited) or more')
const Variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable is named by letters, digits and `_`')

/** Whose messages can start anything. */
export const Trust = z.strictObject({
  allowedRooms: z.array(z.union([z.literal('*'), Room])).min(1, 'name at least one room, or `*`'),
  allowedSenders: z.array(z.union([z.literal('*'), Person])).min(1, 'name at least one sender, or `*`'),
  adminRoom: Room.optional(),
  requireE2EE: z.boolean().default(false),
  trustedPeers: z
    .array(
      z.strictObject({
        mxid: Person,
        roomId: Room,
        alias: Alias.optional(),
        protocols: z.array(z.string().min(1)).min(1, 'name at least one protocol'),
      }),
    )
    .default([]),
})

/** All are enforced; 0 is unlimited. */
export const WorkflowLimits = z.strictObject({
  maxRequestsPerMinute: Count.default(0),
  maxTokensPerRequest: Count.default(0),
  maxConcurrentRequests: Count.default(0),
  maxMonthlyCostUSD: Limit.default(0),
  maxEventsPerMinute: Count.default(0),
})
export type WorkflowLimits = z.infer<typeof WorkflowLimits>

const Scalar = z.union([z.string(), z.number(), z.boolean()])

/** What an argument has to be: one value, one of several, or within bounds. */
export const DocumentConstraint = z.union([
  Scalar,
  z.array(Scalar).min(1),
  z.strictObject({
    equals: Scalar.optional(),
    in: z.array(Scalar).min(1).optional(),
    prefix: z.string().min(1).optional(),
    min: z.number().optional(),
    max: z.number().optional(),
  }),
])
export type DocumentConstraint = z.infer<typeof DocumentConstraint>

/** One ordered rule about tools. Without `allow: true` it denies. */
export const Capability = z.strictObject({
  name: z.string().min(1).max(128),
  mcp: z.string().min(1).max(128).default('*'),
  tool: z.string().min(1).max(128).default('*'),
  allow: z.boolean().default(false),
  requireApproval: z.boolean().default(false),
  /** By argument; a dot leads into an object. */
  constraints: z
    .record(z.string().regex(/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/, 'a constraint names an argument'), DocumentConstraint)
    .default({}),
})
export type Capability = z.infer<typeof Capability>

const Approvals = z.strictObject({
  enabled: z.boolean().default(true),
  room: Room.optional(),
  approvers: z.array(Person).default([]),
  ttlSeconds: z.int().min(1).max(31_536_000).optional(),
  transport: z.enum(['local', 'hub']).default('local'),
})

/** A tool server that the document needs. It is configured in `sluice.yaml` under the same name. */
const Mcp = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a server name is 1 to 32 lower-case letters, digits and `-`'),
    command: z.string().min(1).optional(),
    url: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    env: z.record(Variable, z.string()).default({}),
    autoRestart: z.boolean().default(true),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), 'give either `command` or `url`')

export const CronGateway = z.strictObject({
  name: Name,
  type: z.literal('cron'),
  config: z.strictObject({
    /** Five fields as in Vixie cron, or `@every 5m`. */
    schedule: z.string().min(1).max(200),
    timezone: z.string().min(1).max(64).default('UTC'),
    /** The type of its events. */
    event: z.string().min(1).max(128).default('cron.tick'),
    message: Text.default(''),
    data: z.json().optional(),
  }),
})
export type CronGateway = z.infer<typeof CronGateway>

export const WebhookGateway = z.strictObject({
  name: Name,
  type: z.literal('webhook'),
  config: z.strictObject({
    auth: z.enum(['bearer', 'hmac-sha256']).default('hmac-sha256'),
    /** The name of an entry of `secrets`. */
    secret: z.string().min(1).max(128),
    /** The type of events that do not state theirs. */
    event: z.string().min(1).max(128).default('webhook'),
  }),
})
export type WebhookGateway = z.infer<typeof WebhookGateway>

const Gateway = z.discriminatedUnion('type', [CronGateway, WebhookGateway])

const Secret = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'a secret is named by letters, digits, `.`, `_` and `-`'),
  envVar: Variable,
  required: z.boolean().default(false),
})

/** Only prompt text. */
const Persona = z.union([Text, z.strictObject({ systemPrompt: Text })])
const Instructions = z.union([
  Text,
  z.strictObject({
    role: Text.optional(),
    workflow: z.array(z.strictObject({ trigger: Text, action: Text })).default([]),
    context: z
      .strictObject({
        user: Text.optional(),
        peers: z.array(z.strictObject({ name: z.string().max(128), role: Text })).default([]),
      })
      .optional(),
  }),
])

const Messaging = z.strictObject({
  allowedTargets: z.array(z.strictObject({ roomId: Room, alias: Alias })).default([]),
  maxMessagesPerMinute: Count.default(0),
})

const Trigger = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('matrix.protocol_message'),
    prefix: z.string().min(1, 'a prefix is not empty').max(128).regex(/^\S*$/, 'a prefix has no white space'),
  }),
  z.strictObject({
    type: z.literal('gateway.event'),
    /** The exact type of the event; empty matches any. */
    prefix: z.string().max(128).default(''),
  }),
])

export const Protocol = z.strictObject({
  id: z
    .string()
    .min(1, 'an id is not empty')
    .max(128)
    .regex(/^[^\s\p{Cc}]*$/u, 'an id has no white space'),
  trigger: Trigger,
  inputSchemaRef: FIELDS.schemaRef.optional(),
  retries: FIELDS.retries.optional(),
  steps: z.array(WorkflowStep).min(1, 'give at least one step'),
})
export type Protocol = z.infer<typeof Protocol>

/** The protocol of a run was validated before the run began. */
export const protocolOf = ({ protocol }: { readonly protocol: JsonObject }): Protocol => protocol as unknown as Protocol

/** One specialized agent: whom it trusts, what it may use, and what it does when something arrives. */
export const WorkflowDocument = z.strictObject({
  apiVersion: z.literal('gosuto/v1'),
  metadata: z.strictObject({
    name: Name,
    template: z.string().max(128).optional(),
    canonicalName: z.string().max(128).optional(),
    description: Text.optional(),
  }),
  trust: Trust,
  limits: WorkflowLimits.prefault({}),
  capabilities: z.array(Capability).max(500).default([]),
  approvals: Approvals.prefault({}),
  mcps: z.array(Mcp).max(64).default([]),
  gateways: z.array(Gateway).max(64).default([]),
  secrets: z.array(Secret).max(64).default([]),
  persona: Persona.optional(),
  instructions: Instructions.optional(),
  messaging: Messaging.prefault({}),
  workflow: z
    .strictObject({
      schemas: z.record(z.string(), z.unknown()).optional(),
      protocols: z.array(Protocol).max(2_000).default([]),
    })
    .prefault({}),
})
export type WorkflowDocument = z.infer<typeof WorkflowDocument>

/** The maximum length of a document. */
export const LONGEST_DOCUMENT = 1_000_000
