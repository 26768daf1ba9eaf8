import type { Judging } from '../../kernel/decide/judging.ts'
import { filesFact } from './facts/files-fact.ts'
import type { FilesFact } from './files-fact.ts'
import { judgeSandbox, judgeSandboxFacts } from './judge-sandbox.ts'

declare module '../../kernel/decide/facts.ts' {
  interface Facts {
    readonly files: FilesFact
  }
  interface FilledFacts {
    readonly files: FilesFact
  }
}

export const judging: Judging = {
  facts: [
    {
      name: 'sandboxed',
      gather: ({ judgement }, _, { row }) => judgement.servers[row.server]?.sandbox !== undefined,
    },
    {
      name: 'files',
      gather: filesFact,
      gatherFilled: filesFact,
      neutral: { sandbox: 'none', args: [], too_many: false },
    },
  ],
  deciders: [
    {
      name: 'sandbox',
      rank: 80,
      judges_reads: true,
      protects_gate: [
        'sandbox.gate_data',
        'sandbox.gate_settings',
        'sandbox.gate_around',
        'sandbox.gate_program',
        'sandbox.client_settings',
      ],
      judge: judgeSandbox,
      judgeFilled: judgeSandboxFacts,
    },
  ],
}
