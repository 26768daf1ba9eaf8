import type { LanguageModel } from 'ai'
import type { AgentModelSettings } from './section.ts'

/** One model of one provider. Each provider's library is loaded only if it is configured. */
export async function openLanguageModel(settings: AgentModelSettings, key: string | undefined): Promise<LanguageModel> {
  const { provider, url, model } = settings
  const apiKey = key === undefined ? {} : { apiKey: key }
  const baseURL = url === undefined ? {} : { baseURL: url }
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ ...apiKey, ...baseURL })(model)
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return createGoogleGenerativeAI({ ...apiKey, ...baseURL })(model)
    }
    default: {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({ name: 'agent', baseURL: url ?? '', includeUsage: true, ...apiKey }).chatModel(
        model,
      )
    }
  }
}
