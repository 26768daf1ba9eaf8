import type { MaybePromise } from '../../../kernel/ports/runtime.ts'
import type { OAuthSettings } from '../../../kernel/contract/http-settings.ts'
import { isJsonObject, type Json } from '../../../kernel/contract/json.ts'
import type { Challenged } from '../login/challenge.ts'
import { readBody } from './body.ts'
import { exchange } from './exchange.ts'

/** Without a value the request is sent without a token. `login`: only a person can get one, by logging in. */
export type ServerToken =
  | { readonly ok: true; readonly value: string | undefined }
  | { readonly ok: false; readonly says: string; readonly login?: true }

/** A token that the server did not accept. `again`: the second one in a row. */
export type RefusedToken = {
  readonly value: string | undefined
  readonly challenge: Challenged
  readonly again: boolean
}

export type Tokens = {
  readonly kind: 'credentials' | 'login'
  /** Whether another token could be the answer to this challenge. */
  concerns(challenge: Challenged): boolean
  /** A token, the current one if there is one. After a second rejection there is none. */
  token(refused?: RefusedToken): MaybePromise<ServerToken>
  /** All current secrets, so that they can be removed from messages. */
  secrets(): readonly string[]
}

const ANSWER_LIMIT = 65_536
/** A token is not used so close to its end that it could expire on the way. */
const EARLY_MS = 10_000
/** How long a failing endpoint is not asked again. */
const PAUSE_MS = 1_000
const isToken = (text: Json | undefined): text is string => typeof text === 'string' && /^[\x21-\x7e]+$/.test(text)

type Kept = { readonly value: string; readonly until: number }

/** Bearer tokens by OAuth 2 client credentials: fetched once for all callers, kept until they expire or are rejected. */
export function openTokens(settings: OAuthSettings, timeout_ms: number, now = () => performance.now()): Tokens {
  let kept: Kept | undefined
  let fetching: Promise<ServerToken> | undefined
  let failure: { readonly says: string; readonly until: number } | undefined

  async function fetch(): Promise<ServerToken> {
    const got = await requestToken(settings, timeout_ms)
    fetching = undefined
    if (typeof got === 'string') {
      failure = { says: got, until: now() + PAUSE_MS }
      return { ok: false, says: got }
    }
    failure = undefined
    const lasts_ms = got.expires_in === undefined ? Infinity : got.expires_in * 1_000
    kept = { value: got.access_token, until: now() + lasts_ms - Math.min(EARLY_MS, lasts_ms / 2) }
    return { ok: true, value: kept.value }
  }

  return {
    kind: 'credentials',
    concerns: ({ asks }) => asks === 'login',
    token(refused) {
      if (kept !== undefined && kept.value !== refused?.value && now() < kept.until)
        return { ok: true, value: kept.value }
      kept = undefined
      if (failure !== undefined && now() < failure.until) return { ok: false, says: failure.says }
      return (fetching ??= fetch())
    },
    secrets: () => (kept === undefined ? [] : [kept.value]),
  }
}

type Granted = { readonly access_token: string; readonly expires_in: number | undefined }

/** Returns a sentence if there is no token. It repeats only the standard error code of the answer. */
async function requestToken(settings: OAuthSettings, timeout_ms: number): Promise<Granted | string> {
  const { token_url, client_id, client_secret, scope } = settings
  const url = new URL(token_url)
  const basic = Buffer.from(`${formEncode(client_id)}:${formEncode(client_secret)}`).toString('base64')
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) })
  const { openPool } = await import('./pool.ts')
  const pool = openPool(url.origin)
  const asking = exchange(
    url,
    {
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: form.toString(),
    },
    pool,
  )
  const timer = setTimeout(() => asking.abort(), timeout_ms)
  try {
    const reply = await asking.reply
    if (reply.is === 'fault') return `no token: its endpoint could not be reached (${reply.says})`
    const body = await readBody(reply.body, ANSWER_LIMIT)
    const said = typeof body === 'string' ? undefined : parsed(body.toString())
    if (reply.status !== 200) return `no token: its endpoint answered HTTP ${reply.status}${errorCode(said)}`
    const { access_token, token_type, expires_in } = isJsonObject(said) ? said : {}
    if (!isToken(access_token)) return 'no token: its endpoint did not answer with one'
    if (typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer')
      return 'no token: it is not a bearer token'
    const lasts = typeof expires_in === 'string' ? Number(expires_in) : expires_in
    return { access_token, expires_in: typeof lasts === 'number' && lasts >= 0 ? lasts : undefined }
  } finally {
    clearTimeout(timer)
    void pool.destroy()
  }
}

const formEncode = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length)

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function errorCode(said: Json | undefined): string {
  const code = isJsonObject(said) ? said['error'] : undefined
  return typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? ` (${code})` : ''
}
