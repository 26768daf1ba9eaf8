import { rows, type ShellProgram, type ProgramTable } from '../program.ts'

const npmLike: ShellProgram = {
  does: 'runs',
  bare: 'reads',
  valued: '--prefix -C --workspace -w --filter --registry --depth',
  options: { '--version -v --help -h': 'reads' },
  subcommands: {
    'ls list ll la why explain outdated root bin prefix help help-search fund licenses': 'reads',
    'view info show v search s ping': 'fetches',
    audit: { does: 'fetches', subcommands: { fix: 'writes', signatures: 'fetches' } },
    config: { does: 'writes', subcommands: { 'get list ls': 'reads' } },
    'publish unpublish deprecate dist-tag owner access team token adduser login logout star unstar profile org hook':
      'sends',
    'install i ci add update up upgrade uninstall remove rm un link dedupe prune rebuild init create import': 'runs',
    'version set': 'writes',
    pkg: { does: 'writes', subcommands: { get: 'reads' } },
    whoami: 'fetches',
    cache: { does: 'destroys', subcommands: { 'ls verify list dir': 'reads' } },
  },
}

const pip: ShellProgram = {
  does: 'runs',
  bare: 'reads',
  subcommands: {
    'list show freeze check help inspect debug': { does: 'reads', options: { '--log': 'writes' } },
    'search index': 'fetches',
    config: { does: 'writes', subcommands: { 'list get debug': 'reads' } },
  },
}

/** Package managers, compilers, linters and test runners. Running the project's own code is `runs`. */
export const PACKAGES: ProgramTable = {
  ...rows('npm pnpm yarn', npmLike),
  yarn: { ...npmLike, bare: 'runs' },
  npx: { does: 'runs', special: 'npx' },
  ...rows('bunx pnpx uvx pipx corepack lerna nx turbo rush', 'runs'),
  ...rows('pip pip3', pip),
  uv: {
    does: 'runs',
    bare: 'reads',
    subcommands: {
      tree: 'reads',
      version: 'reads',
      pip: { does: 'runs', subcommands: { 'list show freeze tree check': 'reads' } },
    },
  },
  poetry: {
    does: 'runs',
    bare: 'reads',
    subcommands: { 'show check about': 'reads', env: { does: 'runs', subcommands: { 'info list': 'reads' } } },
  },
  conda: { does: 'runs', bare: 'reads', subcommands: { 'list info search': 'reads' } },
  gem: { does: 'runs', bare: 'reads', subcommands: { 'list search info which environment env': 'reads' } },
  bundle: { does: 'runs', bare: 'runs', subcommands: { 'list show info check outdated': 'reads' } },
  composer: { does: 'runs', bare: 'reads', subcommands: { 'show info outdated validate licenses why': 'reads' } },
  cargo: {
    does: 'runs',
    bare: 'reads',
    subcommands: {
      'tree metadata search version help pkgid locate-project info': 'reads',
      'publish yank owner login': 'sends',
      fmt: { does: 'writes', instead: { '--check': 'reads' } },
    },
  },
  rustc: { does: 'writes', options: { '--explain': 'reads' } },
  rustup: { does: 'runs', subcommands: { show: 'reads', which: 'reads' } },
  go: {
    does: 'runs',
    bare: 'reads',
    subcommands: {
      'version list doc help': 'reads',
      env: { does: 'reads', options: { '-w -u': 'writes' } },
      vet: { does: 'reads', options: { '-vettool': 'runs' } },
      mod: { does: 'writes', subcommands: { 'graph why verify': 'reads' } },
      'build install fmt get fix clean work': 'writes',
    },
  },
  gofmt: { does: 'reads', options: { '-w': 'writes' } },
  ...rows(
    'mvn mvnw gradle gradlew ant sbt bazel buck make gmake cmake ninja meson just task rake tox nox invoke msbuild xcodebuild swiftc',
    'runs',
  ),
  dotnet: { does: 'runs', instead: { '--info --list-sdks --list-runtimes': 'reads' } },
  ...rows('gcc g++ cc c++ clang clang++ javac kotlinc', 'writes'),
  ...rows(
    'jest vitest mocha ava tap pytest unittest rspec phpunit playwright cypress karma webpack vite rollup esbuild parcel next nuxt astro svelte-kit nodemon pm2 concurrently storybook',
    'runs',
  ),
  tsc: {
    does: 'writes',
    valued: '-p --project --pretty',
    instead: { '--noEmit --showConfig': 'reads' },
    options: { '--generateTrace --generateCpuProfile --tsBuildInfoFile -w --watch': 'writes' },
  },
  eslint: {
    does: 'reads',
    valued: '--ext -c --config -f --format',
    options: {
      '--fix --fix-type -o --output-file --cache --init': 'writes',
      '--rulesdir --resolve-plugins-relative-to --parser': 'runs',
    },
  },
  prettier: { does: 'reads', options: { '-w --write --cache': 'writes', '--plugin --config': 'runs' } },
  oxlint: { does: 'reads', options: { '--fix --fix-suggestions --fix-dangerously --init': 'writes' } },
  biome: {
    does: 'writes',
    subcommands: {
      'check lint': { does: 'reads', options: { '--write --fix --apply --apply-unsafe --unsafe': 'writes' } },
    },
  },
  stylelint: {
    does: 'reads',
    options: { '--fix -o --output-file --cache': 'writes', '--custom-syntax --custom-formatter': 'runs' },
  },
  ruff: {
    does: 'writes',
    subcommands: {
      check: { does: 'reads', options: { '--fix --unsafe-fixes -o --output-file --add-noqa': 'writes' } },
      'rule version linter': 'reads',
    },
  },
  ...rows('black isort autopep8', { does: 'writes', instead: { '--check --diff -c --check-only': 'reads' } }),
  ...rows('flake8 mypy pyright pylint shellcheck hadolint yamllint markdownlint actionlint', {
    does: 'reads',
    options: { '--fix --install-types --output-file --init-hook --load-plugins': 'runs' },
  }),
  ...rows('apt apt-get aptitude dpkg yum dnf rpm zypper pacman apk snap flatpak port', {
    does: 'escalates',
    subcommands: { 'list search show info': 'reads' },
  }),
  'apt-cache': { does: 'reads' },
  dpkg: { does: 'escalates', plain: '', options: { '-l --list -L --listfiles -s --status -S --search -p': 'reads' } },
  brew: {
    does: 'runs',
    bare: 'reads',
    subcommands: { 'list ls info search outdated deps leaves config doctor': 'reads' },
  },
}
