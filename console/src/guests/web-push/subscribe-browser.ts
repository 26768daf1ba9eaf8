import type { PushSubscriptionAnswer } from '../../../../server/src/kernel/contract/web-push.ts'
import { ask } from '../../api/client.ts'

const refused = (says: string) => new Error(says)

/** Why this browser cannot be notified of new calls, or undefined. */
export function noPush(): string | undefined {
  if (!isSecureContext)
    return 'Browsers show notifications only for pages over https or on this machine. Open the console at its https address.'
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
    ? undefined
    : 'This browser shows no notifications here. On an iPhone, add the console to the home screen first.'
}

/** Asks the person and the browser, and sends the subscription to the gate. */
export async function subscribeBrowser(public_key: string, name: string): Promise<PushSubscriptionAnswer> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw refused('you or the browser did not allow notifications')
  // It shows notifications and nothing else: it keeps no copy of a page.
  const worker = await navigator.serviceWorker.register(scriptUrl('/push-worker.js'))
  let subscription: PushSubscription
  try {
    subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key })
  } catch {
    throw refused('the push service of this browser did not answer')
  }
  const { endpoint, keys } = subscription.toJSON()
  return ask<PushSubscriptionAnswer>('/v1/push', { method: 'POST', json: { endpoint, keys, name } })
}

type Policies = {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): unknown }
}

/** Where scripts have to be trusted by name (the page's own security policy), this one is. */
function scriptUrl(url: string): string {
  const policies = (window as unknown as { readonly trustedTypes?: Policies }).trustedTypes
  if (policies === undefined) return url
  const own = (given: string) => {
    if (given !== '/push-worker.js') throw new TypeError('not a script of the console')
    return given
  }
  return policies.createPolicy('sluice-push-worker', { createScriptURL: own }).createScriptURL(url) as string
}
