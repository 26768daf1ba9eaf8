import { shortened, visibleText } from '../../kernel/contract/visible-text.ts'
import { UNREACHED, type Reply } from '../../adapters/cli/client.ts'
import { fieldsOf, textOf } from '../../adapters/cli/print.ts'

const LONGEST = 160

/** The outcome of an approved call, in one line. */
export function outcomeWords({ status, body }: Reply): string {
  if (status <= UNREACHED) return 'approved; the gate did not report the outcome'
  const { status: word, outcome, result, title, code } = fieldsOf(body)
  const what = textOf(outcome ?? word ?? 'failed')
  if (what === 'executing' || what === 'pending') return 'approved; still running'
  const { content } = fieldsOf(result)
  const texts = (Array.isArray(content) ? content.map(fieldsOf) : []).flatMap(({ text }) =>
    typeof text === 'string' ? [text] : [],
  )
  const said = texts.length > 0 ? texts.join(' ') : code === undefined ? '' : `${textOf(title)} [${textOf(code)}]`
  return shortened(visibleText(said === '' ? what : `${what}: ${said}`), LONGEST)
}
