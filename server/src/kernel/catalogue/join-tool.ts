import type { ServerSettings } from '../contract/server-settings.ts'
import { inForce, type Tool, type ToolDefinition, type ToolEffect, type ToolRow } from '../contract/tool.ts'
import type { InferEffects, PackedTool, PackOf } from '../ports/effects-source.ts'
import { effectsOf, idempotentOf, riskClassOf, type KnownEffects } from './effects.ts'

type Said = ServerSettings['tools'][string] | undefined
/** What is known beside the settings: from packs, and from the definition's own words. */
export type JoinWith = { readonly packOf?: PackOf | undefined; readonly infer?: InferEffects | undefined }

/** The effects and risk that follow from one definition. */
function claimsOf(
  definition: ToolDefinition,
  hash: string,
  settings: ServerSettings,
  said: Said,
  { packOf, infer }: JoinWith,
) {
  const { annotations } = definition
  const effects = infer?.(definition, hash)
  const packed = packOf?.(definition.name, hash)
  const known = withPack(effectsOf(said?.effects, annotations, settings.trusted, effects), packed)
  return { packed, known, idempotent: idempotentOf(said?.idempotent, annotations, settings.trusted, known) }
}

/**
 * INVARIANT: the operator's declaration overrides every pack, and a pack decides only about the definitions it was made from; for
 * any other definition it can only add effects.
 */
function withPack(known: KnownEffects, packed: PackedTool | undefined): KnownEffects {
  if (packed === undefined || known.effects_from === 'configured') return known
  if (packed.is_known) return { effects: packed.effects, effects_from: 'pack' }
  const effects = raisedBy(known.effects, packed)
  const isSame = effects.length === known.effects.length && effects.every((effect) => known.effects.includes(effect))
  return isSame ? known : { effects, effects_from: 'pack' }
}

/** For a definition that the pack does not know: the tool's other effects plus those in the pack. */
function raisedBy(effects: readonly ToolEffect[], packed: PackedTool): readonly ToolEffect[] {
  const feared = packed.effects.filter((effect) => effect !== 'read')
  if (feared.length === 0) return effects
  return [...new Set([...effects.filter((effect) => effect !== 'read'), ...feared])]
}

const union = (a: readonly ToolEffect[], b: readonly ToolEffect[]): readonly ToolEffect[] => [...new Set([...a, ...b])]

/**
 * A tool as rules, approvers and doors see it: its row joined with the operator's settings.
 * INVARIANT: a definition that is not admitted adds effects and removes none.
 */
export function joinTool(row: ToolRow, settings: ServerSettings, using: JoinWith = {}): Tool {
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

const rollbackIn = (packed: PackedTool | undefined): Pick<Tool, 'rollback'> =>
  packed?.rollback === undefined ? {} : { rollback: packed.rollback }

function aboutPack(packed: PackedTool | undefined): Pick<Tool, 'pack' | 'amounts' | 'recipients' | 'paths'> {
  if (packed === undefined) return {}
  const { amounts, recipients, paths } = packed
  return {
    pack: packed.pack,
    ...(amounts.length === 0 ? {} : { amounts }),
    ...(recipients.length === 0 ? {} : { recipients }),
    ...(paths.length === 0 ? {} : { paths }),
  }
}
