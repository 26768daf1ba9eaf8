import { readFile, stat } from 'node:fs/promises'
import { parseDocument } from 'yaml'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'

const MOST_BYTES = 32 * 1_048_576
/** YAML takes a hundred times as long to parse as JSON, and blocks the gate. */
const MOST_YAML_BYTES = 4 * 1_048_576

export type Document = { readonly root: JsonObject; readonly version: '3.0' | '3.1' }

/** An OpenAPI file, or a sentence about why it cannot be used. */
export async function readDocument(file: string): Promise<Document | string> {
  const text = await textOf(file)
  if (!text.ok) return text.says
  const root = /^\s*\{/.test(text.value) ? fromJson(text.value) : fromYaml(text.value)
  if (typeof root === 'string') return root
  const { openapi, swagger } = root
  if (swagger !== undefined) return 'it is a Swagger 2.0 file; convert it to OpenAPI 3'
  const version = typeof openapi === 'string' ? /^3\.[01](?=\.|$)/.exec(openapi)?.[0] : undefined
  if (version !== '3.0' && version !== '3.1') return 'it does not say `openapi: 3.0.x` or `openapi: 3.1.x`'
  return { root, version }
}

type Text = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly says: string }

async function textOf(file: string): Promise<Text> {
  try {
    const { size } = await stat(file)
    if (size > MOST_BYTES) return { ok: false, says: `the file has ${size} bytes, more than ${MOST_BYTES}` }
    return { ok: true, value: await readFile(file, 'utf8') }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    return { ok: false, says: `the file \`${file}\` cannot be read (${code})` }
  }
}

function fromJson(text: string): JsonObject | string {
  try {
    const value = JSON.parse(text) as Json
    return isJsonObject(value) ? value : 'the file does not contain an object'
  } catch {
    return 'the file is not JSON'
  }
}

function fromYaml(text: string): JsonObject | string {
  if (text.length > MOST_YAML_BYTES) return `a YAML file has at most ${MOST_YAML_BYTES} bytes; convert it to JSON`
  const document = parseDocument(text, { logLevel: 'silent' })
  const [fault] = document.errors
  if (fault !== undefined) return `the file is not YAML: ${fault.message.split('\n')[0]}`
  try {
    // Through JSON: dates and the like become what they are on the wire, and circular values are rejected.
    const value = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 1_000 }))) as Json
    return isJsonObject(value) ? value : 'the file does not contain an object'
  } catch {
    return 'the file contains a reference to itself'
  }
}
