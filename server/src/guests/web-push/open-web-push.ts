import { ok } from '../../kernel/contract/problems.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { pushPost } from './push-post.ts'
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
