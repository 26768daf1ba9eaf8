import { z } from 'zod'
import { MatrixUser } from '../../kernel/approvals/channels.ts'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { HttpUrl } from '../../kernel/contract/http-settings.ts'

const Reference = z.string().regex(/^(?:env|file):.+$/, 'a secret is given as env:NAME or file:PATH')
const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a name is 1 to 32 lower-case letters, digits and `-`')

/** Messages of documents, in and out, as signed requests: to attach a chat that the gate does not support itself. */
export const WebhookTransportSettings = z.strictObject({
  name: Name,
  /** Where messages are sent. */
  url: HttpUrl,
  /** Signs what is sent. */
  secret: Reference,
  /** The rooms it reaches: exact ids, or `*`. */
  rooms: z.array(z.string().min(1).max(255)).min(1).default(['*']),
  /** Lets the other side send messages to the gate. Its secret is a different one: what we sign is not one of their messages. */
  incoming: z.strictObject({ secret: Reference }).optional(),
})
export type WebhookTransportSettings = z.infer<typeof WebhookTransportSettings>

/** A document's own user at a homeserver. */
const MatrixAccount = z
  .strictObject({
    user: MatrixUser,
    token: Reference.optional(),
    /** Instead of a token: each start is a new device, which encrypted rooms need. */
    password: Reference.optional(),
  })
  .refine(
    ({ token, password }) => (token === undefined) !== (password === undefined),
    'give either `token` or `password`',
  )

/** Messages of documents over a Matrix homeserver, each document as its own user. */
export const MatrixTransportSettings = z.strictObject({
  name: Name,
  matrix: z.strictObject({
    homeserver: HttpUrl,
    /** By the name of the document. */
    agents: z
      .record(z.string().min(1).max(64), MatrixAccount)
      .refine((agents) => Object.keys(agents).length > 0, 'name at least one document'),
  }),
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

export const section: ConfigSection = { top: { transports: { rank: 920, schema: Transports } } }
