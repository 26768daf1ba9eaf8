import { z } from 'zod'
import { Auth, ListenLimits, TrustedProxies } from './auth-settings.ts'
import { Channels } from '../approvals/channels.ts'
import { ClientSettings } from './client-settings.ts'
import { CommandsSettings } from '../../guests/commands/command-settings.ts'
import { HeaderName, HttpUrl, LoginSettings, OAuthSettings } from './http-settings.ts'
import { FlowSettings } from '../../guests/flows/flows.ts'
import { HubSettings, NodesSettings } from '../../guests/hub/hub-settings.ts'
import { Budgets, Repetition, Traps } from './judgement.ts'
import { OpenApiSettings } from '../../guests/openapi/openapi-settings.ts'
import { AgentSettings } from '../../guests/agent/agent.ts'
import { EmbeddingSettings, Models } from './models.ts'
import { PolicyFile } from './policy.ts'
import { refuse, ok, type Result } from './problems.ts'
import { Provenance } from '../../guests/provenance/provenance.ts'
import { Retention } from './retention.ts'
import { Serenity } from '../../guests/serenity/serenity.ts'
import { StoreSection } from './store-settings.ts'
import { Surface } from './surface.ts'
import { ToolflowSettings } from '../../guests/toolflow/toolflow.ts'
import { Transports } from './transports.ts'
import { refuseWriters } from './standard.ts'
import { RouteSettings } from './routes.ts'
import { refuseBadRoutes } from './route-faults.ts'
import { RiskClass } from './tool.ts'
import { COMMON, noneBut, ONE_KIND, RunAsUser } from './tool-settings.ts'
import { STRENGTHS } from './verdict.ts'

/** No underscore at all, so the first `__` of a tool id always separates server and tool. */
export const ServerName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a server name has 1 to 32 lower-case letters, digits and `-`')
export type ServerName = z.infer<typeof ServerName>

/** A child process that uses MCP on stdin and stdout. */
export const StdioSettings = z.strictObject({
  /** `node` is the gate's own Node; a path that starts with `./` or `../` is resolved against the config file's folder. */
  command: z.string({ error: ({ input }) => (input === undefined ? ONE_KIND : undefined) }).min(1),
  ...noneBut('command'),
  /** Those that start with `./` or `../` are resolved against the config file's folder. */
  args: z.array(z.string()).default([]),
  /** Added to a minimal environment. `env:NAME` and `file:PATH` refer to a secret. */
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of a variable has only letters, digits and `_`'),
      z.string(),
    )
    .default({}),
  /** By default the config file's folder. */
  cwd: z.string().min(1).optional(),
  user: RunAsUser.optional(),
  ...COMMON,
})
export type StdioSettings = z.infer<typeof StdioSettings>

/** A server that is reached by MCP over HTTP: streamable, or the older transport with a stream of events. */
export const HttpSettings = z.strictObject({
  url: HttpUrl,
  ...noneBut('url'),
  /** Sent with every request to this server and to no other. `env:NAME` and `file:PATH` refer to a secret. */
  headers: z.record(HeaderName, z.string().min(1)).default({}),
  /** Fetches a bearer token by client credentials, and a new one when the server no longer accepts it. */
  oauth: OAuthSettings.optional(),
  login: LoginSettings.optional(),
  ...COMMON,
})
export type HttpSettings = z.infer<typeof HttpSettings>

/** A setting without effect is rejected: paths are only judged against a sandbox. */
export const ServerSettings = z
  .union([StdioSettings, HttpSettings, OpenApiSettings, CommandsSettings, ClientSettings])
  .superRefine((settings, context) => {
    const { sandbox, tools } = settings
    if (sandbox !== undefined) return
    for (const [tool, { files }] of Object.entries(tools)) {
      if (files === undefined) continue
      context.addIssue({
        code: 'custom',
        path: [toolsKeyOf(settings), tool, 'files'],
        message: '`files` needs a `sandbox` of the server',
      })
    }
  })
  .superRefine((settings, context) => refuseWriters(settings.tools, toolsKeyOf(settings), context))
export type ServerSettings = z.infer<typeof ServerSettings>

/** Neither a URL nor a host with its port; an IPv6 address has several colons. */
const ALONE = /^(?!.*\/)(?![^:]*:\d+$).*$/

/** The key with the operator's settings for a server's tools: for a command, the command itself. */
const toolsKeyOf = (settings: { commands?: unknown }) => (settings.commands === undefined ? 'tools' : 'commands')

const RequestLife = z.number().int().min(1).max(31_536_000)

/** `sluice.yaml`. Strict everywhere: an unknown key is an error. */
export const Config = z
  .strictObject({
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
    servers: z.record(ServerName, ServerSettings).default({}),
    /** A folder with packs of your own, relative to the config file's folder. */
    packs: z.string().min(1).optional(),
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
    /** For a node: the hub at which its approvals are decided. */
    hub: HubSettings.optional(),
    /** For a hub: how its nodes reach it, besides HTTP. */
    nodes: NodesSettings.prefault({}),
    store: StoreSection.prefault({}),
    toolflow: ToolflowSettings.prefault({}),
    /** How messages of documents are received and sent. */
    transports: Transports,
    models: Models.prefault({}),
    /** Limits of the agent runtime. */
    agent: AgentSettings.prefault({}),
    /** Procedures that people and agents work through together. */
    flows: FlowSettings.prefault({}),
    search: z
      .strictObject({
        /** Also finds tools by meaning. Their texts and every query are sent there; if it gives no answer, only words count. */
        embeddings: EmbeddingSettings.optional(),
        /** Ranks tools higher that the same caller ran after similar queries. Stores the stems of those queries in the ledger. */
        learn: z.boolean().default(false),
      })
      .prefault({}),
    /** Health data for the `health` decider; without it, that decider has no opinion. */
    serenity: Serenity.optional(),
    metrics: z
      .strictObject({
        /** Lets anybody on this machine read `/metrics` without a key. */
        open: z.boolean().default(false),
      })
      .prefault({}),
    telemetry: z
      .strictObject({
        /** An OpenTelemetry collector; traces and metrics go to `/v1/traces` and `/v1/metrics` below the endpoint. */
        otlp: z
          .strictObject({
            endpoint: HttpUrl,
            /** `env:NAME` and `file:PATH` refer to a secret. */
            headers: z.record(HeaderName, z.string().min(1)).default({}),
          })
          .optional(),
      })
      .prefault({}),
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
    traps: Traps.prefault({}),
    budgets: Budgets.default([]),
    repetition: Repetition.prefault({}),
    provenance: Provenance.prefault({}),
    dlp: z
      .strictObject({
        /** Additional detection rules, in the format of the built-in ones. */
        rules: z.array(z.record(z.string(), z.json())).default([]),
        /**
         * What is redacted in the answers of tools: known formats of secrets, guessed ones too, personal data too, or nothing.
         */
        outputs: z.enum(['secrets', 'strict', 'all', 'off']).default('secrets'),
        /** What is redacted in messages to the agent: secrets and payment cards, or all personal data as well. */
        messages: z.enum(['secrets', 'all']).default('secrets'),
      })
      .prefault({}),
  })
  .superRefine(({ approvals, channels, hub }, context) => {
    if (hub !== undefined && approvals.routes.length > 0)
      context.addIssue({
        code: 'custom',
        path: ['approvals', 'routes'],
        message: 'approvals of a node are decided at its hub: write the routes in the configuration of the hub',
      })
    const names = [...channels.webhooks, ...channels.push, ...channels.matrix].map(({ name }) => name)
    refuseBadRoutes(approvals, names, context)
  })
export type Config = z.infer<typeof Config>

/** The position of a path, `line 4` or the name of a variable, if the text is still known. */
export type PlaceOf = (path: readonly PropertyKey[]) => string | undefined

/** A mistake, by its path. `kind` is what a remedy depends on; values are not repeated, because they may be secrets. */
export type ConfigFault = {
  readonly path: readonly PropertyKey[]
  readonly says: string
  readonly kind: 'unknown_key' | 'wrong_type' | 'other'
}
/** What to write instead, if known. */
export type RemedyOf = (fault: ConfigFault) => string | undefined

/** Validates a parsed YAML value. Reports every fault. */
export function readConfig(
  value: unknown,
  placeOf: PlaceOf = () => undefined,
  remedyOf: RemedyOf = () => undefined,
): Result<Config> {
  const read = Config.safeParse(value ?? {})
  if (read.success) return ok(read.data)
  const faults = read.error.issues.flatMap((issue) => faultsOf(issue, []))
  const paths = faults.map((fault) => spell(fault, placeOf(fault.path), remedyOf(fault)))
  return refuse('config.invalid', { paths: paths.join('; ') })
}

function faultsOf(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): ConfigFault[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') {
    // Report the branch that was most likely meant: not one whose type is wrong at its root, and not one that excludes more of
    // the present keys.
    const possible = issue.errors.filter(
      (faults) => !faults.some((fault) => fault.path.length === 0 && isTypeFault(fault)),
    )
    const excluded = (faults: readonly z.core.$ZodIssue[]) => faults.filter(isExcluded).length
    const [meant] = possible.toSorted((one, other) => excluded(one) - excluded(other))
    const isAtRoot = meant?.every((fault) => fault.path.length === 0 && fault.code === 'invalid_format') === true
    if (isAtRoot && issue.message !== 'Invalid input') return [{ path, says: issue.message, kind: 'other' }]
    if (meant !== undefined && !meant.some(isRootValue)) return meant.flatMap((fault) => faultsOf(fault, path))
    const expected = issue.errors.flatMap((faults) => faults.flatMap(expectedOf))
    if (expected.length > 0) return [{ path, says: `write ${[...new Set(expected)].join(' or ')}`, kind: 'other' }]
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], says: 'unknown key', kind: 'unknown_key' }))
  if (issue.code === 'invalid_key') return [{ path, says: issue.issues[0]?.message ?? issue.message, kind: 'other' }]
  return [{ path, says: plainly(issue.message), kind: isWrongType(issue) ? 'wrong_type' : 'other' }]
}

/** zod's message, reworded for somebody who writes YAML. */
const plainly = (message: string): string =>
  message
    .replace(/^Invalid input: expected .*, received undefined$/, 'missing')
    .replace(/^Invalid input: expected .*, received null$/, 'empty (or remove the key)')
    .replace(/^Invalid (?:input|option): /, '')
    .replace(/^expected \w+, received \w+$/, 'wrong type')
    .replace(
      /^Too (?:big|small): expected \w+ to (be|have) (.*)$/,
      (_, verb: string, bound: string) => `must ${verb} ${boundWords(bound)}`,
    )
    .replace(
      /^expected one of (.*)$/,
      (_, values: string) => `write one of ${values.replaceAll('"', '').replaceAll('|', ', ')}`,
    )

const boundWords = (bound: string): string =>
  bound.replace('<=', 'at most ').replace('>=', 'at least ').replace('<', 'less than ').replace('>', 'more than ')

/** A fixed word was expected where something else is written. */
const isRootValue = (fault: z.core.$ZodIssue) => fault.code === 'invalid_value' && fault.path.length === 0

const IN_YAML: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'keys below it',
  record: 'keys below it',
}

/** What one branch of a choice expects in place of the whole value. */
function expectedOf(fault: z.core.$ZodIssue): readonly string[] {
  if (fault.path.length > 0) return []
  if (fault.code === 'invalid_value') return fault.values.map((value) => `\`${String(value)}\``)
  const word = fault.code === 'invalid_type' ? IN_YAML[fault.expected] : undefined
  return word === undefined ? [] : [word]
}

const isExcluded = (fault: z.core.$ZodIssue) => fault.code === 'invalid_type' && fault.expected === 'never'
const isTypeFault = (fault: z.core.$ZodIssue) => fault.code === 'invalid_type'
const isWrongType = (fault: z.core.$ZodIssue) => isTypeFault(fault) && !isExcluded(fault) && fault.message !== ONE_KIND

function spell({ path, says }: ConfigFault, place: string | undefined, remedy: string | undefined): string {
  const where = path.length === 0 ? 'the file' : path.map(String).join('.')
  const message = remedy === undefined ? says : `${says}, ${remedy}`
  return place === undefined ? `${where}: ${message}` : `${where} (${place}): ${message}`
}
