import type { Caller } from '../contract/caller.ts'
import type { Tool } from '../contract/tool.ts'
import type { Catalogue } from './catalogue.ts'
import type { Ledger } from './ledger.ts'
import type { Tables } from './reads.ts'
import type { Clock, YieldWhenDue } from './runtime.ts'

/** A tool that matches a query. */
export type RankedTool = {
  readonly tool_id: string
  /** 0 to 1: about how often a tool that matches a query this well is the intended one. */
  readonly score_hint: number
  /** What of the tool matched, in words. */
  readonly reason: string
}

export type ToolQuery = {
  readonly query: string
  readonly top_k: number
  /** Only these tools may be found. */
  readonly counts: (tool: Tool) => boolean
  /** Whose earlier searches may affect the order, and who may be offered this order again. Without it nobody's. */
  readonly learns_of?: Caller
}

/** Finds the tools that match a query best. Without a guest that does, the catalogue compares the words of names. */
export interface Ranker {
  /** Notes a tool whose words may have changed. */
  changed(before: Tool | undefined, tool: Tool): void
  /** Starts to read what has changed, in the background. */
  readSoon(): void
  /** Best first. */
  rank(asked: ToolQuery): Promise<readonly RankedTool[]>
  /** Set while it finds less than it is configured to find. */
  notice?(): string | undefined
  /** A caller's call has run; set if it learns from that. It never throws. */
  executed?(caller: Caller, tool_id: string): void
}

export type RankerPorts = {
  readonly catalogue: Pick<Catalogue, 'tool' | 'tools'>
  readonly ledger: Ledger
  readonly tables: Pick<Tables, 'row'>
  readonly clock: Clock
  readonly pause: (ms: number) => Promise<void>
  readonly yieldWhenDue?: YieldWhenDue
  /** A folder for files that may be lost. */
  readonly cache: string
  /** Takes the gate's own secrets out of texts that leave it. */
  readonly redact: <T>(texts: T) => T
}
export type OpenRanker = (ports: RankerPorts) => Promise<Ranker>

declare module './guest-ports.ts' {
  interface GuestPorts {
    /** Without it, tools are found by the words of their names. */
    readonly openRanker?: OpenRanker
  }
}
