import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { placesIn } from './data-folder.ts'
import { serviceHere, type ServiceUnit } from './service-unit.ts'
import { EXIT } from '../adapters/cli/exit-codes.ts'
import type { Out } from '../adapters/cli/print.ts'
import type { Cli } from '../adapters/cli/cli.ts'

const OWN_MANAGER = 'start `sluice up` with the service manager you use'
export const NO_SERVICE = `neither systemd nor launchd was found; ${OWN_MANAGER}`

/** Another release may start it with other options, but in the same folder. */
const FOLDER = /WorkingDirectory(?:=|<\/key>\s*<string>)(.*)/
const sameGate = (one: string, other: string) => FOLDER.exec(one)?.[1] === FOLDER.exec(other)?.[1]

/** Whether the unit file of this user starts this gate, another one, or is not there. */
export function serviceState({ file, text }: Pick<ServiceUnit, 'file' | 'text'>): 'this' | 'other' | 'absent' {
  if (!existsSync(file)) return 'absent'
  return sameGate(text, readFileSync(file, 'utf8')) ? 'this' : 'other'
}

/** Writes the unit file, and says how to start it. */
export function installService(cli: Cli, unit: ServiceUnit & { config: string }, say: Out['line']): void {
  // There is one unit per user: another gate must not lose its own without a word.
  if (serviceState(unit) === 'other')
    return cli.fail(`${unit.file} starts another gate; remove it first with: sluice service uninstall`)
  mkdirSync(dirname(unit.file), { recursive: true })
  writeFileSync(unit.file, unit.text)
  say(`wrote ${unit.file}, for the gate of ${unit.config}; it starts with these commands:`)
  if (unit.lacks !== undefined)
    cli.out().error(`${unit.lacks} does not run on this machine, so these commands fail here; ${OWN_MANAGER}`)
  for (const line of unit.start) say(`  ${line}`)
  say(`its log: ${unit.logs}`)
}

/** The unit file for the service manager of this machine; undefined if it is not supported. */
export function serviceOf({ host, globals }: Cli): (ServiceUnit & { readonly config: string }) | undefined {
  const { config, data } = host.local(globals())
  const unit = serviceHere(host.launcher, config, placesIn(data).log)
  return unit === undefined ? undefined : { ...unit, config }
}

/** Start the gate when the user logs in. */
export function addServiceCommands(program: Command, cli: Cli): void {
  const service = program.command('service').description('start the gate when you log in, with systemd or launchd')
  service
    .command('install')
    .description('write the unit file, and print the commands that start it')
    .option('--print', 'only print the file')
    .action(({ print }: { print?: boolean }) => {
      const out = cli.out()
      const unit = serviceOf(cli)
      if (unit === undefined) return cli.fail(NO_SERVICE)
      if (!existsSync(unit.config))
        return cli.fail(`the configuration ${unit.config} does not exist; write one with: sluice init`)
      if (print === true) return out.data(unit.text.trimEnd())
      installService(cli, unit, out.line)
    })
  service
    .command('uninstall')
    .description('remove the unit file')
    .action(() => {
      const out = cli.out()
      const unit = serviceOf(cli)
      if (unit === undefined) return cli.fail(NO_SERVICE)
      if (!existsSync(unit.file)) {
        out.error(`there is no ${unit.file}`)
        return cli.exit(EXIT.problem)
      }
      rmSync(unit.file)
      out.line(`removed ${unit.file}; to stop a gate that it started:`)
      for (const line of unit.stop) out.line(`  ${line}`)
    })
}
