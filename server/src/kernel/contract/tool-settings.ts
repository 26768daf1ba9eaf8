import { z } from 'zod'
import { ArgumentPointer, ContentSettings, Sandbox } from './judgement.ts'
import { ToolProvenance } from '../../guests/provenance/provenance.ts'
import { Check, RollbackSettings, Verify } from './standard.ts'
import { DryRun, ToolEffect } from './tool.ts'

/** The operator's settings for one tool. They override whatever the tool server says. */
export const ToolSettings = z.strictObject({
  effects: z.array(ToolEffect).min(1).optional(),
  /** Safe to run again after a crash. */
  idempotent: z.boolean().optional(),
  /** `production` makes every effect of the tool critical. */
  tags: z.array(z.string().min(1).max(64)).default([]),
  dry_run: DryRun.optional(),
  /** What would undo a call: shown to people, never executed by the gate. */
  rollback: RollbackSettings.optional(),
  /** Asked before a call runs; an unexpected answer stops it. */
  check: Check.optional(),
  /** Asked after a call ran; its answer is stored as evidence of the outcome. */
  verify: Verify.optional(),
  title: z.string().min(1).max(200).optional(),
  /** Which arguments are paths. Without it they are recognized by their names and values. */
  files: z.array(ArgumentPointer).max(100).optional(),
  /** The argument that is a shell command. Then each call is judged by what its command does. */
  shell: z.string().min(1).max(128).optional(),
  content: ContentSettings.optional(),
  provenance: ToolProvenance.optional(),
  /** What one call takes from a budget that limits `cost`; 1 by default. */
  cost: z.number().int().min(0).max(1_000_000_000).optional(),
  /** Ids of tools on other servers whose names look like this one's, and that the operator has accepted. */
  known_look_alikes: z.array(z.string().min(1).max(64)).max(100).optional(),
})
export type ToolSettings = z.infer<typeof ToolSettings>

/** The user that a process runs as, by name. The gate must run as root; otherwise it does not start. */
export const RunAsUser = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/, 'a user name has only letters, digits, `_`, `-` and `.`')

/** Settings of every tool server, however it is reached. */
export const LIMITS = {
  timeout_ms: z.number().int().min(1).max(3_600_000).default(30_000),
  /** How many calls may run at once; the rest wait in a limited queue. */
  concurrency: z.number().int().min(1).max(1_000).default(16),
  /** Maximum bytes of one answer. */
  output_limit: z
    .number()
    .int()
    .min(1_024)
    .max(1_073_741_824)
    .default(10 * 1_048_576),
  /** Whether its own annotations about effects are believed. */
  trusted: z.boolean().default(false),
  sandbox: Sandbox.optional(),
  /** For all of its tools that have no own setting. */
  provenance: ToolProvenance.optional(),
}

/** The same, with the operator's settings for its tools. */
export const COMMON = { ...LIMITS, tools: z.record(z.string().min(1), ToolSettings).default({}) }

const KINDS = {
  command: '`command` (a program to start)',
  url: '`url` (a server to connect to)',
  openapi: '`openapi` (the description of an HTTP service)',
  commands: '`commands` (commands to run)',
  client: '`client` (the built-in tools of a coding agent)',
} as const
type Kind = keyof typeof KINDS

export const ONE_KIND = `a server has exactly one of ${Object.values(KINDS).join(', ')}`

/** The keys that identify other kinds of servers; they exclude each other. */
export function noneBut<K extends Kind>(kind: K): Record<Exclude<Kind, K>, z.ZodOptional<z.ZodNever>> {
  const others = Object.keys(KINDS).filter((other) => other !== kind)
  const excluded = others.map((other) => [other, z.never({ error: ONE_KIND }).optional()])
  return Object.fromEntries(excluded) as Record<Exclude<Kind, K>, z.ZodOptional<z.ZodNever>>
}
