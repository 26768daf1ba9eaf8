import { z } from 'zod'
import { HttpUrl } from './http-settings.ts'

const Reference = z.string().regex(/^(?:env|file):.+$/, 'a secret is given as env:NAME or file:PATH')

/** Messages of documents, in and out, as signed requests: how a chat is attached that the gate does not speak itself. */
export const TransportSettings = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a name is 1 to 32 lower-case letters, digits and `-`'),
  /** Where messages go. */
  url: HttpUrl,
  /** Signs what goes out. */
  secret: Reference,
  /** The rooms it reaches: exact ids, or `*`. */
  rooms: z.array(z.string().min(1).max(255)).min(1).default(['*']),
  /** Lets the other side hand in messages. Its secret is another one: what we sign is no message of theirs. */
  incoming: z.strictObject({ secret: Reference }).optional(),
})
export type TransportSettings = z.infer<typeof TransportSettings>

export const Transports = z
  .array(TransportSettings)
  .max(16)
  .default([])
  .superRefine((transports, context) => {
    const names = transports.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) context.addIssue({ code: 'custom', message: `two transports are called \`${twice}\`` })
  })

/** What the other side hands in. */
export const IncomingBody = z.strictObject({
  agent: z.string().min(1).max(64).optional(),
  room: z.string().min(1).max(255),
  sender: z.string().min(1).max(255),
  text: z.string().max(1_048_576),
  encrypted: z.boolean().default(false),
  directed: z.boolean().default(false),
})
