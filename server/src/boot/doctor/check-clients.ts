import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import type { Finding } from '../../doors/cli/boot-reports.ts'
import { clientFiles, type Surroundings } from '../init/client-files.ts'
import { isOurs, presentPlaces } from '../init/hook-files.ts'
import { openClients } from '../init/open-clients.ts'
import { readEntry } from '../init/read-entry.ts'

/** How a client's own tools are switched off, so that what an agent does goes through the gate or not at all. */
const BUILT_IN: Readonly<Record<string, string>> = {
  'claude-code': 'in .claude/settings.json: { "permissions": { "deny": ["Bash", "Edit", "Write", "WebFetch"] } }',
  gemini: 'in .gemini/settings.json: { "tools": { "exclude": ["run_shell_command", "write_file", "replace"] } }',
  codex: 'in ~/.codex/config.toml: sandbox_mode = "read-only"',
  cursor: 'in its settings, under Agents: let it ask before every command, and allow none',
  vscode: "in the chat's tool picker: deselect the terminal and edit tools",
  cline: 'in its auto-approve menu: switch commands and edits off',
  zed: 'in settings.json, in the agent\'s profile: { "tools": { "terminal": false, "edit_file": false } }',
  opencode: 'in opencode.json: { "permission": { "bash": "deny", "edit": "deny" } }',
  goose: 'in its settings, under Extensions: switch `developer` off',
  windsurf: 'in its settings: switch terminal auto-execution off',
}

/** Clients that go around the gate, and what no gate can see. */
export function checkClients(data: string): readonly Finding[] {
  const around = { home: homedir(), cwd: process.cwd(), platform: process.platform, env: process.env }
  const { files } = openClients(clientFiles(around))
  const past = files.flatMap(({ client, file, servers }): Finding[] => {
    const names = Object.entries(servers)
      .filter(([, value]) => readEntry(value, around).is === 'server')
      .map(([name]) => name)
    if (names.length === 0) return []
    const says = `${client} reaches ${names.map((name) => `\`${name}\``).join(', ')} without the gate (${file})`
    return [{ severity: 'warning', about: 'clients', says, do: 'put the gate in their place: `sluice init --write`' }]
  })
  const present = [...new Set(files.map(({ client }) => client))].filter((client) => Object.hasOwn(BUILT_IN, client))
  const how = present.map((client) => `${client}: ${BUILT_IN[client]}`)
  return [
    ...past,
    ...hookFindings(around),
    {
      severity: 'note',
      about: 'what a gate cannot see',
      says: `an agent with a shell or file tools of its own can walk around the gate, or read ${data}`,
      do: ['switch such tools off, or run the agent as another user than the gate', ...how].join('\n'),
    },
  ]
}

/** Coding agents whose built-in tools the gate does not see, and what stays open with those it does. */
function hookFindings(around: Surroundings): readonly Finding[] {
  return presentPlaces(around).map(({ client, file }): Finding => {
    const isHooked = existsSync(file) && isOurs(readFileSync(file, 'utf8'))
    if (isHooked) {
      const open = STAYS_OPEN[client] ?? 'what stays open is in docs/hooks.md'
      return {
        severity: 'note',
        about: 'hooks',
        says: `the built-in tools of ${client} are hooked (${file})`,
        do: open,
      }
    }
    const says = `the built-in tools of ${client} are not hooked: what it does with its own shell and editor is not judged`
    const off = BUILT_IN[client] === undefined ? '' : `, or switch them off, ${BUILT_IN[client]}`
    return { severity: 'warning', about: 'hooks', says, do: `install the hooks: \`sluice init --write\`${off}` }
  })
}

const STAYS_OPEN: Readonly<Record<string, string>> = {
  codex: 'start codex once and trust the hooks (`/hooks`): until then it skips them without a word',
  opencode:
    'a plugin that does not load is no refusal: set "permission": { "bash": "ask", "edit": "ask" } in opencode.json too',
  gemini: 'over ACP (in editors) Gemini fires no tool hooks',
  copilot: 'a hook that takes longer than its limit lets the call run',
}
