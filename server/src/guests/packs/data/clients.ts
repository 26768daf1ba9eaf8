import { clientKinds, HOOK_CLIENTS, type HookClient } from '../../../kernel/contract/hook-clients.ts'
import type { Knowledge } from '../knowledge.ts'

/** The most a command can do; what it really does is determined at each call. */
const EFFECTS = {
  shell: 'write+destructive+external+privileged',
  read: 'read',
  write: 'write',
  act: 'write+external',
} as const

type About = Pick<Knowledge, 'title' | 'from'> & { readonly fields: NonNullable<Knowledge['fields']> }

const FILE = { paths: ['/file_path'] }
const PATH = { paths: ['/path'] }
const FOLDER = { paths: ['/dir_path'] }
const ADDRESS = { recipients: ['/url'] }

const ABOUT: Readonly<Record<HookClient, About>> = {
  'claude-code': {
    title: 'Built-in tools of Claude Code',
    from: 'the documentation of Claude Code',
    fields: {
      Read: FILE,
      Write: FILE,
      Edit: FILE,
      MultiEdit: FILE,
      NotebookEdit: { paths: ['/notebook_path'] },
      NotebookRead: { paths: ['/notebook_path'] },
      Glob: PATH,
      Grep: PATH,
      LS: PATH,
      LSP: { paths: ['/filePath'] },
      WebFetch: ADDRESS,
    },
  },
  codex: {
    title: 'Built-in tools of Codex',
    from: '@openai/codex 0.166.0',
    fields: { view_image: PATH },
  },
  copilot: {
    title: 'Built-in tools of Copilot CLI',
    from: 'the documentation of Copilot CLI',
    fields: {
      view: PATH,
      create: PATH,
      edit: PATH,
      str_replace_editor: PATH,
      glob: PATH,
      grep: PATH,
      rg: PATH,
      web_fetch: ADDRESS,
    },
  },
  cursor: {
    title: 'Built-in tools of Cursor',
    from: 'the documentation of Cursor',
    fields: {
      Read: FILE,
      Write: FILE,
      Edit: FILE,
      Delete: FILE,
      Grep: PATH,
      Glob: PATH,
      List: PATH,
      WebFetch: ADDRESS,
    },
  },
  gemini: {
    title: 'Built-in tools of Gemini CLI',
    from: '@google/gemini-cli 0.61.0',
    fields: {
      read_file: FILE,
      write_file: FILE,
      replace: FILE,
      list_directory: FOLDER,
      glob: FOLDER,
      grep_search: FOLDER,
    },
  },
  opencode: {
    title: 'Built-in tools of opencode',
    from: 'opencode-ai 1.18.33',
    fields: {
      read: { paths: ['/filePath'] },
      write: { paths: ['/filePath'] },
      edit: { paths: ['/filePath'] },
      glob: PATH,
      grep: PATH,
      webfetch: ADDRESS,
    },
  },
  qwen: {
    title: 'Built-in tools of Qwen Code',
    from: '@qwen-code/qwen-code 0.24.4',
    fields: {
      read_file: FILE,
      write_file: FILE,
      edit: FILE,
      notebook_edit: { paths: ['/notebook_path'] },
      glob: PATH,
      grep_search: PATH,
    },
  },
}

/** The built-in tools of coding agents, which reach the gate through hooks. */
export const CLIENTS: readonly Knowledge[] = HOOK_CLIENTS.map((client) => {
  const does: Record<string, string> = {}
  for (const [name, kind] of clientKinds(client))
    does[EFFECTS[kind]] = [...(does[EFFECTS[kind]]?.split(' ') ?? []), name].join(' ')
  return { pack: client, clients: [client], does, ...ABOUT[client] }
})
