import type { DocumentHead, DocumentVersion } from './workflow.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import type { Documents, OpenDocument } from './api.ts'
import { compileCapabilities } from './capabilities.ts'
import { readDocument } from './read-document.ts'
import { compileTriggers } from './triggers.ts'
import type { Tables } from '../../kernel/ports/reads.ts'

export const headId = (name: string): string => `head ${name}`
export const versionId = (name: string, version: number): string => `version ${name} ${version}`

const MOST_KEPT = 256
const PAGE = 200

export function openDocuments(tables: Tables): Documents {
  const kept = new Map<string, OpenDocument>()

  async function version(name: string, number: number): Promise<OpenDocument | undefined> {
    const id = versionId(name, number)
    const known = kept.get(id)
    if (known !== undefined) return known
    const row = (await tables.row('documents', id))?.row
    if (row?.part !== 'version') return undefined
    const opened = openVersion(row)
    if (kept.size >= MOST_KEPT) kept.clear()
    kept.set(id, opened)
    return opened
  }

  async function head(name: string) {
    const held = await tables.row('documents', headId(name))
    return held?.row.part === 'head' ? { ...held, row: held.row } : undefined
  }

  return {
    head,
    version,
    async heads() {
      const heads: DocumentHead[] = []
      for (let after: number | undefined; ;) {
        const page = await tables.list(
          'documents',
          { part: 'head' },
          after === undefined ? { limit: PAGE } : { limit: PAGE, after },
        )
        for (const { row } of page) if (row.part === 'head') heads.push(row)
        if (page.length < PAGE) return heads
        after = page.at(-1)?.cursor
      }
    },
    async current(name) {
      const held = await head(name)
      return held === undefined ? undefined : version(name, held.row.current)
    },
  }
}

function openVersion(row: DocumentVersion): OpenDocument {
  const read = readDocument(row.text)
  // Apply rejects an invalid one, and its row has a MAC.
  if (!read.ok) throw new Bug(`version ${row.number} of \`${row.name}\` cannot be read`)
  const { document } = read
  const { name, number } = row
  return {
    name,
    version: number,
    row,
    document,
    capabilities: compileCapabilities(`${name}@${number}`, document),
    triggers: compileTriggers(document),
  }
}
