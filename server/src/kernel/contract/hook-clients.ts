import type { ToolSettings } from './tool-settings.ts'
import type { ToolDefinition } from './tool.ts'

/** Coding agents whose built-in tools can be judged by a hook. */
export const HOOK_CLIENTS = ['claude-code', 'codex', 'copilot', 'cursor', 'gemini', 'opencode', 'qwen'] as const
export type HookClient = (typeof HOOK_CLIENTS)[number]

type Kind = 'shell' | 'read' | 'write' | 'act'

const SAYS: Readonly<Record<Kind, string>> = {
  shell: 'Runs a shell command on the machine of the agent.',
  read: 'Reads, and changes nothing.',
  write: 'Changes files.',
  act: 'May do anything.',
}

/**
 * The built-in tools of each client, as its hooks name them, by what they do. Tools that are not listed are judged as `other`.
 * The packs contain the rest (`guests/packs/data/clients.ts`).
 */
export const CLIENT_TOOLS: Readonly<Record<HookClient, Partial<Record<Kind, string>>>> = {
  'claude-code': {
    shell: 'Bash',
    read: 'Read Glob Grep LS NotebookRead WebFetch WebSearch TodoWrite Task Agent BashOutput TaskOutput ExitPlanMode EnterPlanMode AskUserQuestion ToolSearch LSP Skill TaskCreate TaskGet TaskList TaskUpdate',
    write: 'Write Edit MultiEdit NotebookEdit',
    act: 'KillShell',
  },
  codex: {
    shell: 'Bash',
    read: 'update_plan view_image web_search request_user_input get_goal create_goal update_goal tool_search',
    write: 'apply_patch',
    act: 'write_stdin',
  },
  copilot: {
    shell: 'bash powershell',
    read: 'view glob grep rg report_intent web_fetch web_search read_bash list_bash fetch_copilot_cli_documentation task ask_user update_todo',
    write: 'create edit str_replace_editor apply_patch',
    act: 'write_bash stop_bash',
  },
  cursor: { shell: 'Shell', read: 'Read Grep Glob List Search Task WebFetch', write: 'Write Edit Delete' },
  gemini: {
    shell: 'run_shell_command',
    read: 'read_file read_many_files list_directory glob search_file_content grep_search web_fetch google_web_search write_todos update_topic list_background_processes read_background_output enter_plan_mode invoke_agent activate_skill',
    write: 'write_file replace save_memory',
  },
  opencode: {
    shell: 'bash',
    read: 'read list glob grep webfetch websearch todowrite todoread task skill',
    write: 'write edit patch multiedit',
  },
  qwen: {
    shell: 'run_shell_command',
    read: 'read_file read_many_files list_directory glob grep_search search_file_content web_fetch web_search todo_write task exit_plan_mode agent get_goal update_goal list_agents skill tool_search',
    write: 'write_file edit replace save_memory notebook_edit',
    act: 'tool_call',
  },
}

/** The tool under which every unknown tool is judged: arguments `{tool, input}`. */
export const OTHER_TOOL = 'other'

/** Each built-in tool of a client with its kind. */
export function clientKinds(client: HookClient): readonly (readonly [string, Kind])[] {
  const kinds = Object.entries(CLIENT_TOOLS[client]) as [Kind, string][]
  return [
    ...kinds.flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind] as const)),
    [OTHER_TOOL, 'act'],
  ]
}

/** A client's built-in tools as catalogue entries. */
export function clientTools(client: HookClient): readonly ToolDefinition[] {
  return clientKinds(client).map(([name, kind]) => ({
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

/** Which of them take a shell command. Their effects are in their pack. */
export function clientToolSettings(client: HookClient): Readonly<Record<string, ToolSettings>> {
  const shells = clientKinds(client).filter(([, kind]) => kind === 'shell')
  return Object.fromEntries(shells.map(([name]) => [name, { tags: [], shell: 'command' }]))
}
