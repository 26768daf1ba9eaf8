import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { PolicyText } from '../commands/load-policy.ts'
import { readConfig, type Config, type LineOf } from '../contract/config.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { remedyFor, yamlFault } from './config-remedies.ts'
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
  if (document.errors.length > 0)
    return refuse('config.invalid', { file: path, paths: document.errors.map(yamlFault).join('; ') })
  const read = readConfig(document.toJS() as unknown, linesOf(document, lines), remedyFor)
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

const linesOf =
  (document: ReturnType<typeof parseDocument>, lines: LineCounter): LineOf =>
  (keys) => {
    const at = placeOf(document, keys)
    return at === undefined ? undefined : lines.linePos(at).line
  }

/** Where keys stand in a configuration that was read already. */
export function linesIn(file: string): LineOf {
  const lines = new LineCounter()
  return linesOf(parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines }), lines)
}

/** Where a key stands, or the closest one above it that does: what is missing has no place of its own to point at. */
function placeOf(document: ReturnType<typeof parseDocument>, keys: readonly PropertyKey[]): number | undefined {
  for (let depth = keys.length; depth > 0; depth--) {
    const key = String(keys[depth - 1])
    const above: unknown = depth === 1 ? document.contents : document.getIn(keys.slice(0, depth - 1), true)
    const pair = isMap(above)
      ? above.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      : undefined
    const node: unknown = pair?.key ?? (isSeq(above) ? above.items[Number(key)] : undefined)
    if (isNode(node) && node.range !== undefined && node.range !== null) return node.range[0]
  }
  return document.contents?.range?.[0]
}
