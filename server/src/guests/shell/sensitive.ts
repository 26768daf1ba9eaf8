import { canMatch, isPattern } from '../../kernel/text/glob-reach.ts'
import { braceVariants } from '../../kernel/text/brace-variants.ts'
import { sensitiveName } from '../../kernel/text/sensitive-names.ts'
import type { ReadWord } from './read-word.ts'

/** Names that a pattern in a path may target. */
const HIDDEN = [
  '.env',
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.git-credentials',
  'id_rsa',
  'id_ed25519',
]

const PROCESS = /^\/proc\/(?:self|thread-self|\d+|\*|\$\$|\$\w+)\/(?:environ|mem|fd|root|cwd|maps)/
const METADATA = /(?:^|[/@.])(?:169\.254\.169\.254|metadata\.google\.internal|fd00:ec2::254)\b/

/** What secret a word of a command may reach, as text; undefined if none. */
export function sensitiveWord(word: ReadWord): string | undefined {
  for (const text of word.literal ? [word.text] : [word.text, word.sure]) {
    if (text.length > 4096) continue
    if (PROCESS.test(text)) return "a process's own memory or environment"
    if (METADATA.test(text)) return 'the credentials service of a cloud machine'
    for (const variant of braceVariants(text) ?? [text]) {
      for (const piece of [variant, ...variant.split(/[:=,@]/)]) {
        const kind = piece === '' ? undefined : sensitiveName(piece.replace(/^\$(?:\w+|\{\w+\})/, ''))
        if (kind !== undefined) return kind
      }
      if (isPattern(variant) && variant.split('/').some(mayBeHidden)) return 'a pattern that matches files with secrets'
    }
  }
  return undefined
}

/** `*` alone skips hidden files and targets nothing in particular. */
const mayBeHidden = (name: string) =>
  isPattern(name) &&
  !/^[*?]+$/.test(name) &&
  !/^\*\.\w+$/.test(name) &&
  HIDDEN.some((hidden) => name.startsWith(hidden[0] ?? '') && canMatch(`/${name}`, `/${hidden}`))

const SECRET_NAME =
  /(?:^|_)(?:KEY|TOKEN|SECRETS?|PASSW(?:OR)?D|PASSPHRASE|CREDENTIALS?|APIKEY|PAT|AUTH)(?:_|$)|(?:API|ACCESS|PRIVATE)_?KEY/i

/** Whether a variable's name suggests a secret. */
export const isSecretVariable = (name: string): boolean => SECRET_NAME.test(name)

const STEERING =
  /^(?:PATH|IFS|ENV|HOME|SHELL|EDITOR|VISUAL|BROWSER|CDPATH|FPATH|CLASSPATH|SHELLOPTS|BASHOPTS|GLOBIGNORE|PROMPT_COMMAND|PS[0-4]|PERL5\w+|PYTHON(?:PATH|STARTUP|HOME|INSPECT|WARNINGS)|RUBY(?:OPT|LIB)|NODE_(?:OPTIONS|PATH)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|MANPAGER|MANOPT|LESS\w*|KUBECONFIG|DOCKER_(?:HOST|CONFIG)|GCONV_PATH|TAR_OPTIONS|GREP_OPTIONS|RIPGREP_CONFIG_PATH|ALL_PROXY|HTTPS?_PROXY|CURL_HOME|WGETRC|TERM_PROGRAM|SLUICE_\w+|(?:LD|DYLD|BASH|GIT|SSH|NPM_CONFIG|SUDO|AWS|CARGO|RUSTC)_\w*)$/i
const HARMLESS =
  /^(?:GIT_PAGER=(?:cat)?|GIT_TERMINAL_PROMPT=\d|GIT_OPTIONAL_LOCKS=\d|PAGER=(?:cat)?|AWS_(?:PROFILE|REGION|DEFAULT_REGION|PAGER)=[\w-]*)$/

/** Whether setting a variable changes what other commands are or do. */
export const isSteering = (name: string, value: string): boolean =>
  (STEERING.test(name) || name === 'PAGER' || name.endsWith('_PAGER')) && !HARMLESS.test(`${name}=${value}`)
