import type { ConfigSection } from '../../kernel/contract/config.ts'
import { ToolflowSettings } from './toolflow.ts'

declare module '../../kernel/contract/config.ts' {
  interface Config {
    toolflow: ToolflowSettings
  }
}

export const section: ConfigSection = {
  top: {
    toolflow: {
      rank: 910,
      schema: ToolflowSettings.prefault({}).describe('When `sluice run` asks which tool to use.'),
    },
  },
}
