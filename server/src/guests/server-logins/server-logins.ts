import { hash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LoginSlot } from '../../kernel/ports/logins.ts'
import { type LoginStore, StoredClient, StoredLogin } from './server-login.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { openPrivateFolder, readPrivateFile, writePrivateFile } from '../../adapters/keys/key-files.ts'

const FOLDER = 'logins'

type Shape<T> = { safeParse(value: unknown): { success: true; data: T } | { success: false } }

/** User names can be anything, so a file is named after a digest of the name. */
const fileOf = ({ server, user }: LoginSlot) =>
  user === undefined ? `${server}.json` : `${server}.user-${hash('sha256', user, 'hex')}.json`
const clientFileOf = (server: string) => `${server}.client.json`

/**
 * Logins at tool servers, one private file each, in a folder of the gate's keys. Written atomically and durably: after a crash
 * there is the previous login or the new one.
 */
export function openLoginStore(keys: string): LoginStore {
  const folder = join(keys, FOLDER)
  const read = <T>(file: string, shape: Shape<T>): Result<T | undefined> => {
    const text = readPrivateFile(join(folder, file))
    if (!text.ok || text.value === undefined) return text.ok ? ok(undefined) : text
    const parsed = shape.safeParse(parse(text.value))
    return parsed.success ? ok(parsed.data) : refuse('key.absent', { file: join(folder, file), why: 'unreadable' })
  }
  const write = (file: string, value: unknown): Result<void> => {
    const opened = openPrivateFolder(folder)
    return opened.ok ? writePrivateFile(join(folder, file), `${JSON.stringify(value)}\n`) : opened
  }
  return {
    read(slot) {
      const login = read(fileOf(slot), StoredLogin)
      // The name inside decides, not the name of the file: a copied file is nobody's login.
      const isTheirs = login.ok && login.value?.server === slot.server && login.value.user === slot.user
      return login.ok && !isTheirs ? ok(undefined) : login
    },
    write: (login) => write(fileOf(login), login),
    remove: (slot) => rmSync(join(folder, fileOf(slot)), { force: true }),
    readClient: (server) => read(clientFileOf(server), StoredClient),
    writeClient: (server, client) => write(clientFileOf(server), client),
    removeClient: (server) => rmSync(join(folder, clientFileOf(server)), { force: true }),
    users(server) {
      return filesIn(folder)
        .filter((file) => file.startsWith(`${server}.user-`))
        .flatMap((file) => {
          const login = read(file, StoredLogin)
          return login.ok && login.value?.user !== undefined ? [login.value.user] : []
        })
    },
  }
}

/** The secrets in them, so that they can be recognized wherever they appear. */
export function loginSecrets(keys: string): readonly string[] {
  const folder = join(keys, FOLDER)
  return filesIn(folder).flatMap((file) => secretsIn(readFileSync(join(folder, file), 'utf8')))
}

function secretsIn(text: string): readonly string[] {
  const found = text.matchAll(/"(?:access_token|refresh_token|client_secret)":("(?:[^"\\]|\\.)*")/g)
  return [...found].map(([, quoted = '""']) => JSON.parse(quoted) as string)
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
