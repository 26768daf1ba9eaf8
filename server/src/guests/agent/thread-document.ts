import type { ByRun } from '../../kernel/contract/call.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import type { AgentState } from './state.ts'
import { agent } from './step.ts'
import type { Documents, OpenDocument } from '../workflows/api.ts'

export type ThreadDocumentDeps = { readonly documents: Pick<Documents, 'version'> }

/** The version of the document whose agent answers in this thread; undefined for a thread without one. */
export async function documentOf(
  { documents }: ThreadDocumentDeps,
  { document }: AgentState,
): Promise<OpenDocument | undefined> {
  if (document === undefined) return undefined
  const opened = await documents.version(document.name, document.version)
  if (opened === undefined) throw new Bug(`version ${document.version} of \`${document.name}\` no longer exists`)
  return opened
}

/** The origin of every call of a thread, including the document, so that its capabilities apply. */
export const byThread = ({ run_id, document }: AgentState): Omit<ByRun, 'step'> => ({
  run_id,
  kind: agent.kind,
  lane: null,
  at_least: 'allow',
  ...(document === undefined ? {} : { document: `${document.name}@${document.version}` }),
  ...(document === undefined || document.hold_s === null ? {} : { hold_s: document.hold_s }),
})
