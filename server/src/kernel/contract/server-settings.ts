import { z } from 'zod'
import { clientToolSettings, HOOK_CLIENTS } from './hook-clients.ts'
import { HeaderName, HttpUrl, LoginSettings, OAuthSettings } from './http-settings.ts'
import { refuseWriters } from './standard.ts'
import { visibleText } from './visible-text.ts'
import {
  RunAsUser,
  ServerKeys,
  shapeWith,
  ToolKeys,
  type ServerCommon,
  type SettingsKeys,
  type ToolSettings,
} from './tool-settings.ts'

/** No underscore at all, so the first `__` of a tool id always separates server and tool. */
export const ServerName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a server name has 1 to 32 lower-case letters, digits and `-`')
export type ServerName = z.infer<typeof ServerName>

/** The kinds of tool servers, by the key that identifies each. Guests add theirs by declaration merging. */
export interface ServerKinds {
  command: StdioSettings
  url: HttpSettings
  client: ClientSettings
  gate: GateServerSettings
}
export type ServerSettings = ServerKinds[keyof ServerKinds]

/** What the settings of all kinds have. The keys that identify other kinds are absent. */
export type OfKind<K extends keyof ServerKinds> = ServerCommon & {
  [Other in Exclude<keyof ServerKinds, K>]?: undefined
}

/** Schemas that kinds share, with the keys of all guests. */
export type SharedSchemas = {
  readonly tool: z.ZodObject
  /** Says that exactly one kind is required. */
  readonly oneKind: string
}

/** What a server starts, contacts and reads: for a person who is asked whether a configuration may be used. */
export type ServerReach = {
  /** Command lines. `tool`: if one is only for this tool. */
  readonly programs?: readonly { readonly words: readonly string[]; readonly tool?: string }[]
  /** Where it connects to, in words. */
  readonly contacts?: string
  /** Relative to the configuration's folder. */
  readonly files?: readonly string[]
}

/** How the servers of one kind are configured. */
export type ServerKindSettings<K extends keyof ServerKinds = keyof ServerKinds> = {
  /** The key that identifies it. The keys exclude each other. */
  readonly key: K
  /** Where documents list it; the kernel's kinds have the ranks 100, 200 and so on. */
  readonly rank: number
  /** After the key, in the list of all kinds. */
  readonly says: string
  /** Its own keys; the first one is the one that identifies it. */
  readonly keys: (shared: SharedSchemas) => z.ZodRawShape
  /** The key with the operator's settings for its tools, if that is not `tools`. */
  readonly toolsKey?: string
  /** What one key cannot check alone, or a change of the whole. */
  readonly finish?: (schema: z.ZodObject) => z.ZodType
  reach(settings: ServerKinds[K]): ServerReach
}

/** A child process that uses MCP on stdin and stdout. */
const Stdio = z.strictObject({
  /** `node` is the gate's own Node; a path that starts with `./` or `../` is resolved against the config file's folder. */
  command: z
    .string()
    .min(1)
    .describe('The program to start; it uses MCP on stdin and stdout. `node` is the Node that runs the gate.'),
  args: z
    .array(z.string())
    .default([])
    .describe("Its arguments. Paths that start with ./ or ../ are relative to this file's folder."),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of a variable has only letters, digits and `_`'),
      z.string(),
    )
    .default({})
    .describe(
      'Environment variables for it, in addition to a minimal environment. `env:NAME` and `file:PATH` refer to a secret.',
    ),
  cwd: z.string().min(1).optional().describe("Its working directory; by default this file's folder."),
  user: RunAsUser.optional().describe('The operating system user to run it as.'),
})
export type StdioSettings = z.infer<typeof Stdio> & OfKind<'command'>

/** A server that is reached by MCP over HTTP: streamable, or the older transport with a stream of events. */
const Http = z.strictObject({
  url: HttpUrl.describe('The address of a server that is reached by MCP over HTTP.'),
  headers: z
    .record(HeaderName, z.string().min(1))
    .default({})
    .describe('Headers for every request to it. `env:NAME` and `file:PATH` refer to a secret.'),
  oauth: OAuthSettings.optional().describe('Get a bearer token with client credentials, renewed when it expires.'),
  login: LoginSettings.optional().describe(
    'A person logs in there with OAuth in a browser: `sluice servers login NAME`.',
  ),
})
export type HttpSettings = z.infer<typeof Http> & OfKind<'url'>

/** The built-in tools of a coding agent, judged by the gate through its hooks and run by the agent itself (server/src/guests/hooks/README.md). */
const Client = z.strictObject({
  client: z
    .enum(HOOK_CLIENTS)
    .describe(
      'The coding agent whose built-in tools this entry is for: the gate judges them through hooks, and the agent runs them itself.',
    ),
})
export type ClientSettings = z.infer<typeof Client> & OfKind<'client'>

/** The client's own tools, and what the operator says about them. */
function withClientTools(settings: ClientSettings): ClientSettings {
  const known = clientToolSettings(settings.client)
  const said = Object.entries(settings.tools).map(([name, own]) => [name, { ...known[name], ...own }] as const)
  return { ...settings, tools: { ...known, ...Object.fromEntries(said) } }
}

/** Something that the gate does itself, as if it were a server. No file can configure one. */
export type GateServerSettings = OfKind<'gate'> & { gate: true }

const stdioKind: ServerKindSettings<'command'> = {
  key: 'command',
  rank: 100,
  says: 'a program to start',
  keys: ({ oneKind }) => ({
    ...Stdio.shape,
    command: z
      .string({ error: ({ input }) => (input === undefined ? oneKind : undefined) })
      .min(1)
      .describe(Stdio.shape.command.description ?? ''),
  }),
  reach: ({ command, args }) => ({ programs: [{ words: [command, ...args] }] }),
}
const httpKind: ServerKindSettings<'url'> = {
  key: 'url',
  rank: 200,
  says: 'a server to connect to',
  keys: () => Http.shape,
  reach: ({ url }) => ({ contacts: `at ${visibleText(url)}` }),
}
const clientKind: ServerKindSettings<'client'> = {
  key: 'client',
  rank: 300,
  says: 'the built-in tools of a coding agent',
  keys: () => Client.shape,
  finish: (schema) => schema.transform((settings) => withClientTools(settings as unknown as ClientSettings)),
  reach: () => ({}),
}

/** What guests add to the settings of tool servers. */
export type ServerParts = {
  /** Keys of every server. */
  readonly server?: SettingsKeys<ServerCommon>
  /** Keys of the settings of a tool. */
  readonly tool?: SettingsKeys<ToolSettings>
  readonly kinds?: readonly ServerKindSettings[]
  /** Contradictions. `toolsKey`: under which its tools are. */
  readonly checkServer?: (settings: ServerSettings, toolsKey: string, context: z.RefinementCtx) => void
}

export const ONE_KIND = 'a server has exactly one of'

/** The kernel's kinds and those of guests, by rank. */
const kindsOf = (parts: readonly ServerParts[]): readonly ServerKindSettings[] =>
  [stdioKind, httpKind, clientKind, ...parts.flatMap(({ kinds = [] }) => kinds)].toSorted(
    (one, other) => one.rank - other.rank,
  )

/** What a server starts, contacts and reads. */
export const reachOf = (parts: readonly ServerParts[], settings: ServerSettings): ServerReach =>
  kindsOf(parts)
    .find(({ key }) => settings[key] !== undefined)
    ?.reach(settings) ?? {}

/** The settings of a tool server: a choice of kinds. */
export function serverSchema(parts: readonly ServerParts[]): z.ZodType<ServerSettings> {
  const kinds = kindsOf(parts)
  const oneKind = `${ONE_KIND} ${kinds.map(({ key, says }) => `\`${key}\` (${says})`).join(', ')}`
  const tool = z.strictObject(
    shapeWith(
      ToolKeys.shape,
      parts.map(({ tool }) => tool),
    ),
  )
  const common = shapeWith(
    ServerKeys.shape,
    parts.map(({ server }) => server),
  )
  const tools = {
    tools: z
      .record(z.string().min(1), tool)
      .default({})
      .describe('Your own settings for its tools, by tool name. They override what the server says.'),
  }

  function kindSchema({ key, keys, toolsKey, finish }: ServerKindSettings): z.ZodType {
    const { [key]: first, ...rest } = keys({ tool, oneKind })
    const others = kinds.filter((kind) => kind.key !== key)
    const excluded = others.map((kind) => [kind.key, z.never({ error: oneKind }).optional()] as const)
    const schema = z.strictObject({
      ...(first === undefined ? {} : { [key]: first }),
      ...Object.fromEntries(excluded),
      ...rest,
      ...common,
      ...(toolsKey === undefined ? tools : {}),
    })
    return finish?.(schema) ?? schema
  }

  const toolsKeyOf = (settings: ServerSettings): string =>
    kinds.find(({ key }) => settings[key] !== undefined)?.toolsKey ?? 'tools'
  const union = z.union(kinds.map(kindSchema)) as unknown as z.ZodType<ServerSettings>
  return union.superRefine((settings, context) => {
    const toolsKey = toolsKeyOf(settings)
    for (const { checkServer } of parts) checkServer?.(settings, toolsKey, context)
    refuseWriters(settings.tools, toolsKey, context)
  })
}

/** The working folder and the environment of a server whose programs the gate starts; undefined for any other. */
export const processOf = (settings: ServerSettings): Pick<StdioSettings, 'cwd' | 'user' | 'env'> | undefined =>
  'env' in settings ? settings : undefined
