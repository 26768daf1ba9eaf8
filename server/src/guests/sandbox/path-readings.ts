import { decodedPath } from '../../kernel/text/path-parts.ts'

/** Why a text is rejected as a path before it is resolved. */
export type PathFault =
  'control_character' | 'network' | 'drive' | 'encoded' | 'home' | 'variable' | 'dots' | 'url' | 'too_long'

export type PathReadings =
  | { readonly is: 'refused'; readonly fault: PathFault }
  /** Every path that some program could read the text as. All of them must be acceptable. */
  | { readonly is: 'read'; readonly paths: readonly string[] }

/** The machine on which the paths will be resolved. */
export type Machine = { readonly windows: boolean; readonly home: string }

/** Some programs read `//host/x` as another machine; all read `///x` as `/x`. */
const NETWORK = /^(?:[\\/]{2}(?!\/)|\\\\)/
const FILE_URL = /^file:(?:\/\/(?<host>[^/]*))?(?<path>\/.*)?$/i
/** No operating system accepts a longer path. */
const LONGEST = 4096
const SCHEME = /^[a-z][a-z0-9+.-]*:(?=\/{3})/i
const VARIABLE = /^(?:\$\{?[A-Z_][A-Z0-9_]*\}?|\$env:.*|%[A-Za-z_]\w*%)(?:[\\/]|$)/

/**
 * A tool may trim a path, read a backslash as a slash, expand `~`, fold full-width letters, or shorten `a/../b` before it follows
 * links. Which of these it does is unknown, so every reading is checked.
 * INVARIANT: a text that could be decoded into other dots and slashes, or that names another machine, is rejected.
 */
export function pathReadings(written: string, machine: Machine): PathReadings {
  // Empty names and `.` change nothing, and a long path may contain many.
  const text = written.length > LONGEST ? collapsed(written.trim()) : written
  if (text.length > LONGEST * 4) return { is: 'refused', fault: 'too_long' }
  const opened = /^\s*file:/i.test(text.normalize('NFKC'))
    ? pathOfUrl(text.normalize('NFKC').trim(), machine)
    : { path: text.trim().replace(SCHEME, '') === text.trim() ? text : text.trim().replace(SCHEME, '') }
  if ('fault' in opened) return { is: 'refused', fault: opened.fault }
  if (opened.path.length > LONGEST && shortened(opened.path).length > LONGEST)
    return { is: 'refused', fault: 'too_long' }
  const spellings = new Set([opened.path, opened.path.trim(), opened.path.trim().normalize('NFKC')])
  const paths = new Set<string>()
  for (const spelling of spellings) {
    const fault = faultOf(spelling, machine)
    if (fault !== undefined) return { is: 'refused', fault }
    for (const path of readingsOf(spelling, machine)) {
      // `/../\host` without its parent folder is `/\host`, which Windows reads as another machine.
      if (NETWORK.test(path)) return { is: 'refused', fault: 'network' }
      paths.add(path)
    }
  }
  return { is: 'read', paths: [...paths] }
}

function pathOfUrl(url: string, machine: Machine): { path: string } | { fault: PathFault } {
  const parts = FILE_URL.exec(url)?.groups
  if (parts?.['path'] === undefined || /[?#]/.test(url)) return { fault: 'url' }
  const host = (parts['host'] ?? '').toLowerCase()
  if (host !== '' && host !== 'localhost') return { fault: 'network' }
  if (/%(?:2f|5c|00)/i.test(parts['path'])) return { fault: 'encoded' }
  try {
    const path = decodeURIComponent(parts['path'])
    return { path: machine.windows ? path.replace(/^\/(?=[A-Za-z]:)/, '') : path }
  } catch {
    return { fault: 'encoded' }
  }
}

function faultOf(path: string, machine: Machine): PathFault | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is looked for
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) return 'control_character'
  if (isEncoded(path)) return 'encoded'
  if (NETWORK.test(path)) return 'network'
  if (machine.windows ? /^[A-Za-z]:(?![\\/])/.test(path) : /^[A-Za-z]:/.test(path)) return 'drive'
  if (/^~[^\\/]/.test(path)) return 'home'
  if (VARIABLE.test(path)) return 'variable'
  // `...` and `.. ` are names on one file system and the parent folder on another.
  const isDots = (name: string) => /^[.\s]{2,}$/.test(name) && name !== '..' && /\./.test(name)
  return path.split(/[\\/]/).some(isDots) ? 'dots' : undefined
}

/** Whether decoding it, in any number of layers, adds a character that decides where a path leads. */
function isEncoded(path: string): boolean {
  const decoded = decodedPath(path)
  return decoded === undefined || signsIn(decoded) > signsIn(path.normalize('NFKC'))
}
const signsIn = (path: string): number => path.split(/[./\\~\0]/).length

function readingsOf(path: string, machine: Machine): string[] {
  const expanded = /^~(?:[\\/]|$)/.test(path) ? [path, `${machine.home}${path.slice(1)}`] : [path]
  const slashed = expanded.flatMap((one) => (one.includes('\\') ? [one, one.replaceAll('\\', '/')] : [one]))
  return slashed.flatMap((one) => {
    const short = one.length > LONGEST || one.includes('..') || one.startsWith('//') ? shortened(one) : one
    return one.length > LONGEST || one === short ? [short] : [one, short]
  })
}

const collapsed = (path: string) => path.replace(/\/(?:\.?\/)+/g, '/')

/** `a/../b` as `b`: how a program reads a path that it normalizes before following links. */
function shortened(path: string): string {
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '.' || name === '') continue
    const isParent = name === '..' && names.length > 0 && names.at(-1) !== '..'
    if (isParent) names.pop()
    else if (name !== '..' || !path.startsWith('/')) names.push(name)
  }
  return `${path.startsWith('/') ? '/' : ''}${names.join('/')}`
}
