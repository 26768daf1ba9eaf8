import type { AnswerOf } from '../../../server/src/client/client.ts'
import type { PacketChange, PacketFacts, PacketRisk } from '../../../server/src/kernel/approvals/packet-parts.ts'
import type { Sentence } from '../../../server/src/kernel/contract/sentence.ts'
import type { ValueSource } from '../../../server/src/kernel/sessions/value-source.ts'

/** Optional parts of a packet. If one is absent, the page does not show it. */
type PacketParts = {
  readonly sentence?: Sentence
  readonly risk?: PacketRisk
  readonly sources?: readonly ValueSource[]
  readonly changes?: readonly PacketChange[]
  readonly facts?: PacketFacts
}

export type Packet = Omit<AnswerOf<'GET /v1/approvals/{approval_id}'>, keyof PacketParts> & PacketParts
export type ShownOpinion = Packet['risk_notes'][number]
export type DecidedRequest = AnswerOf<'POST /v1/approvals/{approval_id}/decide'>
export type ListedTool = AnswerOf<'GET /v1/tools'>['items'][number]
export type Server = AnswerOf<'GET /v1/servers'>['items'][number]
export type Pause = AnswerOf<'GET /v1/pauses'>['items'][number]
export type ListedRun = AnswerOf<'GET /v1/runs'>['items'][number]
export type RunWithEvents = AnswerOf<'GET /v1/runs/{run_id}'>
export type ListedEntry = AnswerOf<'GET /v1/audit'>['items'][number]
export type ListedKey = AnswerOf<'GET /v1/keys'>['items'][number]
export type KeyGrants = AnswerOf<'GET /v1/keys/{key_id}/grants'>['grants']
export type CallOutcome = AnswerOf<'POST /v1/calls'>
export type ListPage<T> = { readonly items: readonly T[]; readonly next?: number }
