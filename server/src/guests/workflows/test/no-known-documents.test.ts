import { globSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readDocument } from '../read-document.ts'

const root = resolve(import.meta.dirname, '../../../../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** Behaviour is defined in documents: the gate contains nothing specific to any of them. */
test('nothing in the sources names a document, a protocol, a prefix or a person of an example', () => {
  const documents = globSync('examples/**/*.{yaml,yml}', { cwd: root }).filter((file) =>
    /^apiVersion: gosuto\/v1$/m.test(textOf(file)),
  )
  expect(documents.length).toBeGreaterThan(0)
  const words = documents.flatMap((file) => {
    const read = readDocument(textOf(file))
    expect(read.ok ? [] : read.faults, file).toEqual([])
    if (!read.ok) return []
    const { metadata, trust, workflow } = read.document
    return [
      metadata.name,
      ...workflow.protocols.flatMap(({ id, trigger }) => [id, trigger.prefix]),
      ...trust.trustedPeers.map(({ mxid }) => mxid),
    ].filter((word) => word.length > 3)
  })
  const sources = globSync('{server/src,console/src,bin}/**/*', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(?:test|suite)\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  expect(sources.length).toBeGreaterThan(500)
  const known = sources.flatMap((file) => {
    const text = textOf(file)
    return [...new Set(words)]
      .filter((word) => new RegExp(`(?<![\\w.])${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.])`).test(text))
      .map((word) => `${file}: ${word}`)
  })
  expect(known).toEqual([])
})
