import type { Finding } from '../../doors/cli/boot-reports.ts'
import { dataInReach, reachSays, REACH_REMEDY } from '../data-in-reach.ts'
import type { Settings } from '../load-config.ts'

/** Whether a file server has access to a folder that contains the data folder. */
export function checkReach(settings: Settings): readonly Finding[] {
  return dataInReach(settings).map((reach) => ({
    severity: 'warning',
    about: `server ${reach.server}`,
    says: reachSays(reach),
    do: REACH_REMEDY,
  }))
}
