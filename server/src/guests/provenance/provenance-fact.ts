import type { Provenance, ProvenanceMode } from './provenance.ts'
import type { ProvenanceJudgement } from './rules.ts'
import type { Session } from './session.ts'

/** What is known about the sources of the session's text, and how strictly a call is judged by it. */
export type ProvenanceFact = {
  readonly session: Session
  readonly mode: ProvenanceMode
  /** For this call. */
  readonly judgement: ProvenanceJudgement
  /** Modes of individual fields, by JSON pointer. */
  readonly fields: Readonly<Record<string, ProvenanceMode>>
}

declare module '../../kernel/decide/facts.ts' {
  interface Facts {
    /** What is known about the sources of the session's text; `off` if the operator disabled provenance. */
    readonly provenance: ProvenanceFact | 'off' | 'unknown'
  }
}

declare module '../../kernel/decide/judging.ts' {
  interface Judgement {
    readonly provenance: Provenance
  }
}
