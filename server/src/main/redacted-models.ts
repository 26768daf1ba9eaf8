import type { RedactOwn } from '../kernel/changes/without-own-credentials.ts'
import type { AgentModels, ArgumentModel } from '../kernel/ports/models.ts'

/** No request to a model contains one of the gate's own credentials. */

export const redactedModels = (models: AgentModels, redactOwn: RedactOwn): AgentModels => ({
  notice: models.notice,
  phrases: models.phrases,
  hasLane: (lane) => models.hasLane(lane),
  ask({ instructions, messages, tools, script, ...question }) {
    const texts = redactOwn({ instructions, messages, script, ...(tools === undefined ? {} : { tools }) })
    return models.ask({ ...question, ...texts })
  },
})

export const redactedArgumentModel = (model: ArgumentModel, redactOwn: RedactOwn): ArgumentModel => ({
  propose: (asked) => model.propose(redactOwn(asked)),
})
