import { createClient, type Method } from '../../../server/src/client/client.ts'
import { forgetLogin, readLogin, loginHeaders } from './login.ts'

/** The gate that serves this page, with this browser's login. The query library retries, so nothing is retried here. */
export const gate = createClient({
  headers: loginHeaders,
  retries: 0,
  onProblem: ({ problem }) => {
    if (problem.status === 401) forgetLogin()
    // The cookie is another one than the page began with: somebody logged in in another tab, or replaced it.
    if (problem.code === 'auth.csrf') void readLogin()
  },
})

type Body = { readonly method?: Method; readonly json?: unknown; readonly signal?: AbortSignal }

/** One request to the gate. Throws a `ProblemError` unless it succeeds. */
export async function ask<T>(path: string, { method = 'GET', ...more }: Body = {}): Promise<T> {
  return (await gate.send(method, path, more)) as T
}

/** The same for an answer that is not JSON, such as an export. */
export async function askBlob(path: string): Promise<Blob> {
  const answer = await gate.send('GET', path)
  return new Blob([typeof answer === 'string' ? answer : JSON.stringify(answer)])
}

export const withQuery = (path: string, query: Readonly<Record<string, string | number | undefined>>): string => {
  const words = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return words.length === 0 ? path : `${path}?${words.join('&')}`
}
