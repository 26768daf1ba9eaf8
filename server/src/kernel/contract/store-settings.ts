import { z } from 'zod'

/** Where everything is stored: in the data folder, or in a database that several nodes share. */
export const StoreSection = z
  .strictObject({
    postgres: z
      .string()
      .min(1)
      .regex(
        /^(?:env:|file:|postgres(?:ql)?:\/\/)/,
        'write an address that begins with `postgres://`, or env:NAME or file:PATH',
      )
      .optional()
      .describe(
        'The address of a Postgres database, `postgres://user:password@host/database`. `env:NAME` and `file:PATH` refer to a secret.',
      ),
    redis: z
      .string()
      .min(1)
      .regex(/^(?:env:|file:|rediss?:\/\/)/, 'write an address that begins with `redis://`, or env:NAME or file:PATH')
      .optional()
      .describe(
        'The address of a Redis server in addition to the database, `redis://user:password@host:6379`: faster notices, and replays that are rejected without a commit. `env:NAME` and `file:PATH` refer to a secret.',
      ),
    schema: z
      .string()
      .regex(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, 'use lower-case letters, digits and `_`')
      .default('sluice')
      .describe('The schema in that database; gates with different names share nothing.'),
    seal: z
      .union([
        z.literal(false),
        z.strictObject({ file: z.string().min(1).describe('A file with 64 hex digits.') }),
        z.strictObject({
          command: z
            .tuple([z.string().min(1)], z.string())
            .describe('A program and its arguments; it prints 64 hex digits.'),
        }),
      ])
      .optional()
      .describe(
        'Where the master key for arguments, outputs, run states and artifacts comes from. Without it, contents in a database are sealed with `keys/seal-key.json`, and contents in the data folder are not sealed. `false` seals nothing.',
      ),
    key_secret: z
      .string()
      .regex(/^(?:env:|file:)./, 'write env:NAME or file:PATH: a secret does not belong in this file')
      .optional()
      .describe(
        'A secret of at least 32 random bytes that all nodes have, as `env:NAME` or `file:PATH`. Their keys are then stored in the database, encrypted with it: a new node needs no files, and a rotation reaches every node. Without it, copy the `keys/` folder by hand.',
      ),
  })
  .refine(({ postgres, key_secret }) => key_secret === undefined || postgres !== undefined, {
    path: ['key_secret'],
    message: 'keys are shared through a Postgres database: set `store.postgres` too',
  })
  .refine(({ postgres, redis }) => redis === undefined || postgres !== undefined, {
    path: ['redis'],
    message: 'Redis is used beside a Postgres database: set `store.postgres` too',
  })
export type StoreSection = z.infer<typeof StoreSection>
