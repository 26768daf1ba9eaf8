import { z } from 'zod'

const globs = z.union([
  z
    .string()
    .min(1)
    .max(128)
    .transform((one) => [one]),
  z.array(z.string().min(1).max(128)).min(1),
])

export const BudgetMatch = z.strictObject({
  caller: globs.optional().describe('Callers, as globs.'),
  tool: globs.optional().describe('Tool ids, as globs.'),
  server: globs.optional().describe('Names of tool servers, as globs.'),
  thread: globs.optional().describe('Sessions, as globs.'),
})
export type BudgetMatch = z.infer<typeof BudgetMatch>

export const BUDGET_PERIODS = ['minute', 'hour', 'day', 'run'] as const
export const BUDGET_APART = ['caller', 'user', 'tool', 'server', 'thread'] as const

/** How much may be used in a period. All matching calls share it, unless they are counted separately. */
export const Budget = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)
      .describe('A name for the budget, shown in the evidence.'),
    match: BudgetMatch.default({}).describe('Which calls count; by default all.'),
    each: z
      .array(z.enum(BUDGET_APART))
      .max(5)
      .default([])
      .describe('Whether each caller, user, tool, server or session (`thread`) has its own budget, or all share one.'),
    calls: z.number().int().min(1).max(1_000_000_000).optional().describe('Maximum number of calls.'),
    /** In the units of the tools' `cost`. */
    cost: z.number().int().min(1).max(1_000_000_000_000).optional().describe('Maximum cost.'),
    per: z.enum(BUDGET_PERIODS).describe('The period: a minute, an hour, a day or a run.'),
  })
  .refine(({ calls, cost }) => calls !== undefined || cost !== undefined, 'a budget limits `calls`, `cost` or both')
export type Budget = z.infer<typeof Budget>

export const Budgets = z
  .array(Budget)
  .max(1_000)
  .refine((budgets) => new Set(budgets.map(({ id }) => id)).size === budgets.length, 'two budgets have the same id')

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const
const LONGEST_SPAN_S = 31_536_000

/** Seconds, or a duration such as `30m`, `12h` or `1d`. */
const Span = z
  .union([
    z.int().min(1).max(LONGEST_SPAN_S),
    z.string().regex(/^[1-9]\d{0,8}[smhd]$/, 'a duration such as 30m, 12h or 1d'),
  ])
  .transform((span) =>
    typeof span === 'number' ? span : parseInt(span) * SECONDS[span.at(-1) as keyof typeof SECONDS],
  )
  .refine((seconds) => seconds <= LONGEST_SPAN_S, 'at most a year')

/** When the same call repeated is a loop, and how long a person's rejection of it applies. */
export const Repetition = z.strictObject({
  /** How often; ten times as often for tools that only read. */
  most: z
    .number()
    .int()
    .min(2)
    .max(1_000)
    .default(5)
    .describe('After this many identical calls with effects, a person is asked.'),
  within_s: z
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(600)
    .describe('The period in which identical calls are counted, in seconds.'),
  denied_for: Span.prefault('1d').describe(
    'How long an identical call stays blocked after a person denied it: seconds, or a duration such as `1d`.',
  ),
})
export type Repetition = z.infer<typeof Repetition>
