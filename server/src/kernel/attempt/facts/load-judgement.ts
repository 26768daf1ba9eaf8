import type { Config } from '../../contract/config.ts'
import { ok, refuse, type Problem, type Result } from '../../contract/problems.ts'
import type { Tool } from '../../contract/tool.ts'
import type { ToolSettings } from '../../contract/tool-settings.ts'
import { compileBudget, type CompiledBudget } from '../../decide/budgets.ts'
import { compileTrap, type Trap } from '../../../guests/content/traps.ts'
import type { FileFacts } from '../../ports/files.ts'
import { inlineScanner } from '../../../guests/content/inline-scanner.ts'
import { compileScanRules, type ScanRules } from '../../../guests/content/scan-rules.ts'
import type { Scanner } from '../../ports/scanner.ts'

/** The operator's settings for the deciders besides the policy, compiled once. */
export type Judgement = Pick<Config, 'servers' | 'repetition' | 'provenance'> & {
  readonly traps: readonly Trap[]
  readonly trapFiles: readonly { readonly name: string; readonly path: string }[]
  /** How texts are searched. The default searches synchronously; the gate uses one with threads. */
  readonly scanner: Scanner
  readonly scanRules: ScanRules
  readonly budgets: readonly CompiledBudget[]
}

/** A shorter token would also occur in legitimate arguments. */
const SHORTEST_TOKEN = 8

/** INVARIANT: a trap whose token is missing or too short rejects the configuration; the token itself is never repeated. */
export async function loadJudgement(
  config: Pick<Config, 'servers' | 'repetition' | 'provenance' | 'traps' | 'budgets' | 'dlp'>,
  secretOf: (reference: string) => string | undefined,
  files: FileFacts,
): Promise<Result<Judgement>> {
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
  const scanner = inlineScanner(scanRules)
  const { servers, repetition, provenance } = config
  const budgets = config.budgets.map(compileBudget)
  return ok({ servers, repetition, provenance, traps, trapFiles, scanner, scanRules, budgets })
}

function namedRule({ code, about }: Problem): Result<never> {
  return refuse(code, { paths: `dlp.rules: ${about['path'] ?? 'a rule'}: ${about['why'] ?? 'cannot be used'}` })
}

const isAbsolute = (path: string) => /^(?:\/|[A-Za-z]:[\\/])./.test(path)

/** The operator's settings for one tool. */
export function settingsOf({ servers }: Pick<Judgement, 'servers'>, { row }: Tool): ToolSettings | undefined {
  const tools = Object.hasOwn(servers, row.server) ? servers[row.server]?.tools : undefined
  const { name } = row.definition
  return tools !== undefined && Object.hasOwn(tools, name) ? tools[name] : undefined
}
