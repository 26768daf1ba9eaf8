import type { HookClient } from '../../../kernel/contract/hook-clients.ts'

type Use = { readonly tool?: string; readonly args?: object; readonly session?: string; readonly cwd?: string }
type Event = Readonly<Record<string, unknown>>

/** One client's events, as documented or as recorded from the client; `ran` says which. */
export type ClientEvents = {
  readonly from: 'the client itself' | 'its documentation'
  readonly shell: string
  readonly read: { readonly tool: string; readonly path: string }
  before(use: Use): Event
  after(use: Use & { readonly output: string }): Event
  prompt(text: string, session?: string): Event
  /** The reason of a refusal; undefined if the answer allows the call. */
  refusal(answer: Event): string | undefined
}

const base = ({ session = 's1', cwd = '/home/ana/project' }: Use) => ({
  session_id: session,
  cwd,
  transcript_path: '/tmp/t.jsonl',
})
type Nested = { hookSpecificOutput?: { permissionDecision?: string; permissionDecisionReason?: string } }
const nested = (answer: Event) => {
  const { hookSpecificOutput } = answer as Nested
  return hookSpecificOutput?.permissionDecision === 'deny' ? hookSpecificOutput.permissionDecisionReason : undefined
}

/** The format of Claude Code, which Codex and Qwen Code also use. */
function claudeLike(
  from: ClientEvents['from'],
  shell: string,
  read: ClientEvents['read'],
  promptKey: string,
): ClientEvents {
  return {
    from,
    shell,
    read,
    before: (use) => ({
      ...base(use),
      hook_event_name: 'PreToolUse',
      tool_name: use.tool ?? shell,
      tool_input: use.args,
      tool_use_id: 'call_1',
    }),
    after: (use) => ({
      ...base(use),
      hook_event_name: 'PostToolUse',
      tool_name: use.tool ?? shell,
      tool_input: use.args,
      tool_response: use.output,
      tool_use_id: 'call_1',
    }),
    prompt: (text, session = 's1') => ({
      ...base({ session }),
      hook_event_name: 'UserPromptSubmit',
      [promptKey]: text,
    }),
    refusal: nested,
  }
}

export const CLIENTS: Readonly<Record<Exclude<HookClient, 'opencode'>, ClientEvents>> = {
  'claude-code': claudeLike('its documentation', 'Bash', { tool: 'Read', path: 'file_path' }, 'prompt'),
  codex: claudeLike('the client itself', 'Bash', { tool: 'view_image', path: 'path' }, 'prompt'),
  qwen: claudeLike(
    'the client itself',
    'run_shell_command',
    { tool: 'read_file', path: 'absolute_path' },
    'submitted_prompt',
  ),
  gemini: {
    from: 'the client itself',
    shell: 'run_shell_command',
    read: { tool: 'read_file', path: 'file_path' },
    before: (use) => ({
      ...base(use),
      hook_event_name: 'BeforeTool',
      tool_name: use.tool ?? 'run_shell_command',
      tool_input: use.args,
    }),
    after: (use) => ({
      ...base(use),
      hook_event_name: 'AfterTool',
      tool_name: use.tool ?? 'run_shell_command',
      tool_input: use.args,
      tool_response: { llmContent: use.output, returnDisplay: '' },
    }),
    prompt: (text, session = 's1') => ({ ...base({ session }), hook_event_name: 'BeforeAgent', prompt: text }),
    refusal: ({ decision, reason }) => (decision === 'deny' ? String(reason) : undefined),
  },
  cursor: {
    from: 'its documentation',
    shell: 'Shell',
    read: { tool: 'Read', path: 'file_path' },
    before: ({ tool, args = {}, session = 's1', cwd = '/home/ana/project' }) =>
      tool === undefined
        ? {
            conversation_id: session,
            generation_id: 'g',
            hook_event_name: 'beforeShellExecution',
            workspace_roots: [cwd],
            cwd,
            ...args,
          }
        : { conversation_id: session, hook_event_name: 'preToolUse', tool_name: tool, tool_input: args, cwd },
    after: ({ tool, args = {}, output, session = 's1', cwd = '/home/ana/project' }) =>
      tool === undefined
        ? { conversation_id: session, hook_event_name: 'afterShellExecution', cwd, ...args, output }
        : { conversation_id: session, hook_event_name: 'postToolUse', tool_name: tool, tool_input: args, output, cwd },
    prompt: (text, session = 's1') => ({
      conversation_id: session,
      hook_event_name: 'beforeSubmitPrompt',
      prompt: text,
      attachments: [],
    }),
    refusal: ({ permission, agent_message }) => (permission === 'deny' ? String(agent_message) : undefined),
  },
  copilot: {
    from: 'its documentation',
    shell: 'bash',
    read: { tool: 'view', path: 'path' },
    before: ({ tool = 'bash', args, session = 's1', cwd = '/home/ana/project' }) => ({
      hook_event_name: 'preToolUse',
      sessionId: session,
      timestamp: 1,
      cwd,
      toolName: tool,
      toolArgs: JSON.stringify(args),
    }),
    after: ({ tool = 'bash', args, output, session = 's1', cwd = '/home/ana/project' }) => ({
      hook_event_name: 'postToolUse',
      sessionId: session,
      timestamp: 1,
      cwd,
      toolName: tool,
      toolArgs: JSON.stringify(args),
      toolResult: { resultType: 'success', textResultForLlm: output },
    }),
    prompt: (text, session = 's1') => ({
      hook_event_name: 'userPromptSubmitted',
      sessionId: session,
      timestamp: 1,
      cwd: '/work',
      prompt: text,
    }),
    refusal: ({ permissionDecision, permissionDecisionReason }) =>
      permissionDecision === 'deny' ? String(permissionDecisionReason) : undefined,
  },
}
