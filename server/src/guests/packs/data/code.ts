import type { Knowledge } from '../knowledge.ts'

const PATH = { paths: ['/path'] }

/** Servers for files, code and code hosting. */
export const CODE: readonly Knowledge[] = [
  {
    pack: 'filesystem',
    title: 'Filesystem',
    from: '@modelcontextprotocol/server-filesystem 2026.8.31',
    packages: ['@modelcontextprotocol/server-filesystem'],
    does: {
      read: 'read_file read_text_file read_media_file read_multiple_files list_directory list_directory_with_sizes directory_tree search_files get_file_info list_allowed_directories',
      write: 'create_directory',
      'write+destructive': 'write_file edit_file move_file',
    },
    fields: {
      read_file: PATH,
      read_text_file: PATH,
      read_media_file: PATH,
      read_multiple_files: { paths: ['/paths'] },
      list_directory: PATH,
      list_directory_with_sizes: PATH,
      directory_tree: PATH,
      search_files: PATH,
      get_file_info: PATH,
      create_directory: PATH,
      write_file: PATH,
      edit_file: PATH,
      move_file: {
        paths: ['/source', '/destination'],
        rollback: { tool: 'move_file', args: { source: '{{args.destination}}', destination: '{{args.source}}' } },
      },
    },
  },
  {
    pack: 'git',
    title: 'Git',
    from: '@cyanheads/git-mcp-server 2.15.3',
    packages: ['@cyanheads/git-mcp-server'],
    does: {
      read: 'git_blame git_changelog_analyze git_diff git_log git_reflog git_show git_status git_wrapup_instructions',
      write: 'git_add git_commit git_init git_set_working_dir git_clear_working_dir',
      'write+destructive':
        'git_branch git_checkout git_cherry_pick git_clean git_merge git_rebase git_reset git_stash git_tag git_worktree',
      'write+external': 'git_clone git_fetch git_pull git_remote',
      'write+destructive+external': 'git_push',
    },
    fields: { git_clone: { recipients: ['/url'] }, git_push: { recipients: ['/remote'] } },
  },
  {
    pack: 'git-py',
    title: 'Git (mcp-server-git)',
    from: 'the public list of tools of mcp-server-git',
    packages: ['mcp-server-git'],
    does: {
      read: 'git_status git_diff_unstaged git_diff_staged git_diff git_log git_show git_branch',
      write: 'git_add git_commit git_create_branch',
      'write+destructive': 'git_reset git_checkout',
    },
  },
  {
    pack: 'github',
    title: 'GitHub',
    from: '@modelcontextprotocol/server-github 2025.4.8',
    packages: ['@modelcontextprotocol/server-github'],
    does: {
      read: 'search_repositories get_file_contents list_commits list_issues search_code search_issues search_users get_issue get_pull_request list_pull_requests get_pull_request_files get_pull_request_status get_pull_request_comments get_pull_request_reviews',
      'write+external':
        'create_repository create_issue create_pull_request fork_repository create_branch update_issue add_issue_comment create_pull_request_review update_pull_request_branch',
      'write+destructive+external': 'create_or_update_file push_files merge_pull_request',
    },
    fields: {
      create_or_update_file: { recipients: ['/owner', '/repo'] },
      push_files: { recipients: ['/owner', '/repo'] },
      create_issue: { recipients: ['/owner', '/repo', '/assignees'] },
      add_issue_comment: { recipients: ['/owner', '/repo'] },
    },
  },
  {
    pack: 'gitlab',
    title: 'GitLab',
    from: '@modelcontextprotocol/server-gitlab 2025.4.25',
    packages: ['@modelcontextprotocol/server-gitlab'],
    does: {
      read: 'search_repositories get_file_contents',
      'write+external': 'create_repository create_issue create_merge_request fork_repository create_branch',
      'write+destructive+external': 'create_or_update_file push_files',
    },
    fields: {
      create_or_update_file: { recipients: ['/project_id'] },
      push_files: { recipients: ['/project_id'] },
      create_issue: { recipients: ['/project_id', '/assignee_ids'] },
    },
  },
  {
    pack: 'playwright',
    title: 'Playwright',
    from: '@playwright/mcp 0.0.83',
    packages: ['@playwright/mcp'],
    does: {
      read: 'browser_console_messages browser_find browser_network_requests browser_network_request browser_snapshot browser_wait_for',
      write: 'browser_close browser_resize browser_emulate_media browser_take_screenshot',
      // An open page may belong to anybody: actions in it reach the site.
      'write+external':
        'browser_handle_dialog browser_file_upload browser_drop browser_fill_form browser_press_key browser_type browser_navigate browser_navigate_back browser_click browser_drag browser_hover browser_select_option browser_tabs',
      'write+external+privileged': 'browser_evaluate browser_run_code_unsafe',
    },
    fields: {
      browser_navigate: { recipients: ['/url'] },
      browser_file_upload: { paths: ['/paths'] },
      browser_drop: { paths: ['/paths'] },
      browser_take_screenshot: { paths: ['/filename'] },
    },
  },
  {
    pack: 'memory',
    title: 'Memory',
    from: '@modelcontextprotocol/server-memory 2026.8.31',
    packages: ['@modelcontextprotocol/server-memory'],
    does: {
      read: 'read_graph search_nodes open_nodes',
      write: 'create_entities create_relations add_observations',
      'write+destructive': 'delete_entities delete_observations delete_relations',
    },
  },
  {
    pack: 'fetch',
    title: 'Fetch',
    from: 'mcp-fetch-server 1.1.2',
    packages: ['mcp-fetch-server'],
    does: { read: 'fetch_html fetch_markdown fetch_txt fetch_json fetch_readable fetch_youtube_transcript' },
    fields: { fetch_html: { recipients: ['/url'] }, fetch_json: { recipients: ['/url'] } },
  },
  {
    pack: 'fetch-py',
    title: 'Fetch (mcp-server-fetch)',
    from: 'the public list of tools of mcp-server-fetch',
    packages: ['mcp-server-fetch'],
    does: { read: 'fetch' },
  },
]
