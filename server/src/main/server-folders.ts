import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerConfig } from '../adapters/upstream/server-kind.ts'
import { placesIn } from './data-folder.ts'

/** Where earlier releases stored the files of tool servers: inside the data folder. A backup has them there too. */
const oldPlace = (data: string) => join(data, 'servers')

/**
 * The folders in which tool servers may store files, beside the data folder, so that a server's own folder is not next to the
 * gate's keys. What an earlier release or a backup put into the data folder is moved there; nothing that exists is replaced.
 */
export function openServerFolders(data: string, servers: readonly ServerConfig[]): readonly ServerConfig[] {
  const { servers: folder } = placesIn(data)
  const children = servers.filter((server) => 'cwd' in server)
  if (children.length > 0 || existsSync(oldPlace(data))) makeFolder(folder)
  if (existsSync(oldPlace(data))) moveFolders(oldPlace(data), folder)
  const isShared = children.some((server) => runAsOf(server) !== undefined)
  // Other users can pass through to their own folder, and see nothing else.
  if (isShared) chmodSync(folder, 0o711)
  return servers.map((server) => {
    const own = join(folder, server.name)
    const as = runAsOf(server)
    if (as !== undefined) {
      mkdirSync(own, { recursive: true, mode: 0o700 })
      chownSync(own, as.uid, as.gid)
    }
    return { ...server, data: own }
  })
}

function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, '.gitignore'), '*\n')
}

function moveFolders(from: string, to: string): void {
  for (const name of readdirSync(from)) if (!existsSync(join(to, name))) renameSync(join(from, name), join(to, name))
  if (readdirSync(from).length === 0) rmdirSync(from)
}

const runAsOf = (server: ServerConfig) => ('run_as' in server ? server.run_as : undefined)
