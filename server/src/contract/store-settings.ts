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
  /** The schema in that database; gates with different names share nothing. */
  schema: z
    .string()
    .regex(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, 'lower-case letters, digits and `_`')
    .default('sluice'),
})
export type StoreSection = z.infer<typeof StoreSection>
