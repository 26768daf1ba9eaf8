import { z } from 'zod'

const hex = (length: number) => z.string().regex(new RegExp(`^[0-9a-f]{${length}}$`))

export const CallId = z.templateLiteral(['call_', hex(24)])
export type CallId = z.infer<typeof CallId>
export const ApprovalId = z.templateLiteral(['auth_', hex(16)])
export type ApprovalId = z.infer<typeof ApprovalId>
export const RunId = z.templateLiteral(['run_', hex(16)])
export type RunId = z.infer<typeof RunId>
export const KeyId = z.templateLiteral(['key_', hex(16)])
export type KeyId = z.infer<typeof KeyId>
export const ConsentId = z.templateLiteral(['cons_', hex(24)])
export type ConsentId = z.infer<typeof ConsentId>

/** Lower-case SHA-256 in hex, the only digest we print or store. */
export const Sha256 = hex(64)
export type Sha256 = string

/** `server__tool`. Server names contain no `__`, so the first one separates. */
export const ToolId = z.string().min(1).max(64)
export type ToolId = string
