import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** A file for the service manager of this machine, and the commands around it. */
export type ServiceUnit = {
  readonly file: string
  readonly text: string
  readonly start: readonly string[]
  readonly stop: readonly string[]
  readonly logs: string
  /** The link that exists while the unit is started at login; undefined if the unit file alone is enough. */
  readonly link?: string
  /** The service manager that the unit is for, if it does not run here. */
  readonly lacks?: string
}

export type ServicePlace = {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly node: string
  readonly launcher: string
  readonly config: string
  readonly log: string
  /** Whether the service manager of this machine runs: a container often has none. */
  readonly hasManager: boolean
}

const NAME = 'sluice'
const LABEL = 'dev.sluice.gate'

/** A file that makes the service manager of this machine start the gate at login; undefined if it is not supported. */
export function serviceUnit(place: ServicePlace): ServiceUnit | undefined {
  if (place.platform === 'linux') return systemd(place)
  return place.platform === 'darwin' ? launchd(place) : undefined
}

export function serviceHere(launcher: string, config: string, log: string): ServiceUnit | undefined {
  // As sd_booted(3) does.
  const hasManager = process.platform !== 'linux' || existsSync('/run/systemd/system')
  const { platform, execPath: node } = process
  return serviceUnit({ platform, home: homedir(), node, launcher, config, log, hasManager })
}

/** Nobody can be asked there: who installs the service trusts the configuration. */
const wordsOf = ({ node, launcher, config }: ServicePlace) => [node, launcher, 'up', '--config', config, '--trust']

const quoted = (word: string) => `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`

function systemd(place: ServicePlace): ServiceUnit {
  const { home, config, hasManager } = place
  const words = wordsOf(place).map(quoted).join(' ')
  const text = `[Unit]
Description=Sluice, the gate between agents and tools
After=network.target

[Service]
ExecStart=${words}
ExecReload=/bin/kill -HUP $MAINPID
WorkingDirectory=${dirname(config).replaceAll('%', '%%')}
Restart=on-failure
# The gate finishes calls in progress before it exits.
TimeoutStopSec=60
UMask=0077
NoNewPrivileges=true

[Install]
WantedBy=default.target
`
  const folder = join(home, '.config/systemd/user')
  return {
    file: join(folder, `${NAME}.service`),
    link: join(folder, 'default.target.wants', `${NAME}.service`),
    text,
    start: ['systemctl --user daemon-reload', `systemctl --user enable --now ${NAME}`],
    stop: [`systemctl --user disable --now ${NAME}`],
    logs: `journalctl --user -u ${NAME}`,
    ...(hasManager ? {} : { lacks: 'systemd' }),
  }
}

const xml = (word: string) => word.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function launchd(place: ServicePlace): ServiceUnit {
  const { home, config, log } = place
  const words = wordsOf(place)
    .map((word) => `    <string>${xml(word)}</string>`)
    .join('\n')
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words}
  </array>
  <key>WorkingDirectory</key>
  <string>${xml(dirname(config))}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>StandardOutPath</key>
  <string>${xml(log)}</string>
  <key>StandardErrorPath</key>
  <string>${xml(log)}</string>
  <key>ExitTimeOut</key>
  <integer>60</integer>
</dict>
</plist>
`
  const file = join(home, 'Library/LaunchAgents', `${LABEL}.plist`)
  const domain = 'gui/$(id -u)'
  return {
    file,
    text,
    start: [`launchctl bootstrap ${domain} '${file}'`],
    stop: [`launchctl bootout ${domain}/${LABEL}`],
    logs: `tail -f '${log}'`,
  }
}
