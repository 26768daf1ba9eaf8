import type { Judging } from '../../kernel/decide/judging.ts'
import { shellReading } from './shell-command.ts'
import { judgeShell, planShell } from './judge-shell.ts'

export const judging: Judging = {
  commandOf: shellReading,
  deciders: [
    {
      name: 'shell',
      rank: 90,
      protects_gate: ['shell.gate', 'shell.client'],
      judge: judgeShell,
      plan: ({ tool }) => planShell(tool),
    },
  ],
}
