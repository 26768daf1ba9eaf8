import { DECIDING_KINDS, LOCAL_OWNER } from '../../contract/caller.ts'
import type { Config } from '../../contract/config.ts'
import type { Finding } from '../../doors/cli/boot-reports.ts'
import { clientFor } from '../../doors/cli/client.ts'
import { fieldsOf, itemsOf, textOf } from '../../doors/cli/print.ts'
import { placesIn } from '../data-folder.ts'

/** Whether two people can be had for what two people should decide. Asked of the running gate. */
export async function checkApprovers(
  data: string,
  { auth, channels }: Pick<Config, 'auth' | 'channels'>,
): Promise<readonly Finding[]> {
  // Who gets a role from an issuer is not known here.
  if (auth.oidc.length > 0) return []
  const reply = await clientFor({ socket: placesIn(data).socket })('GET', '/v1/keys?limit=200')
  if (reply.status !== 200 || fieldsOf(reply.body)['next'] !== undefined) return []
  const deciding = itemsOf(reply.body)
    .filter((key) => key['state'] === 'good')
    .map((key) => fieldsOf(key['caller']))
    .filter(({ kind }) => DECIDING_KINDS.some((one) => one === kind))
  const callbacks = channels.webhooks.flatMap(({ callback }) =>
    callback === undefined ? [] : [callback.user ?? callback.approver],
  )
  const people = new Set([LOCAL_OWNER.user, ...callbacks, ...deciding.map(({ user }) => textOf(user))])
  if (people.size > 1) return []
  return [
    {
      severity: 'note',
      about: 'approvals',
      says: 'there is only one approver, so where a preset would ask two people, that person is asked for a passphrase',
      do: 'set one with `sluice passphrase set`, or give a second person a key: `sluice keys create approver NAME`',
    },
  ]
}
