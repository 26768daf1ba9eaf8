import type { ShellProgram, ProgramTable } from '../program.ts'

const TEXTS =
  '-n --max-count -S -G -L --author --since --until --after --before --grep --format --pretty --date -U --unified --diff-filter -l'

const shows: ShellProgram = { does: 'reads', valued: TEXTS, options: { '--output': 'writes', '--ext-diff': 'runs' } }
const lists = (names: string, does: 'writes' | 'destroys' = 'writes'): ShellProgram => ({
  does,
  bare: 'reads',
  subcommands: { [names]: 'reads' },
})

/** Git by subcommand. Fetching changes the repository too; pushing reaches others. */
export const GIT: ProgramTable = {
  git: {
    does: 'unknown',
    special: 'git',
    valued: '-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source',
    options: { '-c --config-env --exec-path': 'runs', '-p --paginate': 'reads' },
    subcommands: {
      'status log show diff blame annotate shortlog describe rev-parse rev-list ls-files ls-tree cat-file diff-tree diff-index diff-files merge-base name-rev show-ref for-each-ref count-objects whatchanged cherry range-diff var version help check-ignore check-attr show-branch verify-commit verify-tag fsck':
        shows,
      grep: {
        does: 'reads',
        text: 1,
        valued: '-e -A -B -C -m',
        options: { '-O --open-files-in-pager': 'runs', '--ext-grep': 'runs' },
      },
      branch: {
        does: 'reads',
        valued: '--format --sort --contains --merged --no-merged --points-at --no-contains',
        more: { free: 0, does: 'writes' },
        instead: { '-l --list': 'reads' },
        options: {
          '-d -D --delete': 'destroys',
          '-m -M --move -c -C --copy -u --set-upstream-to --unset-upstream -t --track -f --force --edit-description --create-reflog':
            'writes',
        },
      },
      tag: {
        does: 'reads',
        more: { free: 0, does: 'writes' },
        valued: '--format --sort --contains --merged --points-at',
        instead: { '-l --list -n': 'reads' },
        options: { '-d --delete': 'destroys', '-a -s -m -f -F --annotate --sign --force --message -u': 'writes' },
      },
      remote: { does: 'writes', bare: 'reads', subcommands: { 'show get-url': 'fetches' } },
      stash: { does: 'writes', bare: 'writes', subcommands: { 'list show': shows, 'drop clear': 'destroys' } },
      config: {
        does: 'reads',
        valued: '-f --file --blob --type --default',
        more: { free: 1, does: 'writes' },
        instead: { '--get --get-all --get-regexp --get-urlmatch -l --list': 'reads' },
        options: {
          '--add --replace-all --unset --unset-all --rename-section --remove-section -e --edit --set': 'writes',
        },
        subcommands: { 'get list': 'reads', 'set unset edit': 'writes' },
      },
      reflog: { ...lists('show exists list'), valued: TEXTS },
      worktree: lists('list'),
      submodule: {
        does: 'writes',
        bare: 'reads',
        subcommands: { 'status summary': 'reads', foreach: { does: 'runs', carries: 'code' } },
      },
      notes: lists('list show'),
      bisect: {
        does: 'writes',
        bare: 'reads',
        subcommands: { 'log view visualize': 'reads', run: { does: 'runs', carries: 'command' } },
      },
      'ls-remote': { does: 'fetches', options: { '--upload-pack --exec -o --server-option': 'runs' } },
      archive: { does: 'writes', options: { '--exec --remote': 'runs' } },
      bundle: { does: 'writes', subcommands: { 'verify list-heads': 'reads' } },
      lfs: { does: 'unknown', subcommands: { 'ls-files status env version': 'reads' } },
      'fetch pull clone': { does: 'writes', options: { '--upload-pack -u --config -c --exec': 'runs' } },
      'add commit merge rebase cherry-pick revert am apply mv init switch restore-index update-index write-tree commit-tree read-tree update-ref symbolic-ref hash-object gc repack prune-packed pack-refs maintenance sparse-checkout format-patch rerere replace':
        'writes',
      'difftool mergetool filter-branch filter-repo daemon instaweb send-email credential': 'runs',
      'checkout restore reset clean rm prune': 'destroys',
      push: {
        does: 'sends',
        options: {
          '-f --force --force-with-lease --delete -d --mirror --prune': 'destroys',
          '--exec --receive-pack': 'runs',
        },
      },
    },
    bare: 'reads',
  },
  hg: { does: 'unknown', subcommands: { 'status log diff summary branches tags cat annotate': 'reads' } },
  svn: { does: 'unknown', subcommands: { 'status log diff info list cat blame': { does: 'fetches' } } },
}
