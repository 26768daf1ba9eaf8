import type { PacketRisk } from '../../contract/packet-parts.ts'
import type { Tool, ToolEffect } from '../../contract/tool.ts'

const EFFECTS: readonly (readonly [ToolEffect, string])[] = [
  ['privileged', 'uses special privileges'],
  ['destructive', 'can delete or overwrite something'],
  ['external', 'reaches people or the network'],
  ['write', 'changes something'],
  ['read', 'only reads'],
]

const FROM: Readonly<Record<Tool['effects_from'], string>> = {
  configured: 'your configuration says so',
  pack: 'known from the pack for this server',
  annotated: 'its server says so',
  inferred: 'inferred from its name, description and inputs',
  unknown: 'its effects are not declared, so it is treated as writing and external',
}

/** The risk class of a tool with its reasons. The highest for an unknown tool. */
export function riskInWords(tool: Pick<Tool, 'risk' | 'effects' | 'effects_from' | 'tags'> | undefined): PacketRisk {
  if (tool === undefined)
    return {
      class: 'critical',
      effects: [],
      effects_from: 'unknown',
      why: ['the tool is no longer in the catalogue'],
    }
  const { risk, effects, effects_from, tags = [] } = tool
  const acts = effects.some((effect) => effect !== 'read')
  const said = EFFECTS.filter(([effect]) => effects.includes(effect) && !(effect === 'read' && acts)).map(
    ([, why]) => why,
  )
  const isProduction = tags.some((tag) => tag.toLowerCase() === 'production')
  const why = [...(isProduction ? ['tagged production'] : []), ...said, FROM[effects_from]]
  return { class: risk, effects, effects_from, why }
}
