import type { ServerSettings } from '../../contract/config.ts'
import { inForce, type Tool, type ToolDefinition, type ToolEffect, type ToolRow } from '../../contract/tool.ts'
import { inferEffects } from '../gate/risk/infer-effects.ts'
import { effectsOf, idempotentOf, riskClassOf } from './effects.ts'

type Said = ServerSettings['tools'][string] | undefined

/** What one definition makes of a tool. */
function claimsOf(definition: ToolDefinition, settings: ServerSettings, said: Said) {
  const { annotations } = definition
  const { effects } = inferEffects(definition)
  const known = effectsOf(said?.effects, annotations, settings.trusted, effects)
  return { known, idempotent: idempotentOf(said?.idempotent, annotations, settings.trusted, known) }
}

const union = (a: readonly ToolEffect[], b: readonly ToolEffect[]): readonly ToolEffect[] => [...new Set([...a, ...b])]

/**
 * A tool as rules, approvers and doors see it: its row joined with the operator's words about it.
 * INVARIANT: a definition that is not admitted adds effects and takes none away.
 */
export function joinTool(row: ToolRow, settings: ServerSettings): Tool {
  const said = Object.hasOwn(settings.tools, row.definition.name) ? settings.tools[row.definition.name] : undefined
  const listed = claimsOf(row.definition, settings, said)
  const isOne = row.admitted === undefined || row.admitted.hash === row.definition_hash
  const admitted = isOne ? listed : claimsOf(inForce(row).definition, settings, said)
  const known = { ...admitted.known, effects: union(admitted.known.effects, listed.known.effects) }
  return {
    row,
    ...known,
    risk: riskClassOf(known.effects, said?.tags ?? []),
    idempotent: admitted.idempotent && listed.idempotent,
    tags: said?.tags ?? [],
    ...(said?.title === undefined ? {} : { title: said.title }),
    ...(said?.shell === undefined ? {} : { shell: said.shell }),
    ...(said?.dry_run === undefined ? {} : { dry_run: said.dry_run }),
    ...(said?.rollback === undefined ? {} : { rollback: said.rollback }),
    ...(said?.check === undefined ? {} : { check: said.check }),
    ...(said?.verify === undefined ? {} : { verify: said.verify }),
  }
}
