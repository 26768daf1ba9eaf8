import type { Command } from 'commander'
import type { Cli } from '../../adapters/cli/cli.ts'
import { EXIT } from '../../adapters/cli/exit-codes.ts'
import { count, type Out } from '../../adapters/cli/print.ts'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'

export function addDoctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description('check the configuration and the gate, and say how to fix each finding')
    .action(async () => {
      const out = cli.out()
      const report = await (await import('./doctor.ts')).doctor(cli.globals())
      if (out.json) out.line(JSON.stringify(report, null, 2))
      else for (const finding of report.findings) printFinding(out, finding)
      if (!out.json) out.line(summaryOf(report.findings))
      cli.exit(report.ok ? EXIT.ok : EXIT.problem)
    })
}

const MARK: Readonly<Record<DoctorFinding['severity'], string>> = { error: '✗', warning: '!', note: '·', ok: '✓' }

function printFinding(out: Out, { severity, about, says, do: remedy }: DoctorFinding): void {
  printLines(out, `${MARK[severity]} ${about}: `, says)
  if (remedy !== undefined) printLines(out, '    → ', remedy)
}

/** A finding may quote text of a tool server, so lines after the first are framed. */
function printLines(out: Out, lead: string, text: string): void {
  const [first = '', ...more] = text.split('\n')
  out.line(`${lead}${first}`)
  if (more.length > 0) out.framed(more.join('\n'), { indent: 6 })
}

function summaryOf(findings: readonly DoctorFinding[]): string {
  const of = (severity: DoctorFinding['severity']) => findings.filter((finding) => finding.severity === severity).length
  const counts = (['error', 'warning', 'note'] as const).map((severity) => count(of(severity), severity))
  return counts.join(', ')
}
