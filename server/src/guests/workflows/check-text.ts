import type { DocumentFault } from './raw-document.ts'
import { drawDocument } from './graph.ts'
import { readDocument, spellFault } from './read-document.ts'

export type CheckedText = {
  readonly faults: readonly DocumentFault[]
  readonly lines: readonly string[]
  readonly name?: string
  readonly protocols: number
}

/** What is wrong with the text of a document; `lines` formats it for a terminal. */
export function checkText(text: string, file: string): CheckedText {
  const read = readDocument(text)
  if (!read.ok) return { faults: read.faults, lines: read.faults.map((fault) => spellFault(file, fault)), protocols: 0 }
  return {
    faults: [],
    lines: [],
    name: read.document.metadata.name,
    protocols: read.document.workflow.protocols.length,
  }
}

/** The protocols of a document as Mermaid; undefined if it has mistakes. */
export function drawText(text: string): string | undefined {
  const read = readDocument(text)
  return read.ok ? drawDocument(read.document) : undefined
}
