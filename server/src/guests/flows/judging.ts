import type { Judging } from '../../kernel/decide/judging.ts'
import { readFlowConsent } from './flow-consent.ts'

export const judging: Judging = { readRunConsent: readFlowConsent }
