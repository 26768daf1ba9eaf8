import { ok } from '../../kernel/contract/problems.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { openWebPush } from './web-push.ts'
import { notifyBrowsers } from './web-push-use.ts'

export const prepareWebPush: PrepareGuest = ({ config, places, stopping }) => {
  const { push_services, url } = config.channels
  const webPush = openWebPush(places.keys, {
    post: pushPost(stopping),
    clock: Date.now,
    services: push_services,
    subject: url?.startsWith('https:') === true ? url : 'mailto:sluice@localhost',
  })
  return ok({
    ports: { webPush },
    open(ports) {
      notifyBrowsers(ports)
      return {}
    },
  })
}

const ANSWER_MS = 5_000

/** Posts to a push service. Redirects are not followed, because nobody allowed their target. */
const pushPost =
  (stopping: AbortSignal) =>
  async (url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<number | undefined> => {
    try {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)])
      const answer = await fetch(url, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
        redirect: 'manual',
        signal,
      })
      await answer.body?.cancel()
      return answer.status
    } catch {
      return undefined
    }
  }
