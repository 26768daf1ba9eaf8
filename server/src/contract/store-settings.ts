import { z } from 'zod'

/** Where everything is stored: in the data folder, or in a database that several nodes share. */
export const StoreSection = z.strictObject({
  /** The address of a Postgres database, `postgres://user:password@host/database`. `env:NAME` and `file:PATH` fetch it. */
  postgres: z
    .string()
    .min(1)
    .regex(
      /^(?:env:|file:|postgres(?:ql)?:\/\/)/,
      'an address begins with `postgres://`, or is fetched by `env:` or `file:`',
    )
    .optional(),
  /** The address of a Redis beside the database, `redis://user:password@host:6379`. `env:NAME` and `file:PATH` fetch it. */
  redis: z
    .string()
    .min(1)
    .regex(/^(?:env:|file:|rediss?:\/\/)/, 'an address begins with `redis://`, or is fetched by `env:` or `file:`')
    .optional(),
  /** The schema in that database; gates with different names share nothing. */
  schema: z
    .string()
    .regex(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, 'lower-case letters, digits and `_`')
    .default('sluice'),
  /**
   * Where the master key for contents comes from: 64 hex digits in a file, or printed by a command. Without it, contents in a database are
   * sealed with `keys/seal-key.json`, and contents in the data folder are not sealed. `false` seals nothing.
   */
  seal: z
    .union([
      z.literal(false),
      z.strictObject({ file: z.string().min(1) }),
      z.strictObject({ command: z.tuple([z.string().min(1)], z.string()) }),
    ])
    .optional(),
})
export type StoreSection = z.infer<typeof StoreSection>
