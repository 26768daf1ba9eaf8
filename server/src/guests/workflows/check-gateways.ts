import type { DocumentFault } from './raw-document.ts'
import { Constraint } from './workflow-document.ts'
import { conditionOf } from './capabilities.ts'
import { twice } from './check-trust.ts'
import { parseSchedule } from './cron.ts'
import type { LocatedDocument } from './locate-document.ts'
import { listIn, mapIn, textIn } from './raw-document.ts'

/** Checks for invalid schedules, undeclared secrets, duplicate names and constraints that cannot hold. */
export function checkGateways(located: LocatedDocument): DocumentFault[] {
  const secrets = new Set(listIn(located.value, 'secrets').map((one) => textIn(one, 'name')))
  const faults: DocumentFault[] = []
  for (const [index, gateway] of listIn(located.value, 'gateways').entries()) {
    const config = mapIn(gateway, 'config')
    const at = (key: string, says: string) => faults.push(located.at(['gateways', index, 'config', key], says))
    const schedule = textIn(config, 'schedule')
    if (textIn(gateway, 'type') === 'cron' && schedule !== undefined) {
      const parsed = parseSchedule(schedule)
      if (!parsed.ok) at('schedule', parsed.says)
    }
    const secret = textIn(config, 'secret')
    if (textIn(gateway, 'type') === 'webhook' && secret !== undefined && !secrets.has(secret))
      at('secret', `no entry of \`secrets\` is called \`${secret}\``)
  }
  for (const [index, capability] of listIn(located.value, 'capabilities').entries())
    for (const [argument, wanted] of Object.entries(mapIn(capability, 'constraints'))) {
      const read = Constraint.safeParse(wanted)
      const condition = read.success ? conditionOf({ [argument]: read.data }) : undefined
      if (condition?.ok === false)
        faults.push(located.at(['capabilities', index, 'constraints', argument], condition.says))
    }
  return [
    ...faults,
    ...twice(located, ['gateways'], 'name', 'two gateways are called'),
    ...twice(located, ['secrets'], 'name', 'two secrets are called'),
    ...twice(located, ['mcps'], 'name', 'two servers are called'),
    ...twice(located, ['capabilities'], 'name', 'two capabilities are called'),
  ]
}
