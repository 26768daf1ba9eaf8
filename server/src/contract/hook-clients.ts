import type { ToolSettings } from './tool-settings.ts'
import type { ToolDefinition, ToolEffect } from './tool.ts'

/** Coding agents whose built-in tools can be judged by a hook. */
export const HOOK_CLIENTS = ['claude-code', 'codex', 'copilot', 'cursor', 'gemini', 'opencode', 'qwen'] as const
export type HookClient = (typeof HOOK_CLIENTS)[number]

type Kind = 'shell' | 'read' | 'write' | 'act'

const EFFECTS: Readonly<Record<Kind, readonly ToolEffect[]>> = {
  // What a command really does is read from it at each call.
  shell: ['write', 'destructive', 'external', 'privileged'],
  read: ['read'],
  write: ['write'],
  act: ['write', 'external'],
}

const SAYS: Readonly<Record<Kind, string>> = {
  shell: 'Runs a shell command on the machine of the agent.',
  read: 'Reads, and changes nothing.',
  write: 'Changes files.',
  act: 'May do anything.',
}

/** The built-in tools of each client, by what they do. What stands nowhere here is judged as `other`. */
const TOOLS: Readonly<Record<HookClient, Partial<Record<Kind, string>>>> = {
  'claude-code': {
    shell: 'Bash',
    read: 'Read Glob Grep LS NotebookRead WebFetch WebSearch TodoWrite Task Agent BashOutput TaskOutput ExitPlanMode EnterPlanMode AskUserQuestion ToolSearch LSP',
    write: 'Write Edit MultiEdit NotebookEdit',
  },
  codex: { shell: 'Bash', read: 'update_plan view_image web_search', write: 'apply_patch', act: 'write_stdin' },
  copilot: {
    shell: 'bash powershell',
    read: 'view glob grep report_intent web_fetch',
    write: 'create edit str_replace_editor',
  },
  cursor: { shell: 'Shell', read: 'Read Grep Glob List Search', write: 'Write Edit Delete' },
  gemini: {
    shell: 'run_shell_command',
    read: 'read_file read_many_files list_directory glob search_file_content grep_search web_fetch google_web_search write_todos',
    write: 'write_file replace save_memory',
  },
  opencode: {
    shell: 'bash',
    read: 'read list glob grep webfetch websearch todowrite todoread task',
    write: 'write edit patch multiedit',
  },
  qwen: {
    shell: 'run_shell_command',
    read: 'read_file read_many_files list_directory glob grep_search search_file_content web_fetch web_search todo_write task exit_plan_mode',
    write: 'write_file edit replace save_memory',
  },
}

/** The tool under which everything is judged that is not known by name: arguments `{tool, input}`. */
export const OTHER_TOOL = 'other'

function kindsOf(client: HookClient): readonly (readonly [string, Kind])[] {
  const kinds = Object.entries(TOOLS[client]) as [Kind, string][]
  return [
    ...kinds.flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind] as const)),
    [OTHER_TOOL, 'act'],
  ]
}

/** What a client's built-in tools look like in the catalogue. */
export function clientTools(client: HookClient): readonly ToolDefinition[] {
  return kindsOf(client).map(([name, kind]) => ({
    name,
    description: `${SAYS[kind]} A built-in tool of ${client}, run by ${client} itself.`,
    inputSchema:
      kind === 'shell'
        ? {
            type: 'object',
            properties: { command: { type: 'string' }, cwd: { type: 'string' } },
            required: ['command'],
          }
        : { type: 'object' },
  }))
}

/** What they do, where the operator says nothing else. */
export function clientToolSettings(client: HookClient): Readonly<Record<string, ToolSettings>> {
  return Object.fromEntries(
    kindsOf(client).map(([name, kind]) => [
      name,
      { effects: [...EFFECTS[kind]], tags: [], ...(kind === 'shell' ? { shell: 'command' } : {}) },
    ]),
  )
}
