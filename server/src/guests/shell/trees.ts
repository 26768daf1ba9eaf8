import type { ReadWord } from './read-word.ts'
import type { ShellReader } from './reader.ts'

const TAKES = new Set('mv rm rmdir unlink shred trash trash-put rename chmod chown chgrp chattr'.split(' '))
const GOES_THROUGH = new Set('ln rsync scp tar bsdtar unzip cpio ditto'.split(' '))
/** Their last operand, or the value of `-t`, is where the others are put. */
const HAS_TARGET = new Set('mv cp ln install rsync scp ditto'.split(' '))

/** Notes what happens to folders that a program moves, removes, copies, links or unpacks, and the folders it is told to work in. */
export function noteTrees(reader: ShellReader, name: string, words: readonly ReadWord[]): void {
  const texts = words.map(({ text }) => text)
  if (name === 'cd' || name === 'pushd') reader.folders.push(...texts.filter((text) => !text.startsWith('-')))
  if (WORKS_IN.has(name)) {
    const inside = texts.filter((_, at) => IN_FOLDER.test(texts[at - 1] ?? ''))
    const glued = texts.flatMap((text) => /^--(?:directory|chdir|cwd|prefix)=(.+)$/.exec(text)?.[1] ?? [])
    reader.folders.push(...inside, ...glued)
  }
  if (name === 'git' && texts.includes('clean')) reader.trees.push({ text: '.', use: 'goes through' })
  if (!HAS_TARGET.has(name) && !TAKES.has(name) && !GOES_THROUGH.has(name) && name !== 'find') return
  const operands = texts.filter((text) => !text.startsWith('-'))
  if (name === 'find') {
    const roots = texts.slice(
      0,
      texts.findIndex((text) => /^[-(!]/.test(text) && !/^-[HLPO]/.test(text)),
    )
    const taken = roots.length === 0 ? ['.'] : roots
    if (texts.includes('-delete')) reader.trees.push(...taken.map((text) => ({ text, use: 'takes' as const })))
    return
  }
  const target = HAS_TARGET.has(name) ? targetOf(name, texts, operands) : undefined
  const sources = target === undefined ? operands : operands.filter((text) => text !== target)
  const isWhole = name !== 'cp' || texts.some((text) => /^-[a-zA-Z]*[rRa]|^--(?:rec|arc)/.test(text))
  const use = TAKES.has(name) ? 'takes' : 'goes through'
  if (isWhole && name !== 'install') reader.trees.push(...sources.map((text) => ({ text, use }) as const))
  if (target === undefined) return
  // On another machine nothing of this one is changed.
  if (!/^[^/]+:/.test(target)) reader.written.add(target)
  for (const source of sources) reader.written.add(`${target.replace(/\/+$/, '')}/${lastName(source)}`)
  // `cp -r new/. folder` puts everything of one folder into the other.
  const isMerged = isWhole && use !== 'takes' && sources.some((source) => /(?:^|\/)\.?$|[*?[{$]/.test(source))
  if (isMerged) reader.trees.push({ text: target, use: 'goes through' })
  if (isWhole && !target.endsWith('/')) reader.trees.push({ text: target, use: 'becomes' })
}

/** Settings of git that run nothing and lead to no other settings. */
const PLAIN_SETTING =
  /^(?:(?:user|author|committer|color|column|advice|pull|push|rebase|status|log|blame|rerere|stash|tag|versionsort)\..+|branch\..+\.(?:merge|remote|rebase|description|pushremote)|remote\..+\.(?:url|pushurl|fetch|push|prune)|core\.(?:autocrlf|eol|filemode|ignorecase|quotepath|abbrev|whitespace|longpaths|safecrlf|symlinks|compression|commentchar)|commit\.(?:gpgsign|verbose|cleanup)|init\.defaultbranch|fetch\.(?:prune|prunetags|parallel|all)|merge\.(?:ff|conflictstyle|renames|log)|diff\.(?:algorithm|renames|noprefix|colormoved))$/i

/** What `git config` sets may be a program that git starts: a hook, a pager, an alias. Undefined if it only sets how git works. */
export function gitSettings(words: readonly ReadWord[]): string | undefined {
  const texts = words.map(({ text }) => text)
  const at = texts.indexOf('config')
  if (at < 0 || texts.some((text) => /^(?:-f|--file(?:=.*)?)$/.test(text))) return undefined
  const key = texts.slice(at + 1).find((text) => /^[a-z][\w-]*\../i.test(text))
  return key !== undefined && PLAIN_SETTING.test(key) ? undefined : '.git/config'
}

/** Programs with an option whose value is the folder they work in. */
const WORKS_IN = new Set('git make gmake ninja env tar bsdtar npm pnpm yarn'.split(' '))
const IN_FOLDER = /^(?:-C|--directory|--chdir|--cwd|--prefix)$/
/** Programs of GNU whose `-t` names the target. */
const TAKES_TARGET = new Set('mv cp ln install'.split(' '))

function targetOf(name: string, texts: readonly string[], operands: readonly string[]): string | undefined {
  const at = texts.findIndex((text) => /^(?:-[a-zA-Z]*t|--target-directory)$/.test(text))
  if (at >= 0 && TAKES_TARGET.has(name)) return texts[at + 1]
  const glued = texts.flatMap((text) => /^--target-directory=(.+)$/.exec(text)?.[1] ?? []).at(0)
  return glued ?? (operands.length > 1 ? operands.at(-1) : undefined)
}

const lastName = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? path
