import { z } from 'zod'
import { Auth, ListenLimits, TrustedProxies } from './auth-settings.ts'
import { ChannelKeys, configuredChannels, refuseSameNames, type Channels } from '../approvals/channels.ts'
import { Budgets, Repetition } from './budgets.ts'
import { Surface } from './caller.ts'
import { HttpUrl } from './http-settings.ts'
import { PolicyFile } from './policy.ts'
import { refuseBadRoutes } from './route-faults.ts'
import { RouteSettings } from './routes.ts'
import { ServerName, serverSchema, type ServerParts, type ServerSettings } from './server-settings.ts'
import { shapeWith, type SettingsKeys } from './tool-settings.ts'
import { RiskClass } from './tool.ts'
import { STRENGTHS } from './verdict.ts'

/** Where everything is stored: in the data folder, or in a database that several nodes share. */
const StoreSection = z
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
type StoreSection = z.infer<typeof StoreSection>

/** Neither a URL nor a host with its port; an IPv6 address has several colons. */
const ALONE = /^(?!.*\/)(?![^:]*:\d+$).*$/

const Days = z.union([z.int().min(1).max(36_500), z.literal('never')], {
  error: 'a number of days from 1, or `never`',
})

/** How long texts are kept. The audit, ids, hashes, times and verdicts are permanent. */
export const Retention = z.strictObject({
  /** Arguments and outputs, in days after a call ended. A call that waits, runs or is unknown keeps them. */
  calls: Days.default(30).describe(
    'Number of days that arguments and outputs of calls are stored, or `never` to keep them.',
  ),
  /** Long outputs in the artifact store, in days after they were stored. */
  artifacts: Days.default(30).describe('Number of days that large outputs are stored, or `never` to keep them.'),
  journals: Days.default(90).describe(
    'Number of days that journals of ended runs are stored, or `never` to keep them.',
  ),
})
export type Retention = z.infer<typeof Retention>

const RequestLife = z.number().int().min(1).max(31_536_000)

/** The kernel's part of `sluice.yaml`. Strict everywhere: an unknown key is an error. */
const kernelKeys = (servers: z.ZodType<Record<ServerName, ServerSettings>>, channels: z.ZodType<Channels>) =>
  z.strictObject({
    listen: z
      .strictObject({
        host: z
          .string()
          .min(1)
          .regex(ALONE, 'a host name or address without a port; set the port in `port`')
          .default('127.0.0.1')
          .describe('The address to listen on. Anything but loopback requires that keys or an OIDC issuer exist.'),
        port: z.number().int().min(0).max(65_535).default(7420).describe('The port to listen on; 0 picks a free one.'),
        hosts: z
          .array(z.string().min(1))
          .default([])
          .describe(
            'Additional host names of the gate, for example behind a proxy. Requests to other host names are rejected.',
          ),
        proxies: TrustedProxies.prefault({}).describe(
          'Proxies and balancers in front of the gate that report the address of the client.',
        ),
        limits: ListenLimits.prefault({}).describe(
          'Limits for connections, to protect against slow or flooding clients.',
        ),
      })
      .prefault({})
      .describe('Where the gate listens for HTTP and MCP.'),
    auth: Auth.prefault({}).describe('Authentication, in addition to API keys.'),
    data: z
      .string()
      .min(1)
      .default('./.sluice')
      .describe('The data folder: ledger, keys, artifacts, log. Relative to this file.'),
    /** A file, relative to the config file's folder, or the policy itself. */
    policy: z
      .union([z.string().min(1), PolicyFile])
      .prefault({})
      .describe('The rules, or the path of a file with them.'),
    servers: servers.describe('The tool servers behind the gate, by name.'),
    approvals: z
      .strictObject({
        expires_s: RequestLife.default(86_400).describe('How long a request waits for a decision, in seconds.'),
        expires_s_for: z
          .partialRecord(z.enum([...RiskClass.options, ...STRENGTHS]), RequestLife)
          .default({})
          .describe('A different time for a risk class or a strength; if two apply, the shorter one is used.'),
        /** How many requests of one caller may wait for a decision at a time; one more is rejected. */
        pending_per_caller: z
          .int()
          .min(1)
          .max(1_000_000)
          .default(200)
          .describe('Maximum number of pending requests of one caller.'),
        pending_bytes_per_caller: z
          .int()
          .min(1)
          .max(1_000_000_000)
          .default(20_000_000)
          .describe('Maximum total size of their arguments and previews, in bytes.'),
        strong: z
          .enum(['role', 'passphrase'])
          .default('role')
          .describe('What strong approvals and other permissions require: only the role, or a passphrase as well.'),
        tokens: z
          .enum(['simple', 'strong'])
          .default('simple')
          .describe('Whether redeeming a token counts as a simple or a strong approval.'),
        ...RouteSettings,
      })
      .prefault({})
      .describe('How requests for approval work.'),
    audit: z
      .strictObject({
        /** A checkpoint is signed after this many entries or seconds, whichever comes first. */
        checkpoint_entries: z
          .number()
          .int()
          .min(1)
          .default(1_000)
          .describe('The maximum number of entries between two checkpoints.'),
        checkpoint_seconds: z
          .number()
          .int()
          .min(1)
          .default(60)
          .describe('The maximum number of seconds between two checkpoints.'),
      })
      .prefault({})
      .describe('How often the audit is signed.'),
    retention: Retention.prefault({}).describe(
      'How long arguments and outputs are stored. The audit itself is stored permanently.',
    ),
    store: StoreSection.prefault({}).describe(
      'Where everything is stored: in the data folder, or in a database that several nodes share.',
    ),
    channels: channels.prefault({}).describe('How people are notified of requests, in addition to the console.'),
    mcp: z
      .strictObject({
        surface: Surface.default('auto').describe(
          'The default surface, for clients that do not choose one: `search`, `passthrough` or `auto`.',
        ),
        evict_over: z
          .int()
          .min(1_000)
          .max(10_000_000)
          .default(40_000)
          .describe('Outputs longer than this many characters are stored, and the client gets a pointer.'),
        url: HttpUrl.optional().describe('The address of `/mcp` as clients know it, behind a proxy.'),
      })
      .prefault({})
      .describe('Settings of the MCP endpoint.'),
    budgets: Budgets.default([]).describe('Limits on the number or cost of calls.'),
    repetition: Repetition.prefault({}).describe('How repeated calls are limited.'),
    guards: z
      .strictObject({
        without: z
          .array(z.string().min(1))
          .default([])
          .describe(
            'Guards that this build leaves out on purpose. The gate does not start if any other guard is missing.',
          ),
      })
      .prefault({})
      .describe('The guests that protect calls.'),
  })

/** `sluice.yaml`, with the sections of guests, which they add by declaration merging. */
export interface Config extends z.infer<ReturnType<typeof kernelKeys>> {}

/** What a guest adds to `sluice.yaml`. */
export type ConfigSection = ServerParts & {
  /** Keys below `channels`. */
  readonly channels?: SettingsKeys<Channels>
  /** Keys at the top. */
  readonly top?: SettingsKeys<Config>
  /** Folders whose files a gate reads. */
  readonly folders?: (config: Config) => readonly string[]
  /** Contradictions between sections. */
  readonly check?: (config: Config, context: z.RefinementCtx) => void
}

/** What `sluice.yaml` may contain, with these sections of guests. */
export function configSchema(sections: readonly ConfigSection[]): z.ZodType<Config> {
  const channels = z.strictObject(
    shapeWith(
      ChannelKeys.shape,
      sections.map(({ channels }) => channels),
    ),
  ) as unknown as z.ZodType<Channels>
  const keys = kernelKeys(
    z.record(ServerName, serverSchema(sections)).default({}),
    channels.superRefine(refuseSameNames),
  )
  const whole = z.strictObject(
    shapeWith(
      keys.shape,
      sections.map(({ top }) => top),
    ),
  ) as unknown as z.ZodType<Config>
  return whole.superRefine((config, context) => {
    for (const { check } of sections) check?.(config, context)
    const names = configuredChannels(config.channels).map(({ name }) => name)
    refuseBadRoutes(config.approvals, names, context)
  })
}
