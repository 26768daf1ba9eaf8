import { z } from 'zod'
import { Auth, ListenLimits, TrustedProxies } from './auth-settings.ts'
import { Channels } from '../approvals/channels.ts'
import { Budgets, Repetition } from './budgets.ts'
import { Surface } from './caller.ts'
import { HttpUrl } from './http-settings.ts'
import { PolicyFile } from './policy.ts'
import { Retention } from './retention.ts'
import { refuseBadRoutes } from './route-faults.ts'
import { RouteSettings } from './routes.ts'
import { ServerName, serverSchema, type ServerParts, type ServerSettings } from './server-settings.ts'
import { StoreSection } from './store-settings.ts'
import { shapeWith, type SettingsKeys } from './tool-settings.ts'
import { RiskClass } from './tool.ts'
import { STRENGTHS } from './verdict.ts'

/** Neither a URL nor a host with its port; an IPv6 address has several colons. */
const ALONE = /^(?!.*\/)(?![^:]*:\d+$).*$/

const RequestLife = z.number().int().min(1).max(31_536_000)

/** The kernel's part of `sluice.yaml`. Strict everywhere: an unknown key is an error. */
const kernelKeys = (servers: z.ZodType<Record<ServerName, ServerSettings>>) =>
  z.strictObject({
    listen: z
      .strictObject({
        host: z
          .string()
          .min(1)
          .regex(ALONE, 'a host name or address without a port; set the port in `port`')
          .default('127.0.0.1'),
        port: z.number().int().min(0).max(65_535).default(7420),
        /** Additional host names, for example behind a proxy. Requests to other host names are rejected. */
        hosts: z.array(z.string().min(1)).default([]),
        proxies: TrustedProxies.prefault({}),
        limits: ListenLimits.prefault({}),
      })
      .prefault({}),
    auth: Auth.prefault({}),
    /** The data folder; relative to the config file's folder. */
    data: z.string().min(1).default('./.sluice'),
    /** A file, relative to the config file's folder, or the policy itself. */
    policy: z.union([z.string().min(1), PolicyFile]).prefault({}),
    servers,
    approvals: z
      .strictObject({
        /** How long a request waits for a decision. */
        expires_s: RequestLife.default(86_400),
        /** A different time for some risk classes or strengths; if two apply, the shorter one is used. */
        expires_s_for: z.partialRecord(z.enum([...RiskClass.options, ...STRENGTHS]), RequestLife).default({}),
        /** How many requests of one caller may wait for a decision at a time; one more is rejected. */
        pending_per_caller: z.int().min(1).max(1_000_000).default(200),
        /** The total size of their arguments and previews, in bytes. */
        pending_bytes_per_caller: z.int().min(1).max(1_000_000_000).default(20_000_000),
        /**
         * What a strong approval requires of everybody: only their role, or a passphrase too. Somebody who has set one must
         * always give it.
         */
        strong: z.enum(['role', 'passphrase']).default('role'),
        /** The strength of redeeming a token. With `simple`, tokens exist only for simple requests. */
        tokens: z.enum(['simple', 'strong']).default('simple'),
        ...RouteSettings,
      })
      .prefault({}),
    audit: z
      .strictObject({
        /** A checkpoint is signed after this many entries or seconds, whichever comes first. */
        checkpoint_entries: z.number().int().min(1).default(1_000),
        checkpoint_seconds: z.number().int().min(1).default(60),
      })
      .prefault({}),
    retention: Retention.prefault({}),
    store: StoreSection.prefault({}),
    /** How people are notified, besides the console. */
    channels: Channels.prefault({}),
    mcp: z
      .strictObject({
        /** For clients that choose neither by themselves (`?surface=`, `sluice mcp --surface`) nor with their key. */
        surface: Surface.default('auto'),
        /**
         * An output with more characters than this moves to the artifact store, and the client gets its beginning and a pointer.
         */
        evict_over: z.int().min(1_000).max(10_000_000).default(40_000),
        /** The URL of `/mcp` as clients know it, if it differs from the listening address: behind a proxy. */
        url: HttpUrl.optional(),
      })
      .prefault({}),
    budgets: Budgets.default([]),
    repetition: Repetition.prefault({}),
  })

/** `sluice.yaml`, with the sections of guests, which they add by declaration merging. */
export interface Config extends z.infer<ReturnType<typeof kernelKeys>> {}

/** What a guest adds to `sluice.yaml`. */
export type ConfigSection = ServerParts & {
  /** Keys at the top. */
  readonly top?: SettingsKeys<Config>
  /** Contradictions between sections. */
  readonly check?: (config: Config, context: z.RefinementCtx) => void
}

/** What `sluice.yaml` may contain, with these sections of guests. */
export function configSchema(sections: readonly ConfigSection[]): z.ZodType<Config> {
  const keys = kernelKeys(z.record(ServerName, serverSchema(sections)).default({}))
  const whole = z.strictObject(
    shapeWith(
      keys.shape,
      sections.map(({ top }) => top),
    ),
  ) as unknown as z.ZodType<Config>
  return whole.superRefine((config, context) => {
    for (const { check } of sections) check?.(config, context)
    const { webhooks, push, matrix } = config.channels
    const names = [...webhooks, ...push, ...matrix].map(({ name }) => name)
    refuseBadRoutes(config.approvals, names, context)
  })
}
