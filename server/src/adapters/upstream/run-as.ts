import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'

/** The user a tool server runs as, if it is not the gate's. */
export type RunAs = { readonly user: string; readonly uid: number; readonly gid: number; readonly home: string }

/**
 * Looks a user up by name. Only root can start a process as somebody else; otherwise such a configuration is rejected, because a
 * server that quietly ran as the gate's own user could read the gate's keys.
 */
export function runAs(user: string, where: string): Result<RunAs> {
  const fault = (says: string) => refuse('config.invalid', { paths: `${where}: ${says}` })
  if (process.getuid === undefined) return fault('servers run as another user on POSIX systems only')
  if (process.getuid() !== 0) return fault('only a gate that runs as root can start a server as another user')
  const found = inPasswd(user) ?? byId(user)
  if (found === undefined) return fault(`there is no user \`${user}\``)
  if (found.uid === 0) return fault('a server that runs as root can read all data of the gate')
  return ok({ user, ...found })
}

/** For `spawn`, which then also drops all further groups of the gate. */
export const idsOf = (as: RunAs | undefined): { uid?: number; gid?: number } =>
  as === undefined ? {} : { uid: as.uid, gid: as.gid }

type Found = Pick<RunAs, 'uid' | 'gid' | 'home'>

function inPasswd(user: string): Found | undefined {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
    const [, , uid, gid, , home] = lines.map((line) => line.split(':')).find(([name]) => name === user) ?? []
    return uid === undefined || gid === undefined
      ? undefined
      : { uid: Number(uid), gid: Number(gid), home: home ?? '/' }
  } catch {
    return undefined
  }
}

/** Users that are in no file but in a directory service. */
function byId(user: string): Found | undefined {
  try {
    const ask = (flag: string) =>
      Number(execFileSync('id', [flag, '--', user], { stdio: ['ignore', 'pipe', 'ignore'] }))
    return { uid: ask('-u'), gid: ask('-g'), home: '/' }
  } catch {
    return undefined
  }
}
