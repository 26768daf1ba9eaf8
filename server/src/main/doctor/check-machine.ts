import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { specOf, type Problem } from '../../kernel/contract/problems.ts'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import { checkAddress } from '../check-address.ts'
import { storeState, type StoreSettings } from '../../adapters/stores/open-store.ts'
import { openLiveKeys } from '../open-data-folder.ts'

const LEAST_NODE = 24
const LOW_BYTES = 1_073_741_824
const NO_BYTES = 104_857_600

export function checkNodeJs(version: string): DoctorFinding {
  const major = Number(/^v(\d+)/.exec(version)?.[1] ?? 0)
  const about = 'node'
  return major >= LEAST_NODE
    ? { severity: 'ok', about, says: version }
    : {
        severity: 'error',
        about,
        says: `${version} is too old`,
        do: `run it with Node ${LEAST_NODE} or later; the packaged one is used when it is installed`,
      }
}

/** Who can read and write the data folder, and whether there is free space. */
export async function checkData(store: StoreSettings): Promise<readonly DoctorFinding[]> {
  const about = 'data folder'
  const data = store.folder
  if (!existsSync(data))
    return [{ severity: 'note', about, says: `${data} will be created at the first start` }, ...roomAt(dirname(data))]
  const findings: DoctorFinding[] = []
  const { mode, uid } = statSync(data)
  const others = process.platform === 'win32' ? 0 : mode & 0o077
  if (others !== 0)
    findings.push({
      severity: 'error',
      about,
      says: `${data} is readable by other users (${(mode & 0o777).toString(8)}): they could read keys and results`,
      do: `chmod 700 ${data}`,
    })
  const me = process.getuid?.()
  if (me !== undefined && uid !== me)
    findings.push({
      severity: 'error',
      about,
      says: `${data} belongs to user ${uid}, you are ${me}`,
      do: `run the gate as its owner, or \`chown -R ${me} ${data}\``,
    })
  const state = await storeState(store)
  if (!state.ok) findings.push(storeFault(state.problem))
  else if (state.value !== undefined) findings.push(...keysIn(data))
  return [...(findings.length > 0 ? findings : [{ severity: 'ok', about, says: data } as const]), ...roomAt(data)]
}

/** Why the store cannot even be read. */
export function storeFault(problem: Problem): DoctorFinding {
  const spec = specOf(problem)
  const { store = '', says = spec.says } = problem.about
  return { severity: 'error', about: 'store', says: says === '' ? store : `${store}: ${says}`, do: spec.do }
}

function keysIn(data: string): readonly DoctorFinding[] {
  const keys = openLiveKeys(data, false)
  if (keys.ok) return []
  const { file = '', why = '' } = keys.problem.about
  return [
    {
      severity: 'error',
      about: 'keys',
      says: `${file}: ${why}`,
      do: 'restore the keys folder from a backup, or run `sluice keys reset`; see docs/operate/problems.md',
    },
  ]
}

function roomAt(folder: string): readonly DoctorFinding[] {
  if (!existsSync(folder)) return []
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (free >= LOW_BYTES) return []
  const says = `${Math.round(free / 1_048_576)} MiB are free; when the disk is full, the gate refuses every call`
  return [
    {
      severity: free < NO_BYTES ? 'error' : 'warning',
      about: 'disk',
      says,
      do: 'free some space, or move the data folder (`data:`)',
    },
  ]
}

/** Whether the gate could listen on the port. Only checked if no gate of ours uses it. */
export async function checkPort(host: string, port: number): Promise<readonly DoctorFinding[]> {
  const free = await checkAddress(host, port)
  if (free.ok) return []
  const { address, because } = free.problem.about
  return [
    {
      severity: 'error',
      about: 'port',
      says: `the gate cannot listen on ${address}: ${because}`,
      do: 'stop the program that listens there, or set another `listen.port`',
    },
  ]
}
