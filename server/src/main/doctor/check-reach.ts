import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import { serversReachingData, reachSays, REACH_REMEDY } from '../servers-reaching-data.ts'
import type { Settings } from '../load-config.ts'

/** Whether a file server has access to a folder that contains the data folder. */
export function checkReach(settings: Settings): readonly DoctorFinding[] {
  return serversReachingData(settings).map((reach) => ({
    severity: 'warning',
    about: `server ${reach.server}`,
    says: reachSays(reach),
    do: REACH_REMEDY,
  }))
}
