import type { DiskLook, FileFacts } from '../../../kernel/ports/files.ts'
import type { Sandbox } from '../section.ts'
import type { Call } from '../../../kernel/contract/call.ts'
import { isJsonObject, type Json } from '../../../kernel/contract/json.ts'
import { inForce, type Tool } from '../../../kernel/contract/tool.ts'
import { argsOf } from '../../../kernel/attempt/call-args.ts'
import { argumentTexts, type ArgumentText, type ArgumentTexts } from '../argument-texts.ts'
import { fileArguments, type FileArgument, type FileArguments } from '../file-arguments.ts'
import type { FileFact, FilesFact } from '../files-fact.ts'
import { braceVariants } from '../../../kernel/text/brace-variants.ts'
import { CLIENT_PLACES } from '../client-files.ts'
import { encodedPaths } from '../encoded-paths.ts'
import { isPattern } from '../../../kernel/text/glob-reach.ts'
import { looseReadings } from '../loose-readings.ts'
import { mentionsOf } from '../mentions.ts'
import { patchedPaths } from '../../../kernel/text/patched-paths.ts'
import { pathReadings, type Machine } from '../path-readings.ts'
import { sensitiveName } from '../../../kernel/text/sensitive-names.ts'
import { withoutSecretPlaces } from '../../../kernel/json/split-secrets.ts'
import { shownPointer } from '../../../kernel/text/shown-pointer.ts'
import { gateOf, isAbsolute, mayNameFiles, namedFiles, pairedFiles } from './gate-reach.ts'
import { linkedBy } from './linked-by.ts'
import type { YieldWhenDue, MaybePromise } from '../../../kernel/ports/runtime.ts'
import { SMALL_TEXT } from '../../../kernel/ports/scanner.ts'
import { settingsOf, type Judgement } from '../../../kernel/decide/judging.ts'

export type FilesPorts = {
  readonly files: FileFacts
  readonly judgement: Pick<Judgement, 'servers' | 'commandOf'>
  readonly yieldWhenDue?: YieldWhenDue
}

/** No legitimate call needs more paths, and resolving more would take too long. */
const MOST_FILES = 1000
/** This many single words are looked up one by one; beyond that, only those that are links. */
const FEW_WORDS = 16
const LONGEST = 4096

/**
 * Which arguments name files, or could, and where these lead: on every server, because no tool may access the gate's own files.
 * Arguments that name none, which is most of them, are recognized without a promise.
 */
export function filesFact(deps: FilesPorts, call: Call, tool: Tool): MaybePromise<FilesFact> {
  const { judgement, files } = deps
  const sandbox = Object.hasOwn(judgement.servers, call.server) ? judgement.servers[call.server]?.sandbox : undefined
  const args = withoutSecretPlaces(argsOf(call))
  const all = withPatched(tool, args, argumentTexts(args))
  if (call.canonical_args.length > SMALL_TEXT) return filesIn(deps, call, tool, sandbox, args, all)
  const found = fileArguments(args, settingsOf(judgement, tool)?.files, all, tool.paths)
  const named = commandWords(judgement, tool, call)
  const look = files.look(call.server, foldersOf(tool, args, named?.folders ?? []))
  const isQuiet = found.found.length === 0 && !found.too_many && named === undefined && namesNothing(all.texts, look)
  if (isQuiet && sandbox?.local !== true) return sandbox === undefined ? NO_FILES : NO_REMOTE_FILES
  return lookAt(deps, call, tool, { sandbox, all, found, named, look, pause: async () => undefined })
}

/** A patch names its files in its headers; the rest of it is text. */
function withPatched(tool: Tool, args: Json, all: ArgumentTexts): ArgumentTexts {
  // A tool that the gate does not know stands among the arguments of another one.
  const named = isJsonObject(args) && typeof args['tool'] === 'string' ? args['tool'] : ''
  if (!/patch|diff/i.test(`${tool.row.definition.name} ${named}`)) return all
  const texts = all.texts.flatMap((one): readonly ArgumentText[] => {
    const paths = patchedPaths(one.text)
    if (paths.length === 0) return [one]
    return [{ ...one, kind: 'content' }, ...paths.map((text) => ({ text, path: one.path, kind: 'file' as const }))]
  })
  return { ...all, texts }
}

const NO_FILES: FilesFact = { sandbox: 'none', args: [], too_many: false }
const NO_REMOTE_FILES: FilesFact = { ...NO_FILES, sandbox: 'remote' }

/** The same for long arguments: the event loop runs between two parts of the work. */
async function filesIn(
  deps: FilesPorts,
  call: Call,
  tool: Tool,
  sandbox: Sandbox | undefined,
  args: Json,
  all: ArgumentTexts,
): Promise<FilesFact> {
  const pause = async () => deps.yieldWhenDue?.()
  await pause()
  const found = fileArguments(args, settingsOf(deps.judgement, tool)?.files, all, tool.paths)
  const named = commandWords(deps.judgement, tool, call)
  const look = deps.files.look(call.server, foldersOf(tool, args, named?.folders ?? []))
  return lookAt(deps, call, tool, { sandbox, all, found, named, look, pause })
}

type Candidates = {
  readonly sandbox: Sandbox | undefined
  readonly all: ArgumentTexts
  readonly found: FileArguments
  readonly named: CommandWords | undefined
  readonly look: DiskLook
  readonly pause: () => Promise<void>
}

async function lookAt(
  deps: FilesPorts,
  call: Call,
  tool: Tool,
  { sandbox, all, found: { found, too_many }, named: command, look, pause }: Candidates,
): Promise<FilesFact> {
  const { files } = deps
  const bases = await look.bases()
  const machine = { windows: files.windows, home: files.home(call.server) }
  await pause()
  const candidates = await worthLooking(found, look, bases)
  const schema = inForce(tool.row).definition.inputSchema
  const facts: FileFact[] = mentionsOf(all.texts, look.own[0]).map(({ path, is_content }) => ({
    ...NOWHERE,
    at: shownPointer(path, schema),
    certainty: is_content ? 'mention' : 'path',
    gate: ['data'],
  }))
  const named = [...(await namedFiles(all.texts, look, bases, pause)), ...(await pairedFiles(candidates, look))]
  for (const { path, certainty } of named)
    facts.push({ ...NOWHERE, at: shownPointer(path, schema), certainty, gate: ['data'] })
  for (const argument of candidates.slice(0, MOST_FILES)) {
    await pause()
    const fact = await factOf(argument, look, bases, machine)
    const part = command === undefined ? {} : { part: partOf(command, argument.text) }
    // Where a tool works is not what it moves or deletes.
    const isHere = look.isFrom && command === undefined && /^(?:client_)?cwd$/.test(argument.path.at(-1) ?? '')
    if (fact !== undefined)
      facts.push({ at: shownPointer(argument.path, schema), ...fact, ...part, ...(isHere ? { tree: 'works in' } : {}) })
  }
  for (const { argument, ...use } of command?.words ?? []) {
    await pause()
    const fact = await factOf(argument, look, bases, machine)
    if (fact !== undefined) facts.push({ at: shownPointer(argument.path, schema), ...fact, ...use })
  }
  return {
    sandbox: sandbox === undefined ? 'none' : await rootsOf(deps, sandbox),
    args: facts,
    too_many: too_many || candidates.length > MOST_FILES || command?.too_many === true,
  }
}

/** Whether no text can name one of the gate's own files, whatever it is relative to. */
const namesNothing = (texts: readonly ArgumentText[], look: DiskLook): boolean =>
  !mayNameFiles(texts, look) && mentionsOf(texts, look.own[0]).length === 0

/** What a shell command may change, by its own words: without quotes, and with the names that a target folder gets. */
type CommandWords = {
  readonly words: readonly ({ readonly argument: FileArgument } & Pick<FileFact, 'tree' | 'part'>)[]
  readonly written: readonly string[]
  readonly run: readonly string[]
  readonly folders: readonly string[]
  readonly too_many: boolean
}

function partOf({ written, run }: CommandWords, text: string): 'writes' | 'runs' | 'reads' {
  if (written.some((word) => word.includes(text))) return 'writes'
  return run.some((word) => word.includes(text)) ? 'runs' : 'reads'
}

const MOST_WORDS = 1000

function commandWords({ commandOf }: Pick<Judgement, 'commandOf'>, tool: Tool, call: Call): CommandWords | undefined {
  const reading = commandOf(tool, call)
  if (reading === undefined || tool.shell === undefined) return undefined
  const path = tool.shell.split('/').filter((name) => name !== '')
  const isName = (text: string) => text !== '' && text.length <= LONGEST && !/[\r\n]|^-/.test(text)
  const written = reading.written
    .flatMap((word) => [word, ...word.split(/[=:,]/).slice(1), ...attachedTo(word)])
    .filter(isName)
  const words = [
    ...[...new Set(written)].map((text) => ({ text, use: { part: 'writes' as const } })),
    ...reading.trees
      .filter(({ text }) => text.length <= LONGEST)
      .map(({ text, use }) => ({ text, use: { tree: use } })),
  ]
  return {
    words: words
      .slice(0, MOST_WORDS)
      .map(({ text, use }) => ({ argument: { path, text, certainty: 'path', bound: false }, ...use })),
    written: reading.written,
    run: reading.run,
    folders: reading.folders,
    too_many: words.length > MOST_WORDS,
  }
}

/** `-o.mcp.json`, `-so.mcp.json`: an option with its value attached. */
const attachedTo = (word: string): readonly string[] =>
  /^-[a-zA-Z]/.test(word) ? [2, 3, 4, 5].map((at) => word.slice(at)) : []

const MOST_FOLDERS = 16

/**
 * The folders that the paths of a client's own tool may be relative to: the one it works in, and those that its command changes
 * to. Undefined if it does not say.
 */
function foldersOf(tool: Tool, args: Json, changes: readonly string[]): readonly string[] | undefined {
  if (tool.executor !== 'client' || !isJsonObject(args)) return undefined
  // The hook adds these to arguments with relative paths (bin/sluice-hook.cjs).
  const given = [args, args['input'] ?? null].flatMap((one) =>
    isJsonObject(one) ? [one['client_cwd'], one['cwd']] : [],
  )
  let folders = given.filter((folder) => typeof folder === 'string').filter(isAbsolute)
  if (folders.length === 0) return undefined
  for (const to of changes) {
    const next = isAbsolute(to) ? [to] : folders.map((folder) => `${folder}/${to}`)
    folders = [...new Set([...folders, ...next])].slice(0, MOST_FOLDERS)
  }
  return folders
}

const NOWHERE = { bound: false, readings: [], leads: [] } as const

/** A plain word leads to another place only if it is the name of a link, so a long text is compared with the existing links. */
async function worthLooking(
  found: readonly FileArgument[],
  look: DiskLook,
  bases: readonly string[],
): Promise<readonly FileArgument[]> {
  const isWord = ({ text, certainty }: FileArgument) =>
    certainty === 'maybe' && /^[\w-]+$/.test(text) && encodedPaths(text).length === 0
  if (found.filter(isWord).length <= FEW_WORDS) return found
  const links = await Promise.all(bases.map((base) => look.linksIn(base)))
  if (links.some((names) => names === undefined)) return found
  const names = new Set(links.flatMap((some) => [...(some ?? [])]))
  return found.filter(
    (one) => !isWord(one) || names.has(one.text.toLowerCase()) || sensitiveName(one.text) !== undefined,
  )
}

async function rootsOf({ files }: FilesPorts, sandbox: Sandbox): Promise<FilesFact['sandbox']> {
  if (!sandbox.local) return 'remote'
  const roots = await Promise.all(sandbox.roots.map((root) => files.configured(root)))
  return { roots: allOf(roots) }
}

type Facts = Omit<FileFact, 'at'>

async function factOf(
  argument: FileArgument,
  look: DiskLook,
  bases: readonly string[],
  machine: Machine,
): Promise<Facts | undefined> {
  const { text, certainty, bound } = argument
  const read = pathReadings(text, machine)
  const hidden = encodedPaths(text)
  const loose = [text, ...hidden].flatMap((one) => looseReadings(one, machine))
  const crossed = await crossedLinks(text, look, bases)
  const decoded = (
    await Promise.all(hidden.map((one) => leadsOfMaybe(one, looseReadings(one, machine), look, bases)))
  ).flat()
  const gate = await gateOf(loose, look, bases)
  if (certainty === 'path') {
    if (read.is === 'refused') return { certainty, bound, fault: read.fault, readings: loose, leads: 'unknown', gate }
    const leads = await Promise.all(read.paths.map((path) => look.follow(path)))
    // From the other folders that it may be relative to, a plain name leads to another place only by a link.
    const linked = await Promise.all(
      bases.slice(1).flatMap((base) => read.paths.map((path) => look.follow(path, base))),
    )
    const more = linked.flatMap((one) => (one !== undefined && (one.is_linked || look.isFrom) ? [one.lead] : []))
    const all = await withSecondNames(allOf([...leads.map((one) => one?.lead), ...more, ...decoded, ...crossed]), look)
    return { certainty, bound, readings: [...read.paths, ...hidden], leads: all, gate }
  }
  const leads = await withSecondNames(
    allOf([...(await leadsOfMaybe(text, loose, look, bases)), ...decoded, ...crossed]),
    look,
  )
  if (leads.length === 0 && gate.length === 0 && !suggestsSecret(text)) return undefined
  return { certainty, bound: bound && leads.length > 0, readings: loose, leads, gate }
}

async function withSecondNames(leads: FileFact['leads'], look: DiskLook): Promise<FileFact['leads']> {
  if (leads === 'unknown') return leads
  return [...leads, ...(await Promise.all(leads.map((lead) => look.secondNames(lead, CLIENT_PLACES)))).flat()]
}

/** Where a pattern leads through links, from every folder that it may be relative to. */
async function crossedLinks(
  text: string,
  look: DiskLook,
  bases: readonly string[],
): Promise<readonly (string | undefined)[]> {
  if (text.length > LONGEST || !isPattern(text) || /[\r\n]/.test(text)) return []
  const variants = braceVariants(text.trim())
  if (variants === undefined) return [undefined]
  const found: (string | undefined)[] = []
  for (const variant of variants) {
    for (const base of isAbsolute(variant) ? bases.slice(0, 1) : bases)
      found.push(...((await linkedBy(look, variant, base)) ?? [undefined]))
  }
  return found
}

/** A name that suggests a secret by itself, whether the file exists or not. */
const suggestsSecret = (text: string) => /^\.|[\\/]\.|^id_/.test(text) && text.length <= LONGEST

/** Where a text leads that need not be a path: only what exists counts, and of a plain word only a link. */
async function leadsOfMaybe(
  text: string,
  loose: readonly string[],
  look: DiskLook,
  bases: readonly string[],
): Promise<readonly string[]> {
  const isWord = !/[./\\~%$]/.test(text)
  const paths = text.length > LONGEST ? [text.slice(0, LONGEST).replace(/[\\/][^\\/]*$/, '')] : loose
  const followed = await Promise.all(
    paths.flatMap((path) =>
      path.startsWith('/') ? [look.follow(path)] : bases.map((base) => look.follow(path, base)),
    ),
  )
  return followed.flatMap((one) =>
    one !== undefined && (one.is_linked || (one.is_found && !isWord)) ? [one.lead] : [],
  )
}

/** One unknown path makes all of them unknown. */
function allOf(paths: readonly (string | undefined)[]): readonly string[] | 'unknown' {
  const known = paths.filter((path) => path !== undefined)
  return known.length === paths.length ? known : 'unknown'
}
