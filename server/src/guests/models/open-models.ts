import type { RedactOwn } from '../../kernel/changes/without-own-credentials.ts'
import { ok } from '../../kernel/contract/problems.ts'
import type { ArgumentModel } from '../../kernel/ports/argument-model.ts'
import type { AgentModels } from './api.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { openAgentModels } from './agent-models.ts'
import { openArgumentModel } from './argument-model.ts'

/** The configured models. No request to one contains one of the gate's own credentials. */
export const prepareModels: PrepareGuest = ({ config, folder, redactOwn }) => {
  const { toolflow } = config.models
  const filling = toolflow === undefined ? undefined : openArgumentModel(toolflow, folder)
  if (filling?.ok === false) return filling
  const models = openAgentModels(config.models, folder)
  if (!models.ok) return models
  return ok({
    ports: {
      models: redactedModels(models.value, redactOwn),
      ...(filling === undefined ? {} : { argumentModel: redactedArgumentModel(filling.value, redactOwn) }),
    },
  })
}

const redactedModels = (models: AgentModels, redactOwn: RedactOwn): AgentModels => ({
  notice: models.notice,
  phrases: models.phrases,
  hasLane: (lane) => models.hasLane(lane),
  ask({ instructions, messages, tools, script, ...question }) {
    const texts = redactOwn({ instructions, messages, script, ...(tools === undefined ? {} : { tools }) })
    return models.ask({ ...question, ...texts })
  },
})

const redactedArgumentModel = (model: ArgumentModel, redactOwn: RedactOwn): ArgumentModel => ({
  propose: (asked) => model.propose(redactOwn(asked)),
})
