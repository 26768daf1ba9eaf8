import { chmodSync, existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseDocument, stringify, type Document, type Node } from 'yaml'
import type { PolicyStore } from '../kernel/policy/put-policy.ts'
import { ok, refuse, type Result } from '../kernel/contract/problems.ts'
import { readDocument } from './config-document.ts'

const DEFAULT_TEXT = 'preset: careful\nrules: []\n'

/**
 * The policy of a configuration file, to be read as text and to be replaced: the file it names, or the part of it that is the
 * policy.
 */
export function policyStore(config: string): PolicyStore {
  return {
    text() {
      const { document } = readDocument(config)
      const named = document.get('policy')
      if (typeof named === 'string') {
        const file = resolve(dirname(config), named)
        return existsSync(file) ? readFileSync(file, 'utf8') : DEFAULT_TEXT
      }
      return document.has('policy') ? spelled(document) : DEFAULT_TEXT
    },
    replace(text) {
      const { env, document } = readDocument(config)
      if (env.overrides.some(({ path }) => path[0] === 'policy'))
        return refuse('policy.not_writable', { why: 'the environment sets it' })
      const named = document.get('policy')
      return typeof named === 'string'
        ? replaceFile(resolve(dirname(config), named), text)
        : replaceFile(config, withPolicy(config, text))
    },
  }
}

/** The policy inside a configuration, as a separate text. JSON is written as YAML, which is easier to read. */
function spelled(document: Document.Parsed): string {
  const node = document.get('policy', true) as (Node & { flow?: boolean }) | undefined
  return node === undefined || node.flow === true ? stringify(document.toJS({}).policy) : stringify(node)
}

/** The file with another policy. Everything else in it is unchanged, with its comments. */
function withPolicy(config: string, text: string): string {
  const document = parseDocument(existsSync(config) ? readFileSync(config, 'utf8') : '')
  document.set('policy', parseDocument(text).contents)
  return String(document)
}

/** Atomically: a concurrent reader sees the old text or the new one. A link stays a link. */
function replaceFile(file: string, text: string): Result<{ readonly undo: () => void }> {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  const wrote = swap(file, text)
  if (!wrote.ok) return wrote
  return ok({
    undo: () => {
      if (before === undefined) rmSync(file, { force: true })
      else swap(file, before)
    },
  })
}

function swap(file: string, text: string): Result<void> {
  const place = existsSync(file) ? realpathSync(file) : file
  const aside = join(dirname(place), `.${process.pid}.${Date.now()}.policy`)
  try {
    writeFileSync(aside, text, { mode: 0o600, flag: 'wx' })
    if (existsSync(place)) chmodSync(aside, statSync(place).mode & 0o777)
    renameSync(aside, place)
    return ok(undefined)
  } catch (error) {
    rmSync(aside, { force: true })
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return refuse('policy.not_writable', { why: `the file could not be written (${code})` })
  }
}
