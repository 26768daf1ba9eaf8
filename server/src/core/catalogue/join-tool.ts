import type { ServerSettings } from '../../contract/config.ts'
import type { Tool, ToolRow } from '../../contract/tool.ts'
import { inferEffects } from '../gate/risk/infer-effects.ts'
import { atLeastHinted, effectsOf, idempotentOf, riskClassOf } from './effects.ts'

/** A tool as rules, approvers and doors see it: its row joined with the operator's words about it. */
export function joinTool(row: ToolRow, settings: ServerSettings): Tool {
  const said = Object.hasOwn(settings.tools, row.definition.name) ? settings.tools[row.definition.name] : undefined
  const annotations = row.definition.annotations
  const { effects } = inferEffects(row.definition)
  const inferred = settings.openapi === undefined ? effects : atLeastHinted(effects, annotations)
  const known = effectsOf(said?.effects, annotations, settings.trusted, inferred)
  return {
    row,
    ...known,
    risk: riskClassOf(known.effects, said?.tags ?? []),
    idempotent: idempotentOf(said?.idempotent, annotations, settings.trusted, known),
    tags: said?.tags ?? [],
    ...(said?.title === undefined ? {} : { title: said.title }),
    ...(said?.dry_run === undefined ? {} : { dry_run: said.dry_run }),
    ...(said?.rollback === undefined ? {} : { rollback: said.rollback }),
    ...(said?.check === undefined ? {} : { check: said.check }),
    ...(said?.verify === undefined ? {} : { verify: said.verify }),
  }
}
