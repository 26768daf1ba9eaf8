import { z } from 'zod'

export const FlowConsentId = z.templateLiteral(['fcons_', z.string().regex(/^[0-9a-f]{24}$/)])
export type FlowConsentId = z.infer<typeof FlowConsentId>
export const ExecutionId = z.templateLiteral(['fexec_', z.string().regex(/^[0-9a-f]{24}$/)])
export type ExecutionId = z.infer<typeof ExecutionId>
export const ProposalId = z.templateLiteral(['prop_', z.string().regex(/^[0-9a-f]{16}$/)])
export type ProposalId = z.infer<typeof ProposalId>
