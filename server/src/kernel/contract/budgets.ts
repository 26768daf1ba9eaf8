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
  caller: globs.optional(),
  tool: globs.optional(),
  server: globs.optional(),
  thread: globs.optional(),
})
export type BudgetMatch = z.infer<typeof BudgetMatch>

export const BUDGET_PERIODS = ['minute', 'hour', 'day', 'run'] as const
export const BUDGET_APART = ['caller', 'user', 'tool', 'server', 'thread'] as const

/** How much may be used in a period. All matching calls share it, unless they are counted separately. */
export const Budget = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
    match: BudgetMatch.default({}),
    /** Each caller, tool, … has its own full budget. */
    each: z.array(z.enum(BUDGET_APART)).max(5).default([]),
    calls: z.number().int().min(1).max(1_000_000_000).optional(),
    /** In the units of the tools' `cost`. */
    cost: z.number().int().min(1).max(1_000_000_000_000).optional(),
    per: z.enum(BUDGET_PERIODS),
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
  most: z.number().int().min(2).max(1_000).default(5),
  within_s: z.number().int().min(1).max(86_400).default(600),
  /** How long the same call of the same caller stays blocked after a person denied it. */
  denied_for: Span.prefault('1d'),
})
export type Repetition = z.infer<typeof Repetition>
