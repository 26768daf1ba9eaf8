import type { ReadWord } from './read-word.ts'

/** What no agent may do with a shell, even if a person would approve it. */
export type Forbidden = { readonly rule: string; readonly says: string }

const WIPES: Forbidden = {
  rule: 'shell.wipes',
  says: 'changes or deletes everything below a folder outside the working folder',
}
const DISK: Forbidden = { rule: 'shell.disk', says: 'overwrites a disk' }
export const FORK_BOMB: Forbidden = { rule: 'shell.fork_bomb', says: 'starts copies of itself endlessly' }
export const REVERSE_SHELL: Forbidden = { rule: 'shell.reverse', says: 'gives another machine a shell' }
export const GATE: Forbidden = {
  rule: 'shell.gate',
  says: 'controls the gate itself, which only its operator may do, in a terminal of their own',
}

export const CLIENT: Forbidden = {
  rule: 'shell.client',
  says: "changes a coding agent's servers, plugins, hooks or settings, which only its user may do, in a terminal of their own",
}

const DISKS = /^\/dev\/(?!null$|zero$|full$|stdin$|stdout$|stderr$|tty|fd\/|shm\/|random$|urandom$|pts\/|tcp\/|udp\/)/

export const isDisk = (path: string): boolean => DISKS.test(path)

/** Programs with something forbidden. */
const MAY_BE_FORBIDDEN: ReadonlySet<string> = new Set(
  `blkdiscard chattr chgrp chmod chown cp dd find kill mkfs mkswap mv nc ncat netcat rm shred socat tee wipefs`.split(
    ' ',
  ),
)

export function forbiddenIn(name: string, words: readonly ReadWord[], cwd: string | undefined): Forbidden | undefined {
  // Called for every word that may be a program: the words after it are read only if it is one of these.
  if (!MAY_BE_FORBIDDEN.has(name)) return undefined
  const texts = words.map(({ text }) => text)
  const wide = () => words.some((word) => isWide(word, cwd))
  switch (name) {
    case 'rm':
    case 'chmod':
    case 'chown':
    case 'chgrp':
    case 'chattr':
      return isRecursive(texts) && wide() ? WIPES : undefined
    case 'shred':
    case 'wipefs':
    case 'blkdiscard':
    case 'mkswap':
      return texts.some(isDisk) ? DISK : undefined
    case 'mkfs':
      return DISK
    case 'dd':
      return texts.some((text) => text.startsWith('of=') && isDisk(text.slice(3))) ? DISK : undefined
    case 'cp':
    case 'tee':
      return texts.some(isDisk) ? DISK : undefined
    case 'mv':
      return texts.at(-1) === '/dev/null' ? WIPES : undefined
    case 'kill':
      return texts.indexOf('-1', 1) > 0 ? WIPES : undefined
    case 'nc':
    case 'ncat':
    case 'netcat':
      return texts.some((text) => /^-[a-z]*[ec]$|^--(?:sh-)?exec/.test(text)) ? REVERSE_SHELL : undefined
    case 'socat':
      return texts.some((text) => /^(?:exec|system|shell):/i.test(text)) ? REVERSE_SHELL : undefined
    case 'find':
      return deletesWide(words, cwd) ? WIPES : undefined
    default:
      return undefined
  }
}

const isRecursive = (texts: readonly string[]) =>
  texts.some((text) => /^-[a-zA-Z]*[rR]/.test(text) || (text.length > 4 && '--recursive'.startsWith(text)))

function deletesWide(words: readonly ReadWord[], cwd: string | undefined): boolean {
  const first = words.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-[HLPO]/.test(text))
  const roots = first < 0 ? words : words.slice(0, first)
  const rest = first < 0 ? [] : words.slice(first).map(({ text }) => text)
  const deletes = rest.some(
    (text, at) =>
      text === '-delete' || (/^-(?:exec|ok)/.test(text) && /(?:^|\/)(?:rm|shred)$/.test(rest[at + 1] ?? '')),
  )
  // Below the working folder `find` searches for something; what it finds is not everything.
  return deletes && roots.some((word) => !/^\.(?:\/\.?)*$/.test(word.text) && isWide(word, cwd))
}

/** Folders for temporary files. */
const SCRATCH = /^\/(?:private\/)?(?:var\/)?tmp\/[^/]/

/**
 * Whether a target is a whole tree outside the agent's work: the root, a home folder, the working folder itself or anything above
 * or beside it. A target that depends on a variable is not wide, unless an empty variable would make it so.
 */
export function isWide(word: ReadWord, cwd: string | undefined): boolean {
  if (word.text.startsWith('-')) return false
  const home = word.text.replace(/^\$(?:HOME\b|\{HOME\})/, '~')
  const text = home === word.text && !word.literal ? word.sure : home
  const path = withoutEverythingBelow(text)
  if (path === '') return text.startsWith('/')
  if (/^(?:\*+|\.\*?|\.\[.*|\.\?.*|~[^/]*)$/.test(path)) return true
  if (path.startsWith('~/')) return !word.literal || cwd === undefined || !isBelowHome(path, cwd)
  const parts = namesOf(path)
  if (parts.includes('..')) return true
  if (!path.startsWith('/')) return false
  const whole = `/${parts.join('/')}`
  // A working folder that is a root or a home folder protects nothing.
  if (cwd !== undefined && /^(?:\/[^/]+){3}/.test(cwd) && whole.startsWith(`/${namesOf(cwd).join('/')}/`)) return false
  return !SCRATCH.test(whole) || /^\/[^/]*\*/.test(whole)
}

/** `/srv/data/./*` is all of `/srv/data`. One pass from the end: a word may be a megabyte of slashes. */
function withoutEverythingBelow(path: string): string {
  const parts = path.split('/')
  let end = parts.length
  while (end > 1 && /^(?:\*+|\.\*|\.)?$/.test(parts[end - 1] ?? '')) end -= 1
  return parts.slice(0, end).join('/')
}

/** `~/code/app/build` is below `/home/me/code/app`. */
const isBelowHome = (path: string, cwd: string) =>
  cwd.split('/').length > 3 && path.startsWith(`~/${cwd.split('/').slice(3).join('/')}/`)

function namesOf(path: string): string[] {
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '..' && names.length > 0 && names.at(-1) !== '..') names.pop()
    else if (name === '..' && path.startsWith('/')) continue
    else if (name !== '' && name !== '.') names.push(name)
  }
  return names
}

/** Read-only commands of the gate. */
const LOOKS = new Set(['search', 'card', 'doctor', 'help', 'mcp', '--help', '--version', '-h'])

/** Whether the words are a command of the gate that is not read-only. */
export function isGateCommand(words: readonly ReadWord[]): boolean {
  return words.some(({ text }, at) => {
    if (!/(?:^|\/)sluice(?:@[\w.-]+)?$/.test(text)) return false
    const next = words[at + 1]?.text
    return next !== undefined && /^[a-z-]+$/.test(next) && !LOOKS.has(next)
  })
}

/** Coding agents and editors, by the names of their programs and packages. */
const CLIENTS =
  /(?:^|\/)(?:claude(?:-code)?|codex|gemini(?:-cli)?|qwen(?:-code)?|copilot(?:-cli)?|opencode(?:-ai)?|cursor(?:-agent)?|code(?:-insiders|-server)?|codium|vscodium|windsurf|kiro(?:-cli)?|q|amp|droid|auggie|goose|crush|zed)(?:\.exe|\.cmd)?(?:@[\w.-]+)?$/
const MANAGED = /^(?:mcp|plugins?|extensions?|hooks?|skills?|config|features|settings|marketplace|configure)$/
const CLIENT_LOOKS = new Set(['list', 'ls', 'get', 'show', 'help', 'status', 'doctor', 'validate', 'serve', 'server'])
const MANAGING = /^--(?:(?:un)?install-extension|add-mcp|update-extensions|disable-extension)(?:=|$)/

/**
 * Whether the words are a command of a coding agent that changes what it runs: `claude mcp add`, `code --install-extension`.
 * `anywhere`: any of the words may be the program that is started.
 */
export function isClientCommand(words: readonly ReadWord[], anywhere: boolean): boolean {
  return words.some(({ text }, at) => {
    if ((at > 0 && !anywhere) || !CLIENTS.test(text)) return false
    const rest = words.slice(at + 1, at + 20).map((word) => word.text)
    const managed = rest.findIndex((word) => MANAGED.test(word))
    const next = rest.slice(managed + 1).find((word) => !word.startsWith('-'))
    const isManaging = managed >= 0 && rest.slice(0, managed).every((word) => word.startsWith('-'))
    if (isManaging && rest[managed] === 'configure') return true
    return rest.some((word) => MANAGING.test(word)) || (isManaging && next !== undefined && !CLIENT_LOOKS.has(next))
  })
}
