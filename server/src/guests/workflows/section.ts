import { z } from 'zod'
import { MatrixUser } from '../../kernel/approvals/channels.ts'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { HttpUrl } from '../../kernel/contract/http-settings.ts'

const Reference = z.string().regex(/^(?:env|file):.+$/, 'a secret is given as env:NAME or file:PATH')
const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a name is 1 to 32 lower-case letters, digits and `-`')

/** Messages of documents, in and out, as signed requests: to attach a chat that the gate does not support itself. */
export const WebhookTransportSettings = z.strictObject({
  name: Name.describe('A short name.'),
  url: HttpUrl.describe('Where messages are sent, as signed requests.'),
  /** Signs what is sent. */
  secret: Reference.describe('The secret that signs them: `env:NAME` or `file:PATH`.'),
  rooms: z
    .array(z.string().min(1).max(255))
    .min(1)
    .default(['*'])
    .describe('The rooms it reaches: exact ids, or `*` for all.'),
  incoming: z
    .strictObject({
      secret: Reference.describe('The secret that the other side signs with. Not the same as `secret`.'),
    })
    .optional()
    .describe('Lets the other side send messages to the gate.'),
})
export type WebhookTransportSettings = z.infer<typeof WebhookTransportSettings>

/** A document's own user at a homeserver. */
const MatrixAccount = z
  .strictObject({
    user: MatrixUser.describe('The Matrix user: `@name:server`.'),
    token: Reference.optional().describe(
      'Its access token, as `env:NAME` or `file:PATH`. Encrypted rooms need a password instead.',
    ),
    /** Instead of a token: each start is a new device, which encrypted rooms need. */
    password: Reference.optional().describe(
      'Its password, as `env:NAME` or `file:PATH`. Each start logs in as a new device.',
    ),
  })
  .refine(
    ({ token, password }) => (token === undefined) !== (password === undefined),
    'give either `token` or `password`',
  )

/** Messages of documents over a Matrix homeserver, each document as its own user. */
export const MatrixTransportSettings = z.strictObject({
  name: Name.describe('A short name.'),
  matrix: z
    .strictObject({
      homeserver: HttpUrl.describe('The address of the homeserver.'),
      agents: z
        .record(z.string().min(1).max(64), MatrixAccount)
        .refine((agents) => Object.keys(agents).length > 0, 'name at least one document')
        .describe('The Matrix user of each document, by the name of the document.'),
    })
    .describe('Messages over a Matrix homeserver, instead of `url` and `secret`.'),
})
export type MatrixTransportSettings = z.infer<typeof MatrixTransportSettings>

export const Transports = z
  .array(z.union([WebhookTransportSettings, MatrixTransportSettings]))
  .max(16)
  .default([])
  .superRefine((transports, context) => {
    const names = transports.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) context.addIssue({ code: 'custom', message: `two transports are called \`${twice}\`` })
  })

/** What the other side sends. */
export const IncomingBody = z.strictObject({
  agent: z.string().min(1).max(64).optional(),
  room: z.string().min(1).max(255),
  sender: z.string().min(1).max(255),
  text: z.string().max(1_048_576),
  encrypted: z.boolean().default(false),
  directed: z.boolean().default(false),
})

declare module '../../kernel/contract/config.ts' {
  interface Config {
    /** How messages of documents are received and sent. */
    transports: z.infer<typeof Transports>
  }
}

export const section: ConfigSection = {
  top: {
    transports: {
      rank: 920,
      schema: Transports.describe(
        'How messages of documents come in and go out (server/src/guests/workflows/README.md).',
      ),
    },
  },
}
