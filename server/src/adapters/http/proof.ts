import { createHash } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { canonicalText, readJson } from '../../kernel/json/read-json.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { Proof } from '../../kernel/identity/passkey.ts'
import { invalidRequest, problemResponse } from './problem.ts'
import type { RouterEnv } from './door.ts'
import { siteOf } from './site-of.ts'

/** A request without its proof: what a passkey confirms. */
export type GrantRequest = { readonly method: string; readonly path: string; readonly body: JsonObject }

/** The digest of a request that gives permission. Its path includes the query, because that can name a vault. */
export const digestOfGrant = ({ method, path, body }: GrantRequest): string =>
  createHash('sha256')
    .update(canonicalText({ method, path, body: withoutProof(body) }))
    .digest('hex')

/** What a request asks for, without the proof. */
export function withoutProof<Body extends Proof>({ passphrase: _, passkey: __, ...terms }: Body) {
  return terms
}

/** Reads the proof of a request to a route that gives permission in somebody's name. The command checks it. */
export const readsProof: MiddlewareHandler<RouterEnv> = async (c, next) => {
  const body = await bodyOf(c)
  const shown = Proof.safeParse({ passphrase: body['passphrase'], passkey: body['passkey'] })
  if (!shown.success) return problemResponse(invalidRequest(shown.error.issues), c.get('trace'))
  const { passphrase, passkey: assertion } = shown.data
  const { pathname, search } = new URL(c.req.url)
  const about = { grant: digestOfGrant({ method: c.req.method, path: `${pathname}${search}`, body }) }
  const passkey = assertion && { assertion, site: siteOf(c.req.header('host'), c.get('door').login), about }
  c.set('proof', { passphrase, passkey })
  return next()
}

/** A route without a declared body takes one that contains only the proof. */
async function bodyOf(c: Context<RouterEnv>): Promise<JsonObject> {
  const read = readJson(await c.req.text())
  const body: Json = read.ok ? read.value : {}
  return isJsonObject(body) ? body : {}
}
