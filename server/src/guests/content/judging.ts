import type { Call } from '../../kernel/contract/call.ts'
import type { Config } from '../../kernel/contract/config.ts'
import { aboutWith, ok, refuse, type Problem, type Result } from '../../kernel/contract/problems.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import { personalIn, type ContentFact } from './content-fact.ts'
import { contentFact } from './facts/content-fact.ts'
import { trapFacts } from './facts/trap-facts.ts'
import { compileOwn } from './find-own.ts'
import type { GuardedTexts } from './guarded-texts.ts'
import { inlineScanner } from './inline-scanner.ts'
import { judgeContent } from './judge-content.ts'
import { judgeOwnCredentials } from './judge-own-credentials.ts'
import { judgeTrap, judgeTrapFacts, type TrapFacts, type TrapFile } from './judge-trap.ts'
import { redactingOwn } from './redacting-own.ts'
import { compileScanRules, type ScanRules } from './scan-rules.ts'
import type { ContentSearch } from './text-scanner.ts'
import { compileTrap, type Trap } from './traps.ts'
import type { FactsPorts, Judgement, Judging, SettingsReader } from '../../kernel/decide/judging.ts'

declare module '../../kernel/decide/facts.ts' {
  interface Facts {
    readonly traps: TrapFacts
    readonly content: ContentFact
    readonly guarded: GuardedTexts
  }
  interface FilledFacts {
    readonly traps: TrapFacts
    readonly guarded: GuardedTexts
  }
}

declare module '../../kernel/decide/judging.ts' {
  interface Judgement {
    /** What the deciders search the arguments for. */
    readonly search: ContentSearch
    readonly traps: readonly Trap[]
    readonly trapFiles: readonly TrapFile[]
    readonly scanRules: ScanRules
  }
}

export const judging: Judging = {
  settings: contentSettings,
  facts: [
    { name: 'traps', gather: trapFacts, gatherFilled: trapFacts, neutral: { files: [] } },
    {
      name: 'content',
      gather: ({ judgement }, call, tool) => contentFact(judgement, call, tool),
      neutral: {
        pii: 'ask',
        credentials: [],
        reach: { server: 'local', files: 'unknown' },
        scan: { findings: [], more: { secret: 0, pii: 0 }, marks: [], complete: true },
      },
    },
    { name: 'guarded', gather: guardedFact, gatherFilled: guardedFact, neutral: { own: [], sprung: [] } },
  ],
  deciders: [
    {
      name: 'trap',
      rank: 40,
      enforced_in_observe: true,
      stops_caller: true,
      judges_reads: true,
      judge: judgeTrap,
      judgeFilled: (_, facts) => judgeTrapFacts(facts),
    },
    {
      name: 'content',
      rank: 100,
      judges_reads: true,
      judge: judgeContent,
      coverable: {
        rule: 'content.pii',
        places: personalPlaces,
        says: 'it does not name the field that contains personal data',
      },
    },
    {
      name: 'content',
      rank: 110,
      judges_reads: true,
      protects_gate: ['content.own_credential'],
      judge: judgeOwnCredentials,
      judgeFilled: (call, facts) => judgeOwnCredentials(undefined, call, facts),
    },
  ],
}

function guardedFact(
  { judgement }: Pick<FactsPorts, 'judgement'>,
  { canonical_args }: Call,
): MaybePromise<GuardedTexts> {
  return judgement.search.guarded(canonical_args)
}

/** If there were too many findings to list, no consent can have named them all. */
function personalPlaces({ content: { scan, reach }, tool }: Facts) {
  return scan === 'unknown' || scan.more.pii > 0 ? 'unknown' : personalIn(scan.findings, tool, reach)
}

/** A shorter token would also occur in legitimate arguments. */
const SHORTEST_TOKEN = 8

/** INVARIANT: a trap whose token is missing or too short rejects the configuration; the token itself is never repeated. */
async function contentSettings(
  config: Config,
  { secretOf, files }: SettingsReader,
): Promise<Result<Partial<Judgement>>> {
  const traps: Trap[] = []
  for (const [at, reference] of config.traps.tokens.entries()) {
    const name = `traps.tokens.${at}`
    const token = secretOf(reference)
    if (token === undefined) return refuse('config.invalid', { paths: `${name}: the secret is missing` })
    if (token.replace(/\s/g, '').length < SHORTEST_TOKEN)
      return refuse('config.invalid', { paths: `${name}: a honey token has at least ${SHORTEST_TOKEN} characters` })
    traps.push(compileTrap('token', name, token))
  }
  const trapFiles = config.traps.files.map((path, at) => ({ name: `traps.files.${at}`, path }))
  for (const { name, path } of trapFiles) {
    const resolved = await files.configured(path)
    for (const spelled of new Set([resolved ?? path, path]))
      if (isAbsolute(spelled)) traps.push(compileTrap('file', name, spelled))
  }
  const rules = compileScanRules(config.dlp)
  if (!rules.ok) return namedRule(rules.problem)
  const scanRules = rules.value
  const own = compileOwn([])
  const scanner = redactingOwn(inlineScanner(scanRules), () => own, traps)
  return ok({ traps, trapFiles, scanRules, scanner, search: scanner })
}

function namedRule(found: Problem): Result<never> {
  const { path = 'a rule', why = 'cannot be used' } = found.about
  return { ok: false, problem: aboutWith(found, { paths: `dlp.rules: ${path}: ${why}` }) }
}

const isAbsolute = (path: string) => /^(?:\/|[A-Za-z]:[\\/])./.test(path)
