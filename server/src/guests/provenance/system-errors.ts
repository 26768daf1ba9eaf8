/**
 * Operating system messages, as Node and the C library write them: `EACCES: permission denied, open '/etc/shadow'`. They name the
 * system call that failed, which reads like an instruction. The list is fixed, so that no other text can imitate it.
 */
const REASONS = [
  'permission denied',
  'no such file or directory',
  'file already exists',
  'operation not permitted',
  'not a directory',
  'illegal operation on a directory',
  'directory not empty',
  'read-only file system',
  'no space left on device',
  'resource busy or locked',
  'too many open files',
  'file name too long',
  'cross-device link not permitted',
  'connection refused',
  'connection reset by peer',
  'address already in use',
]
const CALLS =
  'access chmod chown copyfile connect link listen lstat mkdir mkdtemp open opendir read readlink rename rmdir scandir stat symlink unlink utime write'
const MESSAGE = new RegExp(
  `^(?:Error: )?(?:E[A-Z0-9]{2,15}: )?(?:${REASONS.join('|')})(?:, (?:${CALLS.replaceAll(' ', '|')})(?: '[^'\\n]{1,4096}'(?: -> '[^'\\n]{1,4096}')?)?)?$`,
  'i',
)
/** `cat: /etc/shadow: Permission denied`, `ls: cannot open directory '/root': Permission denied`. */
const OF_A_PROGRAM = new RegExp(
  `^(?:[\\w.-]{1,30}: )?(?:cannot (?:open|access|remove|create|stat|read)(?: directory| file| regular file)? )?['‘]?[^\\s'’]{1,4096}['’]?: (?:${REASONS.join('|')})$`,
  'i',
)
/** No message with two paths in it is longer. */
const LONGEST = 8_400

export function isSystemError(text: string): boolean {
  if (text.length > LONGEST) return false
  const message = text.trim()
  return MESSAGE.test(message) || OF_A_PROGRAM.test(message)
}
