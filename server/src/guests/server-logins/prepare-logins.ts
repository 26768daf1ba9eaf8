import { ok } from '../../kernel/contract/problems.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { openLogins } from './open-server-logins.ts'
import { loginSecrets } from './server-logins.ts'

export const prepareLogins: PrepareGuest = ({ config, places: { keys }, clock, log, url, onSecrets }) => {
  const logins = openLogins({
    keys,
    clock,
    base: () => (config.channels.url ?? url()).replace(/\/$/, ''),
    warn: (server, says) => log('warn', says, { server }),
    onSecrets,
  })
  return ok({ ports: { logins, connectionLogins: logins }, secrets: () => loginSecrets(keys) })
}
