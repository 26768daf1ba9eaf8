import { DECIDING_KINDS, LOCAL_OWNER } from '../../kernel/contract/caller.ts'
import { configuredChannels } from '../../kernel/approvals/channels.ts'
import type { Config } from '../../kernel/contract/config.ts'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import { clientFor } from '../../adapters/cli/client.ts'
import { fieldsOf, itemsOf, textOf } from '../../adapters/cli/print.ts'
import { unanswered } from './check-servers.ts'
import { placesIn } from '../data-folder.ts'

/** Whether there are two people for requests that two should decide. Asks the running gate. */
export async function checkApprovers(
  data: string,
  { auth, channels, approvals }: Pick<Config, 'auth' | 'channels' | 'approvals'>,
): Promise<readonly DoctorFinding[]> {
  const unknown = (because: string): readonly DoctorFinding[] => [
    { severity: 'note', about: 'approvals', says: `how many people can approve is not known here: ${because}` },
  ]
  if (auth.oidc.length > 0) return unknown('an identity provider gives people their roles')
  const reply = await clientFor({ socket: placesIn(data).socket })('GET', '/v1/keys?limit=200')
  if (reply.status !== 200) return unanswered('its keys', reply)
  if (fieldsOf(reply.body)['next'] !== undefined) return unknown('there are more than 200 keys')
  const deciding = itemsOf(reply.body)
    .filter((key) => key['state'] === 'active')
    .map((key) => fieldsOf(key['caller']))
    .filter(({ kind }) => DECIDING_KINDS.some((one) => one === kind))
  const callbacks = configuredChannels(channels).flatMap(({ callback }) =>
    callback === undefined ? [] : [callback.user ?? callback.approver],
  )
  const people = new Set([LOCAL_OWNER.user, ...callbacks, ...deciding.map(({ user }) => textOf(user))])
  const groups = checkGroups(approvals, people)
  if (people.size > 1) return groups
  return [
    ...groups,
    {
      severity: 'note',
      about: 'approvals',
      says: 'there is only one approver: if a preset requires two people, that approver is asked for a passphrase instead',
      do: 'set one with `sluice passphrase set`, or give a second person a key: `sluice keys create approver NAME`',
    },
  ]
}

/** Members of groups who cannot log in, and routes that ask for more people than there are. */
export function checkGroups(
  { groups, routes }: Pick<Config['approvals'], 'groups' | 'routes'>,
  people: ReadonlySet<string>,
): readonly DoctorFinding[] {
  const about = 'approvals'
  const absent = Object.entries(groups).flatMap(([group, members]): DoctorFinding[] => {
    const without = members.filter((member) => !people.has(member))
    if (without.length === 0) return []
    const says = `these members of the group \`${group}\` have no key: ${without.join(', ')}`
    return [{ severity: 'warning', about, says, do: 'give each a key: `sluice keys create approver NAME --user NAME`' }]
  })
  const few = routes.flatMap(({ id, group, people: wanted, escalation }): DoctorFinding[] => {
    if (group === undefined) return []
    const able = (groups[group] ?? []).filter((member) => people.has(member)).length
    if (able >= wanted) return []
    const later = escalation === undefined ? '' : `, until the group \`${escalation.to}\` is asked too`
    const says = `the route \`${id}\` requires ${wanted} approvals from the group \`${group}\`, but only ${able} of its members can decide: nothing is approved${later}`
    return [{ severity: 'error', about, says, do: 'give more members of the group a key, or ask for fewer people' }]
  })
  return [...absent, ...few]
}
