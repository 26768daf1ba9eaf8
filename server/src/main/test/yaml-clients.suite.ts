import { LAUNCHER } from '../../adapters/files/own-programs.ts'

/** Files with comments everywhere. Comments of kept parts stay, and so do the order and formatting of everything else. */
const GOOSE_HEAD = `# my goose
GOOSE_MODE: 'approve'   # asks

extensions:
`
const GOOSE_GONE = `  github:   # the hub
    name: GitHub
    type: stdio
    cmd: npx
    # inside
    args: [-y, gh-mcp]
    enabled: true
    envs: { GITHUB_TOKEN: ghx_1234567890 }
`
const GOOSE_TAIL = `
  # keyring
  kept: { type: stdio, cmd: npx, args: [a], env_keys: [TOKEN] }
  developer: {type: builtin,   enabled: true}  # built in

# the end
OTHER: [1,
  2]
`
export const GOOSE = `${GOOSE_HEAD}${GOOSE_GONE}${GOOSE_TAIL}`
const CONTINUE_HEAD = `name: mine
mcpServers:
`
const CONTINUE_TAIL = `models:   # none
  - name: x
`
export const CONTINUE = `${CONTINUE_HEAD}  # browser
  - name: Playwright
    command: npx
    args: [-y, "@playwright/mcp"]
${CONTINUE_TAIL}`

/** The same files with the gate instead of the imported servers. */
export function afterInit(config: string): { readonly goose: string; readonly other: string } {
  const list = (client: string) =>
    [LAUNCHER, 'mcp', '--config', config, '--agent', client].map((word) => `      - ${word}\n`).join('')
  return {
    goose: `${GOOSE_HEAD}  sluice:
    name: sluice
    type: stdio
    enabled: true
    timeout: 300
    cmd: ${process.execPath}
    args:
${list('goose')}${GOOSE_TAIL}`,
    other: `${CONTINUE_HEAD}  - name: sluice
    command: ${process.execPath}
    args:
${list('continue')}${CONTINUE_TAIL}`,
  }
}
