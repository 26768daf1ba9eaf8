import type { RunAs } from '../run-as.ts'

/** What a child gets of the gate's environment: enough to find programs and its home, nothing that could be a secret. */
const POSIX = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'SHELL', 'TMPDIR', 'TZ', 'USER']
const WINDOWS = ['APPDATA', 'COMSPEC', 'LOCALAPPDATA', 'PATHEXT', 'PROGRAMDATA', 'SYSTEMROOT', 'TEMP', 'USERPROFILE']

/**
 * In addition, `SLUICE_DATA`: a folder where the server may store its own data, beside the gate's.
 * INVARIANT: a variable of the gate reaches a child only if it is named above or in the child's own configuration.
 */
export function childEnv(
  configured: Readonly<Record<string, string>>,
  gate: Readonly<Record<string, string | undefined>>,
  data?: string,
  as?: RunAs,
): Record<string, string> {
  const inherited = [...POSIX, ...WINDOWS].flatMap((name) => {
    const value = gate[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const person = as === undefined ? {} : { HOME: as.home, USER: as.user, LOGNAME: as.user }
  const folder = data === undefined ? {} : { SLUICE_DATA: data }
  return { ...Object.fromEntries(inherited), ...person, ...folder, ...configured }
}
