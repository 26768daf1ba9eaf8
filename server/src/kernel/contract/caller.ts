import { z } from 'zod'
import { hasCredentialShape, NAME_WITHOUT_CREDENTIAL } from './credential-shape.ts'
import { KeyId } from './ids.ts'

export const CallerKind = z.enum(['agent', 'user', 'approver', 'reviewer', 'admin', 'node'])
export type CallerKind = z.infer<typeof CallerKind>

/** What a person may do in procedures, from the least to the most. A credential says it; guests read it. */
export const FlowRole = z.enum(['viewer', 'editor', 'admin'])
export type FlowRole = z.infer<typeof FlowRole>
export const VaultId = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)

export const GRANT_LIMITS = { tools: 64, calls: 1_000_000 } as const

/** `*` any number of characters, `?` exactly one: the globs of the policy. */
export const ToolGlobs = z
  .array(z.string().regex(/^[A-Za-z0-9_.*?-]{1,128}$/, 'a tool id, or a glob over tool ids'))
  .min(1)
  .max(GRANT_LIMITS.tools)

/** What a key is limited to. Its calls are in the account `grant:<key>`; absent fields are unlimited. */
export const Grant = z.strictObject({
  key: KeyId,
  /** The only tools that it can see and call. */
  tools: ToolGlobs.optional(),
  /** How many it was created with. */
  calls: z.int().positive().max(GRANT_LIMITS.calls).optional(),
})
export type Grant = z.infer<typeof Grant>

/** What a request was authenticated with: one of our keys, or an issuer's token that expires by itself. */
export const Credential = z.strictObject({
  key: KeyId.optional(),
  expires_at: z.number().optional(),
})
export type Credential = z.infer<typeof Credential>

/** A person's name, without anything that a page or a log could show as another name. */
export const UserName = z
  .string()
  .max(128)
  .regex(
    /^[^\s\p{Cc}\p{Cf}\p{Cs}](?:[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*[^\s\p{Cc}\p{Cf}\p{Cs}])?$/u,
    'a user has 1 to 128 characters, none of them a control or formatting character, and no space at either end',
  )
  .refine((text) => !hasCredentialShape(text), NAME_WITHOUT_CREDENTIAL)

/** What an MCP client sees: a few tools that find and run the others, every tool under its own name, or the smaller of the two. */
export const Surface = z.enum(['search', 'passthrough', 'auto'])
export type Surface = z.infer<typeof Surface>

/** The authenticated caller, taken from a credential and never from a request's fields. */
export const Caller = z.strictObject({
  kind: CallerKind,
  /** Unique among all callers, `kind:name`. */
  id: z.string().min(1).max(128),
  /** The person behind it: an agent's owner, or the person themself. */
  user: z.string().min(1).max(128),
  grant: Grant.optional(),
  /** For a program: its reports of what the user said count as the user's own words. */
  speaks_for_user: z.literal(true).optional(),
  /** What its MCP clients are shown, unless a connection says otherwise. Grants nothing. */
  surface: Surface.optional(),
  /** Its role in flows; without one, an admin sees everything and everybody else only what is personal. */
  flow_role: FlowRole.optional(),
  /** The only vault of flows that it can use. */
  vault: VaultId.optional(),
  /** How it was authenticated; absent on the data folder's own socket. A call starts only while this is still valid. */
  credential: Credential.optional(),
})
export type Caller = z.infer<typeof Caller>

/** The flow role of a credential. The owner of the gate is also an admin of its flows. */
export const flowRoleOf = ({ flow_role, kind }: Pick<Caller, 'flow_role' | 'kind'>): FlowRole =>
  flow_role ?? (kind === 'admin' ? 'admin' : 'viewer')

/** Anybody who can open the data folder's socket owns the folder, and could read everything in it anyway. */
export const LOCAL_OWNER: Caller = { kind: 'admin', id: 'admin:local', user: 'local' }

/** Kinds that may decide an approval. An agent credential never can. */
export const DECIDING_KINDS: readonly CallerKind[] = ['approver', 'admin']

/** A stored credential: the key itself is shown once and stored only as a digest. */
export const CredentialRow = z.strictObject({
  v: z.literal(1),
  key_id: KeyId,
  key_hash: z.string(),
  caller: Caller,
  created_at: z.number(),
  /** The key of the admin who created it. Absent for the owner of the data folder. */
  created_with: KeyId.optional(),
  expires_at: z.number().optional(),
  revoked_at: z.number().optional(),
  /** Revoked, but what it granted goes on. */
  grants_kept: z.literal(true).optional(),
})
export type CredentialRow = z.infer<typeof CredentialRow>

/** One thing that goes back to a key. */
export const KeyGrant = z.object({
  what: z.enum(['consent', 'flow_consent', 'delegation', 'approval', 'held_call', 'login', 'key']),
  id: z.string(),
  says: z.string(),
  /** Whether it ends when the key is revoked. */
  ends: z.boolean(),
})
export type KeyGrant = z.infer<typeof KeyGrant>

/** Programs: what they say about themselves or their users is a claim. */
export const PROGRAM_KINDS: readonly CallerKind[] = ['agent', 'node']

/**
 * The same caller at a door for programs: it has the kind of an agent, whoever its credential belongs to. It decides nothing, and what it
 * reports are not the user's own words. Its name stays, so rules and grants for that name apply.
 */
export const asProgram = (caller: Caller): Caller =>
  PROGRAM_KINDS.includes(caller.kind) ? caller : { ...caller, kind: 'agent' }
