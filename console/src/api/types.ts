import type { z } from 'zod'
import type {
  AuditEntryAnswer,
  CallAnswer,
  DecidedAnswer,
  KeyAnswer,
  PacketAnswer,
  PauseAnswer,
  RunAnswer,
  RunDetailsAnswer,
  ServerAnswer,
  ToolAnswer,
} from '../../../server/src/contract/answers.ts'
import type { PacketChange, PacketFacts, PacketRisk } from '../../../server/src/contract/packet-parts.ts'
import type { Sentence } from '../../../server/src/contract/sentence.ts'
import type { ValueSource } from '../../../server/src/contract/value-source.ts'

/** What the gate may add to a packet. A part that is absent is not known, and the page says nothing about it. */
type PacketParts = {
  readonly sentence?: Sentence
  readonly risk?: PacketRisk
  readonly sources?: readonly ValueSource[]
  readonly changes?: readonly PacketChange[]
  readonly facts?: PacketFacts
}

export type Packet = Omit<z.infer<typeof PacketAnswer>, keyof PacketParts> & PacketParts
export type Opinion = Packet['risk_notes'][number]
export type Source = ValueSource
export type Decided = z.infer<typeof DecidedAnswer>
export type Tool = z.infer<typeof ToolAnswer>
export type Server = z.infer<typeof ServerAnswer>
export type Pause = z.infer<typeof PauseAnswer>
export type Run = z.infer<typeof RunAnswer>
export type RunDetails = z.infer<typeof RunDetailsAnswer>
export type AuditEntry = z.infer<typeof AuditEntryAnswer>
export type Key = z.infer<typeof KeyAnswer>
export type CallOutcome = z.infer<typeof CallAnswer>
export type Page<T> = { readonly items: readonly T[]; readonly next?: number }
