/** Lines of a patch that name a file, in the formats of agents, of `diff` and of git. Programs accept spaces before them. */
const HEADER =
  /^\s*(?:\*\*\* (?:Add|Update|Delete) File: ?|\*\*\* Move to: ?|--- |\+\+\+ |\*\*\* (?!Begin |End )|Index: |(?:rename|copy) (?:from|to) )(?<path>.+)$/i
const GIT_HEADER = /^\s*diff --(?:git|cc|combined) (?<paths>.+)$/
/** What `diff` writes after a name: a tab, and the time. */
const AFTER_NAME = /\t.*$|\s+\d{4}-\d\d-\d\d \d\d:.*$/

/** The files that a patch changes, creates, removes or moves to, as written and without the `a/` and `b/` of git. */
export function patchedPaths(text: string): readonly string[] {
  if (!text.includes('\n')) return []
  const found = new Set<string>()
  const take = (name: string) => {
    const plain = unquoted(name.replace(AFTER_NAME, '').trim())
    if (plain === '' || plain === '/dev/null') return
    found.add(plain)
    if (/^[a-z]\/./.test(plain)) found.add(plain.slice(2))
  }
  for (const line of text.split(/\r\n?|\n/)) {
    const path = HEADER.exec(line)?.groups?.['path']
    if (path !== undefined) take(path)
    // Only a quoted name may contain a space there; without a change of name both are the same.
    for (const [name] of GIT_HEADER.exec(line)?.groups?.['paths']?.matchAll(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []) take(name)
  }
  return [...found]
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' }

/** Git quotes names with unusual characters: `"b/\056env"`. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name
  const bytes = name.slice(1, -1).replace(/\\([0-7]{1,3}|.)/g, (_, escape: string) => {
    const code = Number.parseInt(escape, 8)
    return Number.isNaN(code) ? (ESCAPES[escape] ?? escape) : String.fromCharCode(code)
  })
  try {
    return decodeURIComponent(bytes.replace(/[%\u0080-\u00ff]/g, (one) => `%${one.charCodeAt(0).toString(16)}`))
  } catch {
    return bytes
  }
}
