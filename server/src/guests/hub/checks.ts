import { HubKeysAnswer } from './hub.ts'
import type { CheckedConfig, DoctorFinding, GuestChecks } from '../../kernel/contract/doctor.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'

const ANSWER_MS = 5_000
const about = 'hub'

export const checks: GuestChecks = { findings: (checked, mayContact) => (mayContact ? checkHub(checked) : []) }

/** For a node: whether its hub answers, accepts its key, and signs with a pinned key. */
async function checkHub({ config, folder, env }: CheckedConfig): Promise<readonly DoctorFinding[]> {
  const { hub } = config
  // A control room cannot be checked without taking part in it.
  if (hub === undefined) return []
  if (hub.url === undefined || hub.key === undefined)
    return [{ severity: 'note', about, says: 'whether the hub answers in its room is not checked here' }]
  const key = secretOf(hub.key, folder, env)
  if (key === undefined || key === '')
    return [
      {
        severity: 'error',
        about,
        says: `the secret ${hub.key} is missing`,
        do: 'create a key at the hub: `sluice keys create node NAME`',
      },
    ]
  try {
    const answer = await fetch(new URL('v1/hub/key', hub.url.endsWith('/') ? hub.url : `${hub.url}/`), {
      headers: { authorization: `Bearer ${key}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    if (!answer.ok)
      return [
        {
          severity: 'error',
          about,
          says: `the hub at ${hub.url} answers with status ${answer.status}`,
          do: 'check `hub.url`, and that `hub.key` is a key of kind `node` that was not revoked',
        },
      ]
    const read = HubKeysAnswer.safeParse(await answer.json().catch(() => undefined))
    const active = read.success ? read.data.keys.find(({ state }) => state === 'active') : undefined
    if (active === undefined)
      return [
        {
          severity: 'error',
          about,
          says: `what answers at ${hub.url} names no active key, as a hub does`,
          do: 'check `hub.url`',
        },
      ]
    if (hub.public_keys.includes(active.public_key))
      return [{ severity: 'ok', about, says: `the hub at ${hub.url} answers and signs with a pinned key` }]
    return [
      {
        severity: 'error',
        about,
        says: `the hub at ${hub.url} signs with the key ${active.key}, which is not pinned: every held call is refused`,
        do: 'compare with `sluice hub key` at the hub itself, then add the key to `hub.public_keys`',
      },
    ]
  } catch (error) {
    return [
      {
        severity: 'error',
        about,
        says: `the hub at ${hub.url} gave no answer here (${causeOf(error)}): without one, held calls are refused after ${hub.answer_s} seconds`,
        do: 'start the hub, or correct `hub.url`',
      },
    ]
  }
}

/** `fetch` fails with a sentence that says nothing; the cause has the reason. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (typeof cause === 'object' && cause !== null && 'code' in cause) return String(cause.code)
  return error.name === 'TimeoutError' ? `nothing within ${ANSWER_MS / 1000} seconds` : error.message
}
