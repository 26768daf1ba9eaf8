import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isMap, isNode, isScalar, isSeq, type Document } from 'yaml'
import type { SectionOptions } from '../adapters/cli/local-gate.ts'
import type { PolicyText } from '../kernel/policy/load-policy.ts'
import type { Config } from '../kernel/contract/config.ts'
import { readConfig, type PlaceOf } from '../kernel/contract/read-config.ts'
import { aboutWith, ok, refuse, type Result } from '../kernel/contract/problems.ts'
import { readDocument, type ConfigDocument } from './config-document.ts'
import { CONFIG } from './config-schema.ts'
import { remedyFor, yamlFault } from './config-remedies.ts'
import type { EnvRead } from './env-overrides.ts'
import { readPolicy } from './policy-files.ts'

/** The configuration with its paths resolved against its file. */
export type Settings = {
  readonly file: string
  readonly folder: string
  readonly data: string
  readonly config: Config
  readonly policy: PolicyText
}
/** With the overrides from the environment. */
export type LoadedSettings = Settings & { readonly env: EnvRead }

export const DEFAULT_DATA = './.sluice'

/**
 * Reads `sluice.yaml`. An absent one is the default configuration, unless it was requested by name. `section`: what the command line adds
 * to the file.
 */
export function loadConfig(file: string, isNamed: boolean, section?: SectionOptions): Result<LoadedSettings> {
  const path = resolve(file)
  if (!existsSync(path) && isNamed) return refuse('config.invalid', { file: path, paths: 'the file does not exist' })
  const read = readDocument(path)
  const { document, env } = read
  if (document.errors.length > 0)
    return refuse('config.invalid', { file: path, paths: document.errors.map(yamlFault).join('; ') })
  if (env.faults.length > 0) {
    const paths = env.faults.map(({ name, says }) => `${name}: ${says}`).join('; ')
    return refuse('config.invalid', { file: 'the environment', paths })
  }
  const config = readConfig(
    CONFIG,
    withSection(document.toJS() as unknown, section),
    optionsOf(section, placesOf(read)),
    remedyFor,
  )
  if (!config.ok) {
    const from = existsSync(path) ? path : 'the command line'
    return { ok: false, problem: aboutWith(config.problem, { file: from, ...config.problem.about }) }
  }
  const folder = dirname(path)
  const policy = readPolicy(path)
  if (!policy.ok) {
    const paths = policy.faults.map(({ line, says }) => `policy (line ${line}): ${says}`).join('; ')
    return refuse('config.invalid', { file: path, paths })
  }
  return ok({
    file: path,
    folder,
    data: resolve(folder, config.value.data),
    config: config.value,
    policy: policy.value,
    env,
  })
}

function withSection(value: unknown, section: SectionOptions | undefined): unknown {
  if (section === undefined) return value
  const fields: Readonly<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {}
  const written = fields[section.key]
  return { ...fields, [section.key]: { ...(typeof written === 'object' ? written : {}), ...section.values } }
}

/** Faults of a section that are not in the file are reported with the option that sets them. */
const optionsOf =
  (section: SectionOptions | undefined, placeOfKey: PlaceOf): PlaceOf =>
  (keys) => {
    const option = keys[0] === section?.key ? section?.options[String(keys[1])] : undefined
    return option === undefined ? placeOfKey(keys) : `option ${option}`
  }

/** The data folder a configuration names, even if the configuration has mistakes. */
export function dataIn(file: string): string {
  const data = readDocument(file).document.get('data')
  return resolve(dirname(file), typeof data === 'string' ? data : DEFAULT_DATA)
}

/** The places of keys: in the file, or in the environment. */
function placesOf({ document, lines, env }: ConfigDocument): PlaceOf {
  return (keys) => {
    const set = env.overrides.find(({ path }) => path.every((key, depth) => key === String(keys[depth])))
    if (set !== undefined) return set.name
    const at = placeOf(document, keys)
    return at === undefined ? undefined : `line ${lines.linePos(at).line}`
  }
}

/** The places of keys in a configuration that was already read. */
export const whereIn = (file: string): PlaceOf => placesOf(readDocument(file))

/** The position of a key, or of its closest existing ancestor: a missing key has no position. */
function placeOf(document: Document.Parsed, keys: readonly PropertyKey[]): number | undefined {
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
