import type { Finding } from '../../doors/cli/boot-reports.ts'
import { dataInReach, reachSays, REACH_REMEDY } from '../data-in-reach.ts'
import type { Settings } from '../load-config.ts'

/** Whether a server for files is given a folder that holds the data folder. */
export function checkReach(settings: Settings): readonly Finding[] {
  return dataInReach(settings).map((reach) => ({
    severity: 'warning',
    about: `server ${reach.server}`,
    says: reachSays(reach),
    do: REACH_REMEDY,
  }))
}
