import { z } from 'zod'
import { HeaderName, HttpUrl } from '../../kernel/contract/http-settings.ts'

/** Thresholds for a health score and a risk. Both are 0 to 100; a high score and a low risk are good. */
export const SERENITY_LIMITS = {
  /** Below it a call is blocked. */
  block_below: 80,
  /** Up to it a person is asked; only above it a call can run unattended. */
  ask_up_to: 90,
  /** From here on a person is asked. */
  risk_from: 10,
  /** Records further in the future are ignored: clocks differ only a little. */
  ahead_ms: 120_000,
  max_age_minutes: 60,
} as const

/** An operator's own service that is asked about a call: a module on this machine, or a URL. */
export const SerenityProvider = z.union([
  /** Relative to the config file's folder; it exports `ask(question)`, or that function as its default. */
  z.strictObject({ module: z.string().min(1).max(4096).describe('The path of a module that answers.') }),
  z.strictObject({
    url: HttpUrl.describe('The HTTP address of a service that answers.'),
    headers: z
      .record(HeaderName, z.string().min(1))
      .default({})
      .describe('Headers for it. `env:NAME` and `file:PATH` refer to a secret.'),
  }),
])
export type SerenityProvider = z.infer<typeof SerenityProvider>

/** Health evidence is opt-in: without this section the `health` decider has no opinion. */
export const Serenity = z.strictObject({
  /** Where `trinity_health_*.json` files are; relative to the config file's folder. */
  log_dir: z.string().min(1).max(4096).default('logs').describe('The folder with the health files.'),
  gate_provider: SerenityProvider.optional().describe('An external provider that decides whether a call may run.'),
  risk_provider: SerenityProvider.optional().describe('An external provider of a risk score.'),
  provider_timeout_ms: z
    .number()
    .int()
    .min(1)
    .max(60_000)
    .default(2_000)
    .describe('How long an answer may take, in milliseconds.'),
})
export type Serenity = z.infer<typeof Serenity>
