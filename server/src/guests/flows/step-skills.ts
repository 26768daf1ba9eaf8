import type { FlowSettings, FlowStep, SkillRef } from './flows.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { LiveCatalogue } from '../../kernel/catalogue/catalogue.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'

export type SkillDeps = {
  readonly flowSettings: FlowSettings
  readonly judgement: Pick<Judgement, 'servers'>
  readonly catalogue: Pick<LiveCatalogue, 'tool'>
}

/** What a step's execution may use: tools by their ids, and prompts of connected servers. */
export type Skills = { readonly tools: readonly string[]; readonly prompt_ids: readonly string[] }

/**
 * The tools and prompts behind a step's skills.
 * INVARIANT: only what the step refers to. Whether its caller may call them is decided by the gate, at each call.
 */
export function skillsOf(deps: SkillDeps, { step_id, skill_refs }: FlowStep): Result<Skills> {
  const tools = new Set<string>()
  const prompt_ids = new Set<string>()
  const forbidden = (because: string) => refuse('FLOW_EXECUTION_POLICY_FORBIDDEN', { step_id, because })
  for (const ref of skill_refs) {
    if (ref.kind === 'external_tool') return forbidden('the step refers to an external tool')
    if (ref.kind === 'mcp_prompt') {
      prompt_ids.add(ref.id)
      continue
    }
    const ids = toolsOf(deps, ref)
    if (ids === undefined) return forbidden(`there is no ${ref.kind} \`${ref.id}\``)
    for (const id of ids) {
      if (deps.catalogue.tool(id) === undefined) return forbidden(`there is no tool \`${id}\``)
      tools.add(id)
    }
  }
  if (tools.size + prompt_ids.size === 0) return forbidden('the step refers to no skill')
  return ok({ tools: [...tools], prompt_ids: [...prompt_ids] })
}

/** A pack is a list in the configuration; a `cli` is a declared command, by its tool id. */
function toolsOf({ flowSettings, judgement }: SkillDeps, { kind, id }: SkillRef): readonly string[] | undefined {
  const { skill_packs } = flowSettings
  if (kind === 'skill_pack') return Object.hasOwn(skill_packs, id) ? skill_packs[id] : undefined
  const server = id.split('__')[0] ?? ''
  const settings = Object.hasOwn(judgement.servers, server) ? judgement.servers[server] : undefined
  return settings !== undefined && 'commands' in settings && settings.commands !== undefined ? [id] : undefined
}
