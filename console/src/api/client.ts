import { forgetSession, sessionHeaders } from './session.ts'
import { NO_ANSWER, ProblemError, type Problem } from './problem.ts'

type Body = { readonly method?: 'GET' | 'POST' | 'DELETE'; readonly json?: unknown; readonly signal?: AbortSignal }

/** One request to the gate. Every answer that is not good is thrown as a `ProblemError`. */
export async function ask<T>(path: string, { method = 'GET', json, signal }: Body = {}): Promise<T> {
  const response = await send(path, {
    method,
    headers: {
      accept: 'application/json',
      ...sessionHeaders(method),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      // The gate answers a repeated key with the first answer, so a request that is sent twice acts once.
      ...(method === 'POST' ? { 'idempotency-key': crypto.randomUUID() } : {}),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await response.text()
  const body: unknown = text === '' ? undefined : parsed(text)
  if (!response.ok) throw refusal(response.status, body)
  return body as T
}

/** The same for an answer that is not JSON, such as an export. */
export async function askBlob(path: string): Promise<Blob> {
  const response = await send(path, { headers: sessionHeaders('GET') })
  if (!response.ok) throw refusal(response.status, parsed(await response.text()))
  return response.blob()
}

export async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...init })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ProblemError(NO_ANSWER)
  }
}

function refusal(status: number, body: unknown): ProblemError {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Partial<Problem>
  if (status === 401) forgetSession()
  return new ProblemError(
    {
      code: said.code ?? `http.${status}`,
      title: said.title ?? `the gate answered ${status}`,
      detail: said.detail ?? '',
      status,
      about: said.about ?? {},
    },
    body,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

export const withQuery = (path: string, query: Readonly<Record<string, string | number | undefined>>): string => {
  const words = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return words.length === 0 ? path : `${path}?${words.join('&')}`
}
