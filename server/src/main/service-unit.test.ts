import { expect, test } from 'vitest'
import { serviceUnit, type ServicePlace } from './service-unit.ts'

const place: ServicePlace = {
  platform: 'linux',
  home: '/home/ana',
  node: '/opt/node',
  launcher: '/opt/my apps/sluice',
  config: '/home/ana/50% gate/sluice.yaml',
  log: '/home/ana/50% gate/.sluice/gate.log',
  hasManager: true,
}

test('a systemd unit starts the gate of this configuration, whatever is in its path', () => {
  const unit = serviceUnit(place)
  expect(unit?.file).toBe('/home/ana/.config/systemd/user/sluice.service')
  expect(unit?.text).toContain(
    'ExecStart="/opt/node" "/opt/my apps/sluice" "up" "--config" "/home/ana/50%% gate/sluice.yaml" "--trust"\n',
  )
  expect(unit?.text).toContain('WorkingDirectory=/home/ana/50%% gate\n')
  expect(unit?.start).toEqual(['systemctl --user daemon-reload', 'systemctl --user enable --now sluice'])
})

test('a launchd property list has the same command and the log', () => {
  const unit = serviceUnit({ ...place, platform: 'darwin', config: '/Users/a&b/sluice.yaml' })
  expect(unit?.file).toBe('/home/ana/Library/LaunchAgents/dev.sluice.gate.plist')
  expect(unit?.text).toContain('<string>/Users/a&amp;b/sluice.yaml</string>')
  expect(unit?.text).toContain('<key>StandardErrorPath</key>')
})

test('a unit for a service manager that does not run says so', () => {
  expect(serviceUnit(place)?.lacks).toBeUndefined()
  expect(serviceUnit({ ...place, hasManager: false })?.lacks).toBe('systemd')
})

test('other systems have none', () => expect(serviceUnit({ ...place, platform: 'win32' })).toBeUndefined())
