import { hash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { ok, refuse, type Result } from '../kernel/contract/problems.ts'

/** The places inside a data folder. Only the store knows where its own files are. */
export function placesIn(folder: string) {
  return {
    keys: join(folder, 'keys'),
    /** The owner's admin key. */
    admin: join(folder, 'admin.key'),
    socket: join(folder, 'gate.sock'),
    log: join(folder, 'gate.log'),
    /** Present if the gate was last started by a guest's own command, with a section that may be given only on the command line. */
    node: join(folder, 'node'),
    /** The path of the configuration that the folder belongs to, relative to the folder. */
    configuration: join(folder, 'gate.configuration'),
    /** Embeddings of tools' texts, one file per model. */
    vectors: join(folder, 'vectors'),
    /** What tool servers store, each in a folder of its name. Beside the data folder, so that no server works inside it. */
    servers: `${folder}-servers`,
  } as const
}

const IGNORED = '# Keys and the record of every call: never commit this folder.\n*\n'

/** Whether anything was stored there. */
export const hasContents = (folder: string): boolean =>
  existsSync(folder) && lstatSync(folder).isDirectory() && readdirSync(folder).some((name) => name !== '.gitignore')

/** Creates the folder, readable only by its owner. An existing one becomes so, if nobody else can have changed what is in it. */
export function makeDataFolder(folder: string): Result<void> {
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false })
    const why = found === undefined ? undefined : whyNotOwn(folder, found)
    if (why !== undefined) return refuse('data.unusable', { folder, why })
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (found !== undefined && isShared(found)) chmodSync(folder, 0o700)
    const ignored = join(folder, '.gitignore')
    if (!existsSync(ignored)) writeFileSync(ignored, IGNORED, { mode: 0o600 })
  } catch (error) {
    return refuse('data.unusable', { folder, why: error instanceof Error ? error.message : String(error) })
  }
  return ok(undefined)
}

/** Windows has no such bits: there a folder is as private as the profile it is in. */
const OTHERS = process.platform === 'win32' ? 0 : 0o077
const OTHERS_WRITE = OTHERS & 0o022
const isShared = ({ mode }: Stats): boolean => (mode & OTHERS) !== 0
const isForeign = ({ uid }: Stats): boolean => process.getuid !== undefined && uid !== process.getuid()

/**
 * Why a command does not talk to the gate of a folder: a link, or a folder of somebody else, may lead to a gate of theirs. An
 * administrator may look after the gates of others.
 */
export function whyNotAsked(folder: string): string | undefined {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined || (isForeign(found) && process.getuid?.() === 0)) return undefined
  return whyOther(folder, found)
}

function whyOther(folder: string, found: Stats): string | undefined {
  if (found.isSymbolicLink())
    return `it is a link to ${readlinkSync(folder)}; if that is meant, name that folder itself`
  if (!found.isDirectory()) return 'it is not a folder'
  return isForeign(found) ? `it belongs to user ${found.uid}, and you are user ${process.getuid?.()}` : undefined
}

/** Why a folder that exists is not used: somebody else may have put there what the gate would read or send. */
function whyNotOwn(folder: string, found: Stats): string | undefined {
  const why = whyOther(folder, found)
  if (why !== undefined) return why
  if ((found.mode & OTHERS_WRITE) === 0) return undefined
  const planted = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => {
    const stat = lstatSync(join(folder, name))
    return isForeign(stat) || stat.isSymbolicLink()
  })
  return planted === undefined
    ? undefined
    : `other users could write to it, and somebody did: look at \`${planted}\`, and remove what is not yours`
}

/** Remembers whether the gate was started with a section on the command line: commands that start a gate automatically would start it without. */
export function markNode(folder: string, isNode: boolean): void {
  const { node } = placesIn(folder)
  if (isNode) writeFileSync(node, '', { mode: 0o600 })
  else rmSync(node, { force: true })
}

/** SHA-256 of the bytes given as hex digits. */
export function digestBytes(hex: string): string {
  const reused = hex.length === 2 * LEAF.length ? LEAF : hex.length === 2 * NODE.length ? NODE : undefined
  const isWhole = reused?.write(hex, 'hex') === reused?.length
  return hash('sha256', reused !== undefined && isWhole ? reused : Buffer.from(hex, 'hex'), 'hex')
}

/** Buffers for the leaves and nodes of the audit's Merkle tree: several are hashed for each call. */
const LEAF = Buffer.alloc(33)
const NODE = Buffer.alloc(65)
