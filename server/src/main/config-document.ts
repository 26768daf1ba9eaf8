import { existsSync, readFileSync } from 'node:fs'
import { isMap, LineCounter, parseDocument, YAMLParseError, type Document } from 'yaml'
import { envOverrides, type Env, type EnvRead } from './env-overrides.ts'

/** `sluice.yaml` with the environment's overrides applied. */
export type ConfigDocument = {
  /** As YAML: the file's own text, unless the environment changed something below `policy`. */
  readonly text: string
  readonly document: Document.Parsed
  readonly lines: LineCounter
  readonly env: EnvRead
}

const NOTHING_SET: EnvRead = { overrides: [], faults: [], ignored: [] }

/** Reads a configuration file; an absent one is empty. Mistakes are in `document.errors`. */
export function readDocument(file: string, variables: Env = process.env): ConfigDocument {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, logLevel: 'error' })
  const isOpen = document.errors.length === 0 && (document.contents === null || isMap(document.contents))
  if (!isOpen) return { text, document, lines, env: NOTHING_SET }
  const value = valueOf(document)
  if (value === undefined) return { text, document, lines, env: NOTHING_SET }
  const env = envOverrides(variables, value.is)
  for (const { path, value } of env.overrides) document.setIn(path, document.createNode(value))
  const isPolicySet = env.overrides.some(({ path }) => path[0] === 'policy')
  return { text: isPolicySet ? String(document) : text, document, lines, env }
}

/** Nested aliases can expand to more than fits into memory; then the parser gives up, and that is a mistake like any other. */
function valueOf(document: Document.Parsed): { readonly is: unknown } | undefined {
  try {
    return { is: document.toJS() as unknown }
  } catch {
    const fault = new YAMLParseError([0, 0], 'RESOURCE_EXHAUSTION', 'its aliases expand to too much data')
    document.errors.push(Object.assign(fault, { linePos: [{ line: 1, col: 1 }] }))
    return undefined
  }
}
