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
  /** The argument that is a shell command. Then each call is judged by what its command does. */
  shell: z.string().min(1).max(128).optional(),
  /** What one call takes from a budget that limits `cost`; 1 by default. */
  cost: z.number().int().min(0).max(1_000_000_000).optional(),
  /** Ids of tools on other servers whose names look like this one's, and that the operator has accepted. */
  known_look_alikes: z.array(z.string().min(1).max(64)).max(100).optional(),
})

/** With the keys of guests, which they add by declaration merging. */
export interface ToolSettings extends z.infer<typeof ToolKeys> {}

/** The kernel's part of the settings of every tool server, however it is reached. */
export const ServerKeys = z.strictObject({
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
