import { z } from 'zod'
import { MatrixUser, RoomId } from '../../kernel/approvals/channels.ts'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { NodeName } from './hub.ts'
import { HttpUrl } from '../../kernel/contract/http-settings.ts'

const Reference = z.string().regex(/^(?:env|file):.+$/, 'write a secret as env:NAME or file:PATH')

const LOGIN = {
  homeserver: HttpUrl,
  /** The gate's own user there. */
  user: MatrixUser,
  token: Reference.optional(),
  /** Instead of a token: each start is a new device, which encrypted rooms need. */
  password: Reference.optional(),
  room: RoomId,
}
type Login = { readonly token?: string | undefined; readonly password?: string | undefined }
const hasOne = ({ token, password }: Login) => (token === undefined) !== (password === undefined)
const ONE = 'give either `token` or `password`'
export type MatrixLogin = {
  readonly homeserver: string
  readonly user: string
  readonly room: string
} & Login

/** For a node: the hub at which its approvals are decided. */
export const HubSettings = z
  .strictObject({
    url: HttpUrl.optional(),
    /** This node's name there: the name of its key. */
    node: NodeName,
    /** Its key of kind `node`. */
    key: Reference.optional(),
    /** Instead of a URL and a key: a room that both are in. */
    matrix: z
      .strictObject({ ...LOGIN, hub: MatrixUser })
      .refine(hasOne, ONE)
      .optional(),
    /** The hub's public keys, from `sluice hub key`. More than one while the hub changes its key. */
    public_keys: z
      .array(z.string().regex(/^[0-9a-f]{64}$/, 'a public key has 64 hex digits'))
      .min(1)
      .max(8),
    /** How long a held call waits for the hub to confirm that it has the request; then it is refused. */
    answer_s: z.int().min(1).max(86_400).default(60),
  })
  .superRefine(({ url, key, matrix }, context) => {
    if (matrix === undefined && url === undefined)
      context.addIssue({
        code: 'custom',
        path: ['url'],
        message: 'missing: give the address of the hub, or `matrix` instead',
      })
    if (matrix === undefined && key === undefined)
      context.addIssue({
        code: 'custom',
        path: ['key'],
        message: 'missing: give the key of the node, as env:NAME or file:PATH',
      })
    if (matrix !== undefined && key !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['key'],
        message: 'with `matrix` the node needs no key: its Matrix user identifies it. Remove `key`',
      })
  })
export type HubSettings = z.infer<typeof HubSettings>

/** For a hub: how nodes reach it, besides HTTP. */
export const NodesSettings = z.strictObject({
  matrix: z
    .strictObject({
      ...LOGIN,
      /** Which user in the room is which node. Messages of everybody else are ignored. */
      nodes: z.record(MatrixUser, NodeName),
    })
    .refine(hasOne, ONE)
    .optional(),
})
export type NodesSettings = z.infer<typeof NodesSettings>

declare module '../../kernel/contract/config.ts' {
  interface Config {
    hub?: HubSettings | undefined
    nodes: NodesSettings
  }
}

export const section: ConfigSection = {
  top: {
    hub: { rank: 810, schema: HubSettings.optional() },
    nodes: { rank: 820, schema: NodesSettings.prefault({}) },
  },
  check({ hub, approvals }, context) {
    if (hub !== undefined && approvals.routes.length > 0)
      context.addIssue({
        code: 'custom',
        path: ['approvals', 'routes'],
        message: 'approvals of a node are decided at its hub: write the routes in the configuration of the hub',
      })
  },
}
