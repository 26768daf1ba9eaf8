import { existsSync } from 'node:fs'
import { parse } from 'yaml'
import type { ClientFile } from './client-files.ts'
import { readJsonc } from '../../adapters/files/jsonc.ts'
import type { Opened } from './plan-import.ts'
import { tomlServers } from '../../adapters/files/toml.ts'
import { realFile, textIn } from '../../adapters/files/whole-file.ts'

export type OpenedClients = { readonly files: readonly Opened[]; readonly unreadable: readonly string[] }

/** The existing files that have servers. An unreadable one is named and not changed. */
export function openClients(wanted: readonly ClientFile[]): OpenedClients {
  const files: Opened[] = []
  const unreadable = new Set<string>()
  const seen = new Set<string>()
  for (const each of wanted) {
    // One file has several paths if there are links, and if the current folder is the home folder.
    const place = JSON.stringify([realFile(each.file), each.at])
    if (seen.has(place)) continue
    seen.add(place)
    const read = open(each)
    if (read === 'unreadable') unreadable.add(`${each.file} is not valid ${each.format.toUpperCase()}`)
    else if (read !== undefined && Object.keys(read.servers).length > 0) files.push(read)
  }
  return { files, unreadable: [...unreadable] }
}

function open(each: ClientFile): Opened | 'unreadable' | undefined {
  if (!existsSync(each.file)) return undefined
  const text = textIn(each.file)
  if (text === undefined) return 'unreadable'
  try {
    if (each.format === 'toml') return { ...each, text, servers: tomlServers(text) }
    let value: unknown = text.trim() === '' ? {} : parsed(text, each.format)
    for (const key of each.at) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
    return { ...each, text, servers: isRecord(value) ? value : Array.isArray(value) ? byName(value) : {} }
  } catch {
    return 'unreadable'
  }
}

const parsed = (text: string, format: 'json' | 'yaml'): unknown =>
  format === 'yaml' ? (parse(text) as unknown) : readJsonc(text)

/** Some write a list of servers, each with its name in it. */
const byName = (list: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(
    list.filter(isRecord).map((each, at) => [typeof each['name'] === 'string' ? each['name'] : `server ${at}`, each]),
  )

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
