import type { Reply } from '../../adapters/cli/client.ts'
import { EXIT, EXIT_OF_FLOW } from '../../adapters/cli/exit-codes.ts'
import { fieldsOf, printReply, textOf, type Fields, type Out } from '../../adapters/cli/print.ts'

const KINDS = ['result_card', 'approval_packet', 'block_card', 'no_candidates_card']

/** Three lines: what happened and why, what to do next, and the ids to find it again. */
export function printFlow(out: Out, reply: Reply, prompt?: string): number {
  const view = fieldsOf(reply.body)
  const code = printReply(out, reply, () => {
    const card = cardIn(view)
    const { says, next } = sentences(view, card, prompt)
    out.line(oneLine(says))
    out.line(`next: ${next}`)
    out.line(`receipt: ${receiptOf(view, card)}`)
  })
  // It is not known whether the tool ran. A script must not treat that as a failure and run it again.
  const ran = fieldsOf(fieldsOf(view['state'])['exec_result'])['status']
  if (view['status'] === 'FAILED' && ran === 'unknown') return EXIT.unknown
  return EXIT_OF_FLOW[textOf(view['status'] ?? '')] ?? code
}

type Sentences = { readonly says: string; readonly next: string }

function sentences(view: Fields, card: Fields, prompt: string | undefined): Sentences {
  const state = fieldsOf(view['state'])
  const tool = textOf(card['skill_id'] ?? state['selected_skill_id'] ?? '')
  const call = textOf(state['call_id'] ?? '')
  const named = tool === '' ? '' : ` ${tool}`
  const gate = gateWords(view, card)
  switch (view['status']) {
    case 'OK':
      return { says: `done, ${gate}:${named}: ${answerIn(state, card)}`, next: `full result: sluice status ${call}` }
    case 'ASK':
      return asking(card, { tool, gate, prompt })
    case 'BLOCK':
      return {
        says: `blocked, ${gate}:${named}: ${textOf(card['reason'])}`,
        next: 'ask for something else; sluice policy show lists the rules',
      }
    case 'NO_CANDIDATES':
      return {
        says: `no tool found for: ${textOf(card['query'])}`,
        next: 'use other words, or list all tools: sluice tools',
      }
    case 'FAILED':
      return {
        says: `${fieldsOf(state['exec_result'])['status'] === 'unknown' ? 'outcome unknown' : 'failed'}:${named}: ${textOf(card['reason'])}`,
        next: call === '' ? 'correct the problem and run it again' : `details: sluice status ${call}`,
      }
    default:
      return { says: `still running:${named}`, next: `check again: sluice runs show ${textOf(view['run_id'])}` }
  }
}

/** What the gate decided, and by which source. */
function gateWords({ status }: Fields, card: Fields): string {
  const { gate_status, source } = fieldsOf(card['gate_evidence'])
  const by = textOf(source ?? 'the gate')
  if (gate_status === 'AUTO_RUN') return `allowed by ${by}`
  if (gate_status === 'ASK') return status === 'OK' ? 'approved by a person' : `as ${by} asks`
  return `by ${by}`
}

type Asking = { readonly tool: string; readonly gate: string; readonly prompt: string | undefined }

/** What a person is asked for: a decision, a choice of tool, or inputs. */
function asking(card: Fields, { tool, gate, prompt }: Asking): Sentences {
  const why = textOf(card['why_this'])
  if (typeof card['approval_id'] === 'string') {
    const id = card['approval_id']
    const { hub, url } = fieldsOf(card['decided_at'])
    const decide = `sluice approve ${id}   or: sluice deny ${id}   or: sluice edit ${id}`
    return {
      says: `held for a person, ${gate}: ${tool}: ${why}`,
      next: hub === undefined ? decide : `decide at the hub ${textOf(hub)}, not here: ${textOf(url)}`,
    }
  }
  const again = `sluice run ${shellText(prompt ?? 'PROMPT')}`
  const candidates = Array.isArray(card['candidates']) ? card['candidates'].map(fieldsOf) : []
  if (candidates.length > 0) {
    const names = candidates.map(({ skill_id }) => textOf(skill_id))
    return {
      says: `which tool do you mean? ${names.join(', ')}`,
      next: `choose one: ${again} --skill ${names[0] ?? ''}`,
    }
  }
  const inputs = Array.isArray(card['required_inputs']) ? card['required_inputs'].map(textOf) : []
  const example = JSON.stringify(Object.fromEntries(inputs.map((name) => [name, '…'])))
  return {
    says: `more input is needed: ${tool}: ${why}`,
    next: `pass the arguments: ${again} --args ${shellText(example)}`,
  }
}

const shellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

function cardIn(view: Fields): Fields {
  const kind = KINDS.find((name) => view[name] !== undefined)
  return kind === undefined ? {} : fieldsOf(view[kind])
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

/** The tool's own text, else the summary of its structured answer. */
function answerIn(state: Fields, card: Fields): string {
  const { content } = fieldsOf(fieldsOf(state['exec_result'])['result'])
  const texts = (Array.isArray(content) ? content.map(fieldsOf) : []).flatMap(({ text }) =>
    typeof text === 'string' ? [text] : [],
  )
  return texts.length > 0 ? texts.join(' ').slice(0, LONGEST_ANSWER) : textOf(card['summary'])
}
const LONGEST_ANSWER = 500

function receiptOf(view: Fields, card: Fields): string {
  const state = fieldsOf(view['state'])
  const ids = [view['run_id'], state['call_id'], card['approval_id']].filter((id) => typeof id === 'string')
  return ids.join(' ')
}
