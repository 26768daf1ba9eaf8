import type { ProvenanceMode } from '../../contract/provenance.ts'
import type { Judgement } from './rules.ts'
import type { Session } from './session.ts'

/** What the session knows of whose words are whose, and how closely a call is judged by it. */
export type ProvenanceFact = {
  readonly session: Session
  readonly mode: ProvenanceMode
  /** Of this call. */
  readonly judgement: Judgement
  /** Modes of single fields, by JSON pointer. */
  readonly fields: Readonly<Record<string, ProvenanceMode>>
}
