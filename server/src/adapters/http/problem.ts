import { issueLines } from '../../kernel/contract/issue-lines.ts'
import { problem, specOf, type Problem } from '../../kernel/contract/problems.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'

/** RFC 9457. */
export function problemBody(found: Problem, trace: string) {
  const { code, about } = found
  const { http, says, do: remedy, retry } = specOf(found)
  return {
    code,
    title: says,
    detail: about['message'] ?? remedy,
    status: http,
    retry,
    about: shownAbout(about),
    trace_id: trace,
  }
}

/** Others may have chosen names and paths in it, so invisible characters are escaped. Line breaks are not. */
function shownAbout(about: Problem['about']): Problem['about'] {
  const shown = (text: string) => text.split('\n').map(visibleText).join('\n')
  return Object.fromEntries(Object.entries(about).map(([name, text]) => [name, shown(text)]))
}

/** `more`: further fields of the refusal, for example the evidence of a verdict or a call's id. */
export function problemResponse(found: Problem, trace: string, more: Readonly<Record<string, unknown>> = {}): Response {
  const { http } = specOf(found)
  const headers: Record<string, string> = { 'content-type': 'application/problem+json' }
  if (http === 401) headers['www-authenticate'] = 'Bearer realm="sluice"'
  const { retry_after_s, allow } = found.about
  if (retry_after_s !== undefined) headers['retry-after'] = retry_after_s
  if (allow !== undefined) headers['allow'] = allow
  return new Response(JSON.stringify({ ...problemBody(found, trace), ...more }), { status: http, headers })
}

/** Monitors expect 503, whatever the status of the problem is elsewhere. */
export const notReady = (found: Problem, trace: string): Response =>
  Response.json(
    { ...problemBody(found, trace), status: 503 },
    { status: 503, headers: { 'content-type': 'application/problem+json' } },
  )

export const jsonResponse = (status: number, body: unknown): Response => Response.json(body, { status })

/** The fields that are wrong, by path; never their values. */
export const invalidRequest = (issues: Parameters<typeof issueLines>[0]): Problem =>
  problem('request.invalid', { paths: issueLines(issues, 'the body').join('; ') })
