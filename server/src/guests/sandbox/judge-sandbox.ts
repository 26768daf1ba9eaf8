import type { Call } from '../../kernel/contract/call.ts'
import type { Tool } from '../../kernel/contract/tool.ts'
import type { Opinion } from '../../kernel/contract/verdict.ts'
import { argsOf } from '../../kernel/attempt/call-args.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import type { Policy } from '../../kernel/policy/policy.ts'
import type { FileFact, FilesFact } from './files-fact.ts'
import { isAroundClientFile, isClientFile, isGitFolder, isLoadedByClient } from './client-files.ts'
import { isInside } from '../../kernel/text/is-inside.ts'
import { sensitiveName } from '../../kernel/text/sensitive-names.ts'
import { namePlaces } from '../../kernel/text/shown-pointer.ts'
import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import { splitWords } from '../../kernel/text/split-words.ts'

/** Words in a tool name that mean it processes everything below a folder. */
const THROUGH = new Set(
  `search find grep glob tree walk recursive recursively all multiple archive zip tar compress pack copy cp clone backup sync
  mirror upload index scan crawl count size du export snapshot`.split(/\s+/),
)
/** Words that mean it removes a folder or changes its permissions, alone or with a word for files. */
const TAKES = new Set(
  'move mv rename delete remove rm rmdir trash unlink erase purge wipe shred chmod chown'.split(' '),
)
const ON_DISK = new Set(
  'file files folder folders directory directories dir path paths tree item items entry entries'.split(' '),
)

/** What a tool does to everything below a folder. `delete_branch` does not remove a folder, but may do much below it. */
type TreeUse = 'takes' | 'goes through' | 'neither'

function treeUse(tool: Tool, args: Json): TreeUse {
  const { name } = tool.row.definition
  const words = splitWords(name)
  const isTaking = words.some((word) => TAKES.has(word))
  if (isTaking && words.every((word) => TAKES.has(word) || ON_DISK.has(word))) return 'takes'
  const isThorough = isTaking || tool.effects.includes('destructive') || words.some((word) => THROUGH.has(word))
  return isThorough || isRecursive(args) ? 'goes through' : 'neither'
}

/** `recursive: true`, `depth: 3`. */
function isRecursive(args: Json): boolean {
  if (!isJsonObject(args)) return false
  return Object.entries(args).some(
    ([key, value]) => /recurs|depth|subfolder|subdir/i.test(key) && value !== false && value !== 0 && value !== null,
  )
}

type Finding = { readonly effect: 'ask' | 'block'; readonly rule: string; readonly says: string }

const FAULTS = {
  control_character: 'contains a control character',
  network: 'names a file on another machine',
  drive: 'names a drive',
  encoded: 'contains encoded dots or slashes',
  home: "names another user's home folder",
  variable: 'starts with a variable',
  dots: 'contains a name made of dots and spaces',
  url: 'is not a plain file path',
  too_long: 'is longer than a path can be',
} as const

/**
 * On every server: paths to the gate's own files are blocked, and names that suggest secrets are asked about. On a server with a
 * sandbox: file arguments must lead inside the allowed roots, with every link followed, under every reading a tool may give them.
 * INVARIANT: a path there that cannot be resolved is asked about, never allowed (law in judge-sandbox.test.ts).
 */
export const judgeSandbox = (_policy: Policy, call: Call, facts: Facts): Opinion[] => judgeSandboxFacts(call, facts)

type SandboxFacts = Pick<Facts, 'files' | 'tool' | 'now'>

export function judgeSandboxFacts(call: Call, facts: SandboxFacts): Opinion[] {
  const { sandbox, args, too_many } = facts.files
  if (args.length === 0 && !too_many) return []
  const use = treeUse(facts.tool, argsOf(call))
  const found = args.flatMap((arg) =>
    [
      ...gateFindings(arg, facts.tool, arg.tree ?? use),
      ...clientFinding(arg, facts.tool, arg.tree ?? use),
      ...findingsOn(arg, sandbox),
    ].map((finding) => ({ ...finding, at: arg.at })),
  )
  const keyOf = ({ effect, rule, says }: Finding) => `${effect} ${rule} ${says}`
  const rules = [...new Set(found.map(keyOf))]
  const opinions = rules.flatMap((key): Opinion[] => {
    const same = found.filter((finding) => keyOf(finding) === key)
    const [first] = same
    if (first === undefined) return []
    const says = `${namePlaces(same.map(({ at }) => at))} ${first.says}`
    return [opinionOf({ ...first, says }, facts.now)]
  })
  return too_many ? [...opinions, opinionOf(TOO_MANY, facts.now)] : opinions
}

function opinionOf({ effect, rule, says }: Finding, at: number): Opinion {
  const source = rule.startsWith('sandbox.gate_') ? 'the gate' : SOURCE
  const opinion = { decider: 'sandbox', effect, rule, says, source, at }
  return effect === 'ask' ? { ...opinion, strength: 'strong' as const } : opinion
}

const SOURCE = 'sandbox of the server'
const TOO_MANY: Finding = {
  effect: 'ask',
  rule: 'sandbox.unknown',
  says: 'the arguments contain more possible paths than the gate checks',
}

/** What happens to a folder that a path names: by the tool's name, or by the word of a command. */
type Use = TreeUse | 'becomes' | 'works in'

/** Effects that may change a file. A tool that only reaches people or the network just reads it. */
const CHANGING = ['write', 'destructive', 'privileged'] as const

function gateFindings({ gate, certainty, tree, part }: FileFact, tool: Tool, use: Use): Finding[] {
  if (gate.includes('data')) {
    if (certainty === 'mention')
      return [{ effect: 'ask', rule: 'sandbox.gate_mentioned', says: "mentions the gate's data folder in a text" }]
    return [{ effect: 'block', rule: 'sandbox.gate_data', says: "leads into the gate's data folder" }]
  }
  if (certainty === 'mention') return []
  const isChanging = part === 'writes' || CHANGING.some((effect) => tool.effects.includes(effect))
  if (gate.includes('settings') && isChanging)
    return [
      {
        effect: 'block',
        rule: 'sandbox.gate_settings',
        says: "leads to the gate's configuration or policy, or to another file that it depends on",
      },
    ]
  if (gate.includes('program') && isChanging && (part ?? 'writes') === 'writes')
    return [
      {
        effect: 'block',
        rule: 'sandbox.gate_program',
        says: 'leads to the program of the gate or of a coding agent, or to what a shell or git starts with',
      },
    ]
  const isAround = gate.includes('around_data') || gate.includes('around_settings')
  if (isAround && use === 'takes')
    return [{ effect: 'block', rule: 'sandbox.gate_around', says: "is a folder that contains the gate's own files" }]
  if (use === 'goes through' && (gate.includes('around_data') || (isAround && tree !== undefined)))
    return [{ effect: 'ask', rule: 'sandbox.gate_around', says: "is a folder that contains the gate's own files" }]
  return []
}

/** Whoever can rewrite an agent's hooks can turn the gate off for it. */
function clientFinding({ readings, leads, certainty, part }: FileFact, tool: Tool, use: Use): Finding[] {
  const paths = leads === 'unknown' ? readings : [...readings, ...leads]
  const isChanging = part === 'writes' || CHANGING.some((effect) => tool.effects.includes(effect))
  if (certainty === 'mention' || !isChanging || part === 'reads') return []
  const isReplacing = use === 'takes' || use === 'becomes'
  // Where a process's folder leads, and what its descriptor is, only that process can tell.
  const isTheirs = (path: string) =>
    isClientFile(path) || isBehindProcess(path) || (isReplacing && isAroundClientFile(path))
  const isLoaded = (path: string) => isLoadedByClient(path) || (use === 'becomes' && isGitFolder(path))
  if (paths.some(isTheirs)) return [{ ...CLIENT, says: "leads to a coding agent's hooks or settings" }]
  return part !== 'runs' && paths.some(isLoaded)
    ? [{ ...CLIENT, says: 'leads to something that a coding agent, an editor or git loads or starts by itself' }]
    : []
}

const CLIENT = { effect: 'block', rule: 'sandbox.client_settings' } as const

function findingsOn(arg: FileFact, sandbox: FilesFact['sandbox']): Finding[] {
  const isBound = arg.bound && sandbox !== 'none'
  if (isBound && arg.fault !== undefined)
    return [{ effect: 'block', rule: `sandbox.${arg.fault}`, says: FAULTS[arg.fault] }]
  const roots = sandbox === 'none' || sandbox === 'remote' || sandbox.roots === 'unknown' ? [] : sandbox.roots
  return [...processFinding(arg), ...(isBound ? placeOf(arg, sandbox) : []), ...sensitivityOf(arg, roots)]
}

function processFinding({ readings, leads, certainty }: FileFact): Finding[] {
  const paths = leads === 'unknown' ? readings : [...readings, ...leads]
  if (certainty === 'mention' || !paths.some(isProcessFile)) return []
  const says = 'leads through the files of a process (such as `/proc/self`), so its target depends on who opens it'
  return [{ effect: 'block', rule: 'sandbox.process', says }]
}

function placeOf({ leads, certainty }: FileFact, sandbox: Exclude<FilesFact['sandbox'], 'none'>): Finding[] {
  if (sandbox === 'remote')
    return certainty === 'path'
      ? [{ effect: 'ask', rule: 'sandbox.remote', says: 'names a file on a server whose files the gate cannot see' }]
      : []
  const { roots } = sandbox
  if (leads === 'unknown' || roots === 'unknown')
    return [{ effect: 'ask', rule: 'sandbox.unknown', says: 'names a file that could not be resolved' }]
  if (leads.every((path) => roots.some((root) => isInside(root, path)))) return []
  const effect = certainty === 'mention' ? 'ask' : 'block'
  return [{ effect, rule: 'sandbox.outside', says: 'leads outside the allowed folders' }]
}

/** The operator chose the names in a root's path, so only the names below it are checked. */
function sensitivityOf({ readings, leads, certainty }: FileFact, roots: readonly string[]): Finding[] {
  if (certainty === 'mention') return []
  const paths = leads === 'unknown' ? readings : [...readings, ...leads]
  const below = paths.map((path) => path.slice(roots.findLast((root) => isInside(root, path))?.length ?? 0))
  const kind = below.map(sensitiveName).find((found) => found !== undefined)
  return kind === undefined ? [] : [{ effect: 'ask', rule: 'sandbox.sensitive', says: `names ${kind}` }]
}

/**
 * Files with plain statistics about a Linux process. The rest of its folder exposes its environment, its memory and its open
 * files.
 */
const HARMLESS = new Set(
  'status stat statm limits io comm cmdline cgroup mounts mountinfo loginuid oom_score oom_score_adj sched schedstat'.split(
    ' ',
  ),
)

/**
 * Whether a path goes through a process's own files, such as `/proc/self/cwd` or `/dev/fd/3`. Its target depends on which process
 * opens it, so the gate cannot resolve it; and `/proc/<pid>/environ` and `mem` contain the gate's secrets.
 */
function isProcessFile(path: string): boolean {
  const names = path.split(/[\\/]+/).filter((name) => name !== '' && name !== '.')
  if (!/^[\\/]/.test(path)) return false
  const [first, second, third] = names
  if (first === 'dev') return second === 'fd' || second === 'stdin' || second === 'mem' || second === 'kmem'
  if (first !== 'proc') return false
  if (second === 'kcore') return true
  if (second === undefined || !/^(?:self|thread-self|\d+|[*?[{].*)$/.test(second)) return false
  return third !== undefined && !HARMLESS.has(third)
}

/** Whether a path leads to other files through a process: `/proc/self/cwd/x`, `/dev/fd/3/x`. */
const isBehindProcess = (path: string): boolean =>
  /^\/(?:proc\/[^/]+\/(?:task\/[^/]+\/)?(?:cwd|root|fd\/[^/]+)|dev\/fd\/[^/]+)\/./i.test(
    path.replace(/\/(?:\.?\/)+/g, '/'),
  )
