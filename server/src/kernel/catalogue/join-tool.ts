import type { ServerSettings } from '../contract/config.ts'
import { inForce, type Tool, type ToolDefinition, type ToolEffect, type ToolRow } from '../contract/tool.ts'
import { inferEffects } from '../../guests/risk/infer-effects.ts'
import { packSays, raisedBy, type KnownPack, type PackSays } from '../../guests/packs/match-pack.ts'
import { effectsOf, idempotentOf, riskClassOf, type KnownEffects } from './effects.ts'

type Said = ServerSettings['tools'][string] | undefined
type JoinWith = { readonly pack?: KnownPack; readonly infer?: InferBy }

/** The effects of a definition; the hash identifies it, so that the caller may cache them. */
export type InferBy = (definition: ToolDefinition, hash: string) => readonly ToolEffect[]
const inferNow: InferBy = (definition) => inferEffects(definition).effects

/** The effects and risk that follow from one definition. */
function claimsOf(
  definition: ToolDefinition,
  hash: string,
  settings: ServerSettings,
  said: Said,
  { pack, infer = inferNow }: JoinWith,
) {
  const { annotations } = definition
  const effects = infer(definition, hash)
  const packed = packSays(pack, definition.name, hash)
  const known = withPack(effectsOf(said?.effects, annotations, settings.trusted, effects), packed)
  return { packed, known, idempotent: idempotentOf(said?.idempotent, annotations, settings.trusted, known) }
}

/**
 * INVARIANT: the operator's declaration overrides every pack, and a pack decides only about the definitions it was made from; for
 * any other definition it can only add effects.
 */
function withPack(known: KnownEffects, packed: PackSays | undefined): KnownEffects {
  if (packed === undefined || known.effects_from === 'configured') return known
  if (packed.is_known) return { effects: packed.tool.effects, effects_from: 'pack' }
  const effects = raisedBy(known.effects, packed)
  const isSame = effects.length === known.effects.length && effects.every((effect) => known.effects.includes(effect))
  return isSame ? known : { effects, effects_from: 'pack' }
}

const union = (a: readonly ToolEffect[], b: readonly ToolEffect[]): readonly ToolEffect[] => [...new Set([...a, ...b])]

/**
 * A tool as rules, approvers and doors see it: its row joined with the operator's settings.
 * INVARIANT: a definition that is not admitted adds effects and removes none.
 */
export function joinTool(row: ToolRow, settings: ServerSettings, pack?: KnownPack, infer?: InferBy): Tool {
  const using: JoinWith = { ...(pack === undefined ? {} : { pack }), ...(infer === undefined ? {} : { infer }) }
  const said = Object.hasOwn(settings.tools, row.definition.name) ? settings.tools[row.definition.name] : undefined
  const listed = claimsOf(row.definition, row.definition_hash, settings, said, using)
  const isOne = row.admitted === undefined || row.admitted.hash === row.definition_hash
  const admitted = isOne ? listed : claimsOf(inForce(row).definition, inForce(row).hash, settings, said, using)
  const known = { ...admitted.known, effects: union(admitted.known.effects, listed.known.effects) }
  // What a pack knows about the admitted definition, while that is the one that is listed.
  const packed = isOne && listed.packed?.is_known === true ? listed.packed : undefined
  return {
    row,
    ...known,
    risk: riskClassOf(known.effects, said?.tags ?? []),
    idempotent: admitted.idempotent && listed.idempotent,
    tags: said?.tags ?? [],
    ...(said?.title === undefined ? {} : { title: said.title }),
    ...(settings.client === undefined ? {} : { executor: 'client' as const }),
    ...(said?.shell === undefined ? {} : { shell: said.shell }),
    ...(said?.dry_run === undefined ? {} : { dry_run: said.dry_run }),
    ...(said?.rollback === undefined ? rollbackIn(packed) : { rollback: said.rollback }),
    ...aboutPack(packed),
    ...(said?.check === undefined ? {} : { check: said.check }),
    ...(said?.verify === undefined ? {} : { verify: said.verify }),
  }
}

const rollbackIn = (packed: PackSays | undefined): Pick<Tool, 'rollback'> =>
  packed?.tool.rollback === undefined ? {} : { rollback: packed.tool.rollback }

function aboutPack(packed: PackSays | undefined): Pick<Tool, 'pack' | 'amounts' | 'recipients' | 'paths'> {
  if (packed === undefined) return {}
  const { amounts, recipients, paths } = packed.tool
  return {
    pack: packed.pack,
    ...(amounts.length === 0 ? {} : { amounts }),
    ...(recipients.length === 0 ? {} : { recipients }),
    ...(paths.length === 0 ? {} : { paths }),
  }
}
