import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import type { PolicyText } from '../commands/load-policy.ts'
import { readConfig, type Config } from '../contract/config.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { readPolicy } from './policy-files.ts'

/** The configuration with its paths resolved against the file it stands in. */
export type Settings = {
  readonly file: string
  readonly folder: string
  readonly data: string
  readonly config: Config
  readonly policy: PolicyText
}

const DEFAULT_DATA = './.sluice'

/** Reads `sluice.yaml`. An absent one is the default configuration, unless it was asked for by name. */
export function loadConfig(file: string, isNamed: boolean): Result<Settings> {
  const path = resolve(file)
  if (!existsSync(path) && isNamed) return refuse('config.invalid', { file: path, paths: 'the file does not exist' })
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true })
  const [fault] = document.errors
  if (fault !== undefined) {
    const line = fault.linePos?.[0].line
    return refuse('config.invalid', { file: path, paths: `line ${line ?? '?'}: ${fault.message.split('\n')[0]}` })
  }
  const lineOf = (keys: readonly PropertyKey[]) => {
    const node = nearestNode(document, keys)
    return node?.range === undefined || node.range === null ? undefined : lines.linePos(node.range[0]).line
  }
  const read = readConfig(document.toJS() as unknown, lineOf)
  if (!read.ok) return refuse(read.problem.code, { file: path, ...read.problem.about })
  const folder = dirname(path)
  const policy = readPolicy(path)
  if (!policy.ok) {
    const paths = policy.faults.map(({ line, says }) => `policy (line ${line}): ${says}`).join('; ')
    return refuse('config.invalid', { file: path, paths })
  }
  return ok({ file: path, folder, data: resolve(folder, read.value.data), config: read.value, policy: policy.value })
}

/** The data folder a configuration names, also one that cannot be used otherwise. */
export function dataIn(file: string): string {
  const folder = dirname(file)
  const document = existsSync(file) ? parseDocument(readFileSync(file, 'utf8'), { logLevel: 'silent' }) : undefined
  const data = document?.get('data')
  return resolve(folder, typeof data === 'string' ? data : DEFAULT_DATA)
}

/** The YAML node at a path, or the closest one above it: an unknown key has no node of its own to point at. */
function nearestNode(document: ReturnType<typeof parseDocument>, keys: readonly PropertyKey[]) {
  for (let depth = keys.length; depth >= 0; depth--) {
    const node = document.getIn(keys.slice(0, depth), true) as { range?: [number, number, number] | null } | undefined
    if (typeof node === 'object' && node !== null && 'range' in node) return node
  }
  return undefined
}
