import { z } from 'zod'
import { MatrixUser, RoomId } from '../../kernel/approvals/channels.ts'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { NodeName } from './hub.ts'
import { HttpUrl } from '../../kernel/contract/http-settings.ts'

const Reference = z.string().regex(/^(?:env|file):.+$/, 'write a secret as env:NAME or file:PATH')

const LOGIN = {
  homeserver: HttpUrl.describe('The address of the homeserver.'),
  /** The gate's own user there. */
  user: MatrixUser.describe('The Matrix user of this node, `@name:server`.'),
  token: Reference.optional().describe('Its access token: `env:NAME` or `file:PATH`.'),
  /** Instead of a token: each start is a new device, which encrypted rooms need. */
  password: Reference.optional().describe('Its password, instead of a token; needed for encrypted rooms.'),
  room: RoomId.describe('The id of the control room.'),
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
    url: HttpUrl.optional().describe('The address of the hub.'),
    node: NodeName.describe('The name of this node at the hub, which is the name of its key there.'),
    key: Reference.optional().describe('The key of kind `node` that the hub gave out: `env:NAME` or `file:PATH`.'),
    matrix: z
      .strictObject({
        ...LOGIN,
        hub: MatrixUser.describe('The Matrix user of the hub. Messages of everybody else are ignored.'),
      })
      .refine(hasOne, ONE)
      .optional()
      .describe('Reach the hub through a Matrix room instead of `url` and `key`.'),
    public_keys: z
      .array(z.string().regex(/^[0-9a-f]{64}$/, 'a public key has 64 hex digits'))
      .min(1)
      .max(8)
      .describe('The public keys of the hub, from `sluice hub key`. Decisions signed with any other key are rejected.'),
    answer_s: z
      .int()
      .min(1)
      .max(86_400)
      .default(60)
      .describe('How long a held call waits for the hub to confirm the request, in seconds; then it is refused.'),
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
      user: MatrixUser.describe('The Matrix user of this hub, `@name:server`.'),
      nodes: z
        .record(MatrixUser, NodeName)
        .describe('Which Matrix user is which node. Messages of everybody else are ignored.'),
    })
    .refine(hasOne, ONE)
    .optional()
    .describe('A Matrix room in which nodes ask for decisions.'),
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
    hub: {
      rank: 810,
      schema: HubSettings.optional().describe(
        'Makes this gate a node: its approvals are decided at a hub (server/src/guests/hub/README.md).',
      ),
    },
    nodes: {
      rank: 820,
      schema: NodesSettings.prefault({}).describe('For a hub: how its nodes reach it, in addition to HTTP.'),
    },
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
