import { z } from 'zod'
import { MOST_FOLDABLE, PacketDigest, TextId, Typed } from './approval.ts'
import { Checkpoint } from './audit.ts'
import { Arguments } from './call-body.ts'
import { CallerKind, DECIDING_KINDS, GRANT_LIMITS, ToolGlobs, UserName, FlowRole, VaultId } from './caller.ts'
import { hasCredentialShape, NAME_WITHOUT_CREDENTIAL } from './credential-shape.ts'
import { ConsentTerms, Remember } from './consent.ts'
import { Proof } from '../identity/passkey.ts'
import { Passphrase } from './passphrase.ts'
import { PauseScope } from './pause.ts'
import { Surface } from './caller.ts'

/** The bodies of requests, for every door that accepts JSON. Strict: an unknown field is reported as a mistake. */

export const CancelRunBody = z.strictObject({ reason: z.string().max(500).optional() })
export type CancelRunBody = z.infer<typeof CancelRunBody>

/** `shared`: the gate's own login, if each user has one. */
export const LoginBody = z.strictObject({ shared: z.boolean().optional() })

/** The URL that the browser ended on. */
export const LoginReturnBody = LoginBody.extend({ url: z.url({ protocol: /^https?$/ }).max(16_384) })

export const SettleBody = z.strictObject({ as: z.enum(['retry', 'done', 'failed']), ...Proof.shape })
export type SettleBody = z.infer<typeof SettleBody>

const PacketVersion = z.int().positive()

export const DecideBody = z.discriminatedUnion('decision', [
  z.strictObject({
    decision: z.literal('approve'),
    /** Of the packet that was shown; a decision about an outdated packet is rejected. */
    digest: PacketDigest,
    /** Also of the packet: if given, a request that somebody decided about in the meantime is shown again. */
    version: PacketVersion.optional(),
    /** The texts that the packet lists as `foldable`, after they were shown whole. */
    unfolded: z.array(TextId).max(MOST_FOLDABLE).optional(),
    reason: z.string().max(500).optional(),
    remember: Remember.optional(),
    /** For an approval that is more than simple: what the approver typed, see `sentence.confirm` of the packet. */
    typed: Typed.optional(),
    /** The approver's, for an approval that is more than simple: one of the two. */
    ...Proof.shape,
  }),
  z.strictObject({ decision: z.literal('deny'), reason: z.string().max(500).optional() }),
  z.strictObject({
    decision: z.literal('edit'),
    args: Arguments,
    digest: PacketDigest.optional(),
    version: PacketVersion.optional(),
  }),
])
export type DecideBody = z.infer<typeof DecideBody>

/** A policy draft, and the version of the policy that it was compared with. */
export const PolicyPutBody = z.strictObject({
  text: z.string().min(1).max(1_000_000),
  version: z.string().min(1).max(200),
  ...Proof.shape,
})
export type PolicyPutBody = z.infer<typeof PolicyPutBody>
export const PolicyPasskeyBody = PolicyPutBody.pick({ text: true, version: true })

/** Inputs that are not saved, to see how the gate would judge them. */
export const EditPreviewBody = z.strictObject({ args: Arguments })
export type EditPreviewBody = z.infer<typeof EditPreviewBody>

export const RedeemBody = z.strictObject({
  token: z.string().max(256),
  thread: z.string().min(1).max(256),
  decision: z.enum(['approve', 'deny']).default('approve'),
  /** Of a denial. */
  reason: z.string().max(500).optional(),
})
export type RedeemBody = z.infer<typeof RedeemBody>

export const PauseBody = z.strictObject({
  scope: PauseScope.default('all'),
  effect: z.enum(['ask', 'block']).default('block'),
  active: z.boolean().default(true),
  reason: z.string().max(300).default(''),
  /** To end a pause, or to hold calls that it blocked. */
  ...Proof.shape,
})
export type PauseBody = z.infer<typeof PauseBody>

export const KeyBody = z
  .strictObject({
    kind: CallerKind,
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/)
      .refine((text) => !hasCredentialShape(text), NAME_WITHOUT_CREDENTIAL),
    user: UserName.optional(),
    ttl_s: z.number().int().positive().max(315_360_000).optional(),
    /** The only tools this key grants, as globs over their ids. */
    tools: ToolGlobs.optional(),
    /** How many calls it is valid for. */
    calls: z.int().positive().max(GRANT_LIMITS.calls).optional(),
    /** What MCP clients with this key are shown. */
    surface: Surface.optional(),
    /** Its role in flows. */
    flow_role: FlowRole.optional(),
    /** The only vault of flows that it can use. */
    vault: VaultId.optional(),
    /** For a host: its reports of what the user said count as the user's own words. */
    speaks_for_user: z.literal(true).optional(),
    /** For the key of a person, and for one that speaks for its user. */
    ...Proof.shape,
  })
  .refine(
    ({ kind, tools, calls }) => !DECIDING_KINDS.includes(kind) || (tools === undefined && calls === undefined),
    'an approver or admin key cannot be limited to tools or calls, because it could remove the limit itself',
  )
export type KeyBody = z.infer<typeof KeyBody>

export const ConsentBody = ConsentTerms.extend(Proof.shape)
export type ConsentBody = z.infer<typeof ConsentBody>

/** What would be remembered with an approval. */
export const RememberPreviewBody = z.strictObject({ remember: Remember })
export type RememberPreviewBody = z.infer<typeof RememberPreviewBody>

export const PassphraseBody = z.strictObject({ passphrase: Passphrase, current: z.string().max(256).optional() })
export type PassphraseBody = z.infer<typeof PassphraseBody>

export const AdmitBody = z.strictObject({ definition_hash: z.string(), ...Proof.shape })
export type AdmitBody = z.infer<typeof AdmitBody>

export const RotateBody = z.strictObject({ which: z.enum(['token', 'checkpoint']) })
export type RotateBody = z.infer<typeof RotateBody>

export const VerifyBody = z.strictObject({ against: z.array(Checkpoint).max(10_000) })
export type VerifyBody = z.infer<typeof VerifyBody>

export const EraseBody = z.strictObject({
  user: z.string().min(1).max(128),
  /** Withdraws the person's calls that wait for a decision, so that they can be erased too. */
  withdraw: z.boolean().default(false),
})
export type EraseBody = z.infer<typeof EraseBody>

export const BreakBody = z.strictObject({ reason: z.string().trim().min(1).max(500) })
export type BreakBody = z.infer<typeof BreakBody>

/** The text of a file on the caller's side. */
export const FileText = z.strictObject({ file: z.string().min(1).max(1_000), text: z.string().max(1_000_000) })
export type FileText = z.infer<typeof FileText>
const Since = z.number().int().min(0)
const Cases = z.array(FileText).max(1_000)

/** Without a `policy`, the active one. */
export const PolicyTestBody = z.strictObject({ policy: FileText.optional(), cases: Cases.min(1) })
export type PolicyTestBody = z.infer<typeof PolicyTestBody>
export const PolicyLintBody = z.strictObject({ policy: FileText.optional() })
export type PolicyLintBody = z.infer<typeof PolicyLintBody>
export const PolicyReplayBody = z.strictObject({ policy: FileText, since: Since.default(0) })
export type PolicyReplayBody = z.infer<typeof PolicyReplayBody>
/** Without `since`, no recorded calls are judged again. */
export const PolicyDiffBody = z.strictObject({ policy: FileText, cases: Cases.default([]), since: Since.optional() })
export type PolicyDiffBody = z.infer<typeof PolicyDiffBody>

/** What the browser comes back with from an authorization server, and the secrets that the gate's pages keep in it. */
export const ToolLoginReturnBody = z.strictObject({
  secrets: z.array(z.string().max(128)).max(20),
  state: z.string().max(512).optional(),
  code: z.string().max(4_096).optional(),
  iss: z.string().max(2_048).optional(),
  error: z.string().max(256).optional(),
})
