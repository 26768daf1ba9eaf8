import { peerFile } from '../peers/install-peers.ts'

/** The suites, by the names their two releases have in `peers/package.json`. */
export const SUITES = { '0.1.16': 'mcp-conformance-0.1', '0.2.0-alpha.12': 'mcp-conformance-0.2' } as const
export type SuiteVersion = keyof typeof SUITES

export const suiteFile = (version: SuiteVersion) => peerFile(SUITES[version], 'dist/index.js')
