import type { Config } from '../../../contract/config.ts'
import { Bug, ok, refuse, type Problem, type Result } from '../../../contract/problems.ts'
import type { Tool } from '../../../contract/tool.ts'
import type { ToolSettings } from '../../../contract/tool-settings.ts'
import { compileRules, type CompiledRules } from '../../../core/dlp/compile-rules.ts'
import { BUILT_IN_RULES } from '../../../core/dlp/rules/built-in-rules.ts'
import { compileBudget, type CompiledBudget } from '../../../core/gate/budgets/budgets.ts'
import { compileTrap, type Trap } from '../../../core/gate/traps/traps.ts'
import type { FileFacts } from './file-facts.ts'

/** What the operator says to the deciders beside the policy, compiled once. */
export type Judgement = Pick<Config, 'servers' | 'repetition'> & {
  readonly traps: readonly Trap[]
  readonly trapFiles: readonly { readonly name: string; readonly path: string }[]
  /** Everything sensitive, for the `content` decider. */
  readonly rules: CompiledRules
  /** What even an approver need not see, and a call that never runs need not leave behind. */
  readonly secretRules: CompiledRules
  /** What no answer of a tool server may carry to a model; undefined where the operator wants answers as they are. */
  readonly outputRules: CompiledRules | undefined
  readonly budgets: readonly CompiledBudget[]
}

/** A shorter token would stand in honest arguments too. */
const SHORTEST_TOKEN = 8

/** INVARIANT: a trap whose token is not there or too short refuses the configuration; the token itself is repeated nowhere. */
export async function loadJudgement(
  config: Pick<Config, 'servers' | 'repetition' | 'traps' | 'budgets' | 'dlp'>,
  secretOf: (reference: string) => string | undefined,
  files: FileFacts,
): Promise<Result<Judgement>> {
  const traps: Trap[] = []
  for (const [at, reference] of config.traps.tokens.entries()) {
    const name = `traps.tokens.${at}`
    const token = secretOf(reference)
    if (token === undefined) return refuse('config.invalid', { paths: `${name}: secret is absent` })
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
  const rules = compileRules(BUILT_IN_RULES, config.dlp.rules)
  if (!rules.ok) return namedRule(rules.problem)
  const secretRules = rulesFor({ ...config.dlp, outputs: 'strict' })
  const outputRules = config.dlp.outputs === 'off' ? undefined : rulesFor(config.dlp)
  const { servers, repetition } = config
  const budgets = config.budgets.map(compileBudget)
  return ok({ servers, repetition, traps, trapFiles, rules: rules.value, secretRules, outputRules, budgets })
}

/** Guesses from a name or from randomness alone: right for what is sent, but they would also hit page tokens in answers. */
const GUESSES = ['assigned-password', 'assigned-credential', 'random-string']

function rulesFor({ outputs, rules: extra }: Config['dlp']): CompiledRules {
  const wanted = BUILT_IN_RULES.filter(
    ({ id, kind }) => outputs === 'all' || (kind === 'secret' && (outputs === 'strict' || !GUESSES.includes(id))),
  )
  const compiled = compileRules(wanted, extra)
  if (!compiled.ok) throw new Bug('rules that compile together compile in part')
  return compiled.value
}

function namedRule({ code, about }: Problem): Result<never> {
  return refuse(code, { paths: `dlp.rules: ${about['path'] ?? 'a rule'}: ${about['why'] ?? 'cannot be used'}` })
}

const isAbsolute = (path: string) => /^(?:\/|[A-Za-z]:[\\/])./.test(path)

/** The operator's words about one tool. */
export function settingsOf({ servers }: Judgement, { row }: Tool): ToolSettings | undefined {
  const tools = Object.hasOwn(servers, row.server) ? servers[row.server]?.tools : undefined
  const { name } = row.definition
  return tools !== undefined && Object.hasOwn(tools, name) ? tools[name] : undefined
}
