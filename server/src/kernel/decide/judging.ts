import type { Call } from '../contract/call.ts'
import type { Config } from '../contract/config.ts'
import type { Result } from '../contract/problems.ts'
import type { DocumentApprovals } from '../contract/routes.ts'
import type { Tool } from '../contract/tool.ts'
import type { ToolSettings } from '../contract/tool-settings.ts'
import type { ApprovalRoutes } from '../approvals/routes/routes.ts'
import type { ConsentMoment } from '../consents/match-consent.ts'
import type { ApproverPorts } from '../identity/count-approvers.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { FileFacts } from '../ports/files.ts'
import type { Accounts, Tables } from '../ports/reads.ts'
import type { Clock, Digest, MaybePromise, YieldWhenDue } from '../ports/runtime.ts'
import type { Scanner } from '../ports/scanner.ts'
import type { OpenSessions, Sessions } from '../ports/sessions.ts'
import type { ValueSource } from '../sessions/value-source.ts'
import type { ReadCommand } from './as-called.ts'
import type { CompiledBudget } from './budgets.ts'
import type { Decider } from './decider.ts'
import type { Facts, RunConsentFact } from './facts.ts'

/** What a guest adds to the judgement of calls. */
export type Judging = {
  readonly facts?: readonly Fact[]
  readonly deciders?: readonly Decider[]
  /** Compiles the guest's settings, once per start. A setting that cannot be used rejects the configuration. */
  readonly settings?: (config: Config, reader: SettingsReader) => MaybePromise<Result<Partial<Judgement>>>
  readonly commandOf?: ReadCommand
  /** Who is asked about a call, as its caller's program requires: only fewer people than the operator's route. */
  readonly asksOf?: (facts: Facts) => DocumentApprovals | undefined
  readonly readRunConsent?: ReadRunConsent
  readonly sourcesOf?: FindSources
  readonly openSessions?: OpenSessions
}

/** What a guest's settings are compiled with. */
export type SettingsReader = {
  readonly secretOf: (reference: string) => string | undefined
  readonly files: FileFacts
}

type FactOf<Name extends keyof Facts> = {
  readonly name: Name
  /** Undefined leaves the field out. A promise only if something has to be read. */
  gather(deps: FactsPorts, call: Call, tool: Tool, now: number): MaybePromise<Facts[Name] | undefined>
  /** The same for arguments that the gate filled in itself, if a `judgeFilled` needs it. */
  gatherFilled?(deps: FilledPorts, call: Call, tool: Tool): MaybePromise<Facts[Name] | undefined>
} & Neutral<Facts[Name]>

/** Its value for a harmless call, about which its decider has no opinion (law in decide.test.ts). */
type Neutral<Value> = undefined extends Value ? { readonly neutral?: never } : { readonly neutral: Value }

/** One field of `Facts`, and how it is determined. */
export type Fact = { [Name in keyof Facts]-?: FactOf<Name> }[keyof Facts]

/** What facts are gathered with. A guest adds the ports of its own facts by declaration merging. */
export interface FactsPorts extends ApproverPorts {
  readonly tables: Tables
  readonly accounts: Accounts
  readonly judgement: Judgement
  readonly catalogue: Catalogue
  readonly files: FileFacts
  readonly routes: ApprovalRoutes
  /** What each session has read. */
  readonly sessions: Sessions
  readonly clock: Clock
  readonly yieldWhenDue?: YieldWhenDue
}

/** What the facts about filled-in arguments are gathered with. */
export type FilledPorts = Pick<FactsPorts, 'judgement' | 'files' | 'clock' | 'yieldWhenDue'>

/** The consent of a call's run, if it covers an ask about this call now. */
export type ReadRunConsent = (
  deps: { readonly tables: Tables; readonly digest: Digest },
  call: Call,
  moment: ConsentMoment,
) => Promise<RunConsentFact | undefined>

/** Where the values of a call come from, for the person who decides about it. */
export type FindSources = (
  deps: { readonly tables: Pick<Tables, 'row'> },
  facts: Facts,
) => Promise<readonly ValueSource[]>

/**
 * Everything that a gate judges with besides the policy: the deciders and facts of the kernel and its guests, and the operator's settings,
 * compiled once. A guest adds its own settings by declaration merging.
 */
export interface Judgement extends Pick<Config, 'servers' | 'repetition'> {
  /** In the order of the evidence. */
  readonly deciders: readonly Decider[]
  readonly facts: readonly Fact[]
  readonly commandOf: ReadCommand
  readonly asksOf: (facts: Facts) => DocumentApprovals | undefined
  readonly runConsents: readonly ReadRunConsent[]
  readonly sourcesOf: FindSources
  readonly openSessions: OpenSessions
  /** How texts are searched. The default searches synchronously; the gate uses one with threads. */
  readonly scanner: Scanner
  readonly budgets: readonly CompiledBudget[]
}

/** The operator's settings for one tool. */
export function settingsOf({ servers }: Pick<Judgement, 'servers'>, { row }: Tool): ToolSettings | undefined {
  const tools = Object.hasOwn(servers, row.server) ? servers[row.server]?.tools : undefined
  const { name } = row.definition
  return tools !== undefined && Object.hasOwn(tools, name) ? tools[name] : undefined
}
