import type { AnyRoute, RootRoute as AnyRoot, Register } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import type { RunWithEvents } from './api/types.ts'
import type { GroupName, ConsolePage } from './shell/pages.ts'
import type { Walked } from './runs/run-graph.ts'

/** What is shown of a run whose journal does not name its steps. */
export type RunViewProps = {
  readonly run: RunWithEvents
  /** How many entries of the journal are looked at. */
  readonly at: number
  readonly children: (shown: { readonly walked: Walked; readonly link: ReactNode }) => ReactNode
}

export type ServerLoginProps = {
  readonly server: string
  /** Whose login it is: the gate's, or each user's own. */
  readonly per: 'gate' | 'user'
  readonly needed: boolean
}

/** What a guest of the gate adds to the console: light data, and pages that are loaded when they are opened. */
export type ConsoleGuest = {
  /** As in the gate, and the name of its folder. */
  readonly name: string
  readonly routes: (root: RootRoute) => readonly AnyRoute[]
  readonly pages?: readonly (ConsolePage & { readonly group: GroupName })[]
  /** Kinds of its runs: what they are called, and how they are shown. */
  readonly runs?: Readonly<Record<string, { readonly word: string; readonly View?: ComponentType<RunViewProps> }>>
  /** A card of the settings of everybody who decides. */
  readonly ofDeciders?: ComponentType
  /** What is shown of a tool server that somebody logs in to. */
  readonly ofServer?: ComponentType<ServerLoginProps>
  /** The queries to refresh after each kind of change. */
  readonly touched?: Readonly<Record<string, readonly string[]>>
}

export type RootRoute = AnyRoot<Register>
