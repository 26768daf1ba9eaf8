import { z } from 'zod'
import { Check, RollbackSettings, Verify } from './standard.ts'
import { DryRun, ToolEffect } from './tool.ts'

/** A JSON pointer (RFC 6901); `*` means every item of an array or every field of an object. */
export const ArgumentPointer = z
  .string()
  .max(256)
  .regex(/^(?:\/(?:[^~/]|~[01])*)+$/, 'a JSON pointer such as `/path` or `/edits/*/path`')

/** The kernel's part of the operator's settings for one tool. They override whatever the tool server says. */
export const ToolKeys = z.strictObject({
  effects: z
    .array(ToolEffect)
    .min(1)
    .optional()
    .describe(
      'What it does: `read`, `write`, `destructive`, `external`, `privileged`. The record of a tool that only reads becomes durable with its outcome.',
    ),
  /** Safe to run again after a crash. */
  idempotent: z
    .boolean()
    .optional()
    .describe('Calling it twice has the same effect as calling it once, so an interrupted call may be retried.'),
  tags: z
    .array(z.string().min(1).max(64))
    .default([])
    .describe('Tags for use in rules. `production` makes every call critical.'),
  dry_run: DryRun.optional().describe('How to make a dry run, for a preview.'),
  rollback: RollbackSettings.optional().describe('How to undo it: recorded and shown, never executed by the gate.'),
  check: Check.optional().describe('A read call that must give the expected answer before the call runs.'),
  verify: Verify.optional().describe('A read call after the call; its answer is stored as evidence of the outcome.'),
  title: z.string().min(1).max(200).optional().describe('A display name.'),
  shell: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe('The argument that is a shell command: each call is judged by what its command does.'),
  /** What one call takes from a budget that limits `cost`; 1 by default. */
  cost: z
    .number()
    .int()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe('The cost of one call, in your own unit, for budgets and consents.'),
  /** Ids of tools on other servers whose names look like this one's, and that the operator has accepted. */
  known_look_alikes: z
    .array(z.string().min(1).max(64))
    .max(100)
    .optional()
    .describe('Tools of other servers that its name may resemble.'),
})

/** With the keys of guests, which they add by declaration merging. */
export interface ToolSettings extends z.infer<typeof ToolKeys> {}

/** The kernel's part of the settings of every tool server, however it is reached. */
export const ServerKeys = z.strictObject({
  timeout_ms: z
    .number()
    .int()
    .min(1)
    .max(3_600_000)
    .default(30_000)
    .describe('How long one call may take, in milliseconds.'),
  /** How many calls may run at once; the rest wait in a limited queue. */
  concurrency: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(16)
    .describe('Maximum number of concurrent calls; further calls wait.'),
  output_limit: z
    .number()
    .int()
    .min(1_024)
    .max(1_073_741_824)
    .default(10 * 1_048_576)
    .describe('Maximum size of one answer, in bytes.'),
  trusted: z
    .boolean()
    .default(false)
    .describe('Trust what it says about the effects of its tools. Otherwise its annotations can only raise the risk.'),
})

/** With the keys of guests, which they add by declaration merging. */
export interface ServerCommon extends z.infer<typeof ServerKeys> {
  /** By the tool's name. */
  tools: Record<string, ToolSettings>
  /** Where its kind reaches it over the network, besides `url`. */
  address?: string
}

/** The user that a process runs as, by name. The gate must run as root; otherwise it does not start. */
export const RunAsUser = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/, 'a user name has only letters, digits, `_`, `-` and `.`')

/** What a key may contain, and where documents list it: the kernel's own keys have the ranks 100, 200 and so on. */
export type SettingsKey<T> = { readonly rank: number; readonly schema: z.ZodType<T> }
/** Keys that a guest adds to a map of the configuration. */
export type SettingsKeys<T> = { readonly [K in keyof T]?: SettingsKey<T[K]> }

/** The keys of a map, the kernel's and those of guests, by rank. */
export function shapeWith(
  own: z.ZodRawShape,
  added: readonly (Readonly<Record<string, SettingsKey<unknown> | undefined>> | undefined)[],
): Record<string, z.ZodType> {
  const ranked = [
    ...Object.entries(own).map(([key, schema], at) => ({ key, rank: (at + 1) * 100, schema: schema as z.ZodType })),
    ...added.flatMap((keys = {}) =>
      Object.entries(keys).flatMap(([key, more]) => (more === undefined ? [] : [{ key, ...more }])),
    ),
  ]
  return Object.fromEntries(
    ranked.toSorted((one, other) => one.rank - other.rank).map(({ key, schema }) => [key, schema]),
  )
}
