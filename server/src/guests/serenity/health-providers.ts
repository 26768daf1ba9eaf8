import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { HealthProvider } from './health-evidence.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { SerenityProvider } from './serenity.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'
import { withTimeout } from '../../adapters/upstream/with-timeout.ts'

const MOST_BYTES = 65_536

/** An operator's own provider, ready to be asked. A module that cannot be loaded, or a missing secret, is rejected. */
export async function openHealthProvider(
  settings: SerenityProvider,
  where: string,
  folder: string,
  timeout_ms: number,
): Promise<Result<HealthProvider>> {
  if ('module' in settings) return moduleProvider(settings.module, where, folder, timeout_ms)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  for (const [name, reference] of Object.entries(settings.headers)) {
    const value = secretOf(reference, folder, process.env)
    if (value === undefined)
      return refuse('config.invalid', { paths: `${where}.headers.${name}: the secret is missing` })
    headers[name] = value
  }
  const { origin, pathname } = new URL(settings.url)
  return ok({
    source: `${where} (${origin}${pathname})`,
    async ask(question) {
      const answer = await fetch(settings.url, {
        method: 'POST',
        headers,
        body: JSON.stringify(question),
        redirect: 'error',
        signal: AbortSignal.timeout(timeout_ms),
      })
      if (!answer.ok) {
        await answer.body?.cancel()
        return undefined
      }
      return JSON.parse(await shortText(answer)) as Json
    },
  })
}

type Ask = (question: unknown) => unknown

async function moduleProvider(
  path: string,
  where: string,
  folder: string,
  timeout_ms: number,
): Promise<Result<HealthProvider>> {
  let ask: unknown
  try {
    const loaded = (await import(pathToFileURL(resolve(folder, path)).href)) as Record<string, unknown>
    ask = loaded['ask'] ?? loaded['default']
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : 'it threw'
    return refuse('config.invalid', { paths: `${where}.module: cannot be loaded: ${why}` })
  }
  if (typeof ask !== 'function')
    return refuse('config.invalid', { paths: `${where}.module: exports no function \`ask\`` })
  const asked = ask as Ask
  return ok({
    source: `${where} (${path})`,
    ask: async (question) => {
      const answer = await withTimeout(answerOf(asked, question), timeout_ms)
      return answer === undefined ? undefined : (JSON.parse(answer) as Json)
    },
  })
}

/** As if it had come over a network: an exception or something that is not JSON is no answer. */
async function answerOf(ask: Ask, question: unknown): Promise<string | undefined> {
  try {
    return JSON.stringify(await ask(question))
  } catch {
    return undefined
  }
}

async function shortText(answer: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body ?? []) {
    size += part.byteLength
    if (size > MOST_BYTES) throw new Error('the answer is too large')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
