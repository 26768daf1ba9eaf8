import { NO_ANSWER, ProblemError, problemIn } from './problem-error.ts'

export type Method = 'GET' | 'POST' | 'DELETE'

export type ClientOptions = {
  /** Where the gate is; in a page that the gate serves, leave it out. */
  readonly url?: string
  /** An API key. In a browser the login's cookie is used instead. */
  readonly key?: string
  /** Further headers of each request, such as the CSRF token of a browser's session. */
  readonly headers?: (method: Method) => Readonly<Record<string, string>>
  /** Called with each failed answer, before it is thrown. */
  readonly onProblem?: (error: ProblemError) => void
  /** Another `fetch`. */
  readonly fetch?: typeof fetch
  /** How often a GET without an answer is retried. Other methods are never retried. */
  readonly retries?: number
}

export type SendOptions = {
  readonly json?: unknown
  readonly signal?: AbortSignal
  /** For a POST; created here if left out. */
  readonly idempotency_key?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one request and returns the gate's answer, successful or not. Throws `no_answer` if there is none. */
export type Transport = (method: Method, path: string, options?: SendOptions) => Promise<Response>

const RETRY_MS = 200

/**
 * INVARIANT: only a GET is retried. A POST has an idempotency key, so that its outcome can be looked up if the answer is lost;
 * a DELETE without an answer may have been executed.
 */
export function createTransport(options: ClientOptions): Transport {
  const { url = '', key, retries = 2 } = options
  const base = url.replace(/(?<!\/)\/+$/, '')
  const bearer: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return async (method, path, { json, signal, idempotency_key, headers = {} } = {}) => {
    const once = method === 'POST' ? (idempotency_key ?? crypto.randomUUID()) : undefined
    const typed: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' }
    const keyed: Record<string, string> = once === undefined ? {} : { 'idempotency-key': once }
    const init: RequestInit = {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      // Do not send credentials to an address that the gate redirects to.
      redirect: 'error',
      headers: {
        accept: 'application/json',
        ...bearer,
        ...options.headers?.(method),
        ...typed,
        ...keyed,
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(signal === undefined ? {} : { signal }),
    }
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await (options.fetch ?? fetch)(`${base}${path}`, init)
      } catch (error) {
        if (signal?.aborted === true) throw error
        if (method !== 'GET' || attempt >= retries) throw new ProblemError(NO_ANSWER, { idempotency_key: once })
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * 2 ** attempt))
    }
  }
}

/** The JSON of a successful answer, or its text if it is not JSON. Every other answer is thrown. */
export async function readAnswer(response: Response, idempotency_key?: string): Promise<unknown> {
  let text: string
  try {
    text = await response.text()
  } catch {
    // The answer was cut off: the request may have been executed.
    throw new ProblemError(NO_ANSWER, { idempotency_key })
  }
  const isJson =
    /json/.test(response.headers.get('content-type') ?? '') && !/jsonl/.test(response.headers.get('content-type') ?? '')
  const body: unknown = isJson ? parsed(text) : text
  if (response.ok) return body
  throw new ProblemError(problemIn(response.status, body), { body, idempotency_key })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
