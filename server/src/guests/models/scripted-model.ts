import { issueLines } from '../../kernel/contract/issue-lines.ts'
import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import type { AgentModels, ModelOutput, ModelQuestion } from './api.ts'
import { DEFAULT_LANE } from '../../kernel/contract/models.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'

/** One way to react to a message: the first rule whose `when` matches is used. */
const Rule = z.strictObject({
  /** A regular expression over the message, case-insensitive. */
  when: z.string().min(1).max(500),
  plan: z.array(z.string().min(1)).min(1).max(8).optional(),
  /** By step. `{{1}}` is the first group of `when`. */
  calls: z.array(z.strictObject({ tool: z.string(), args: z.record(z.string(), z.json()).default({}) })).default([]),
  /** `{{result}}` is the newest result. */
  answer: z.string().default('{{result}}'),
  /** The answer when it is asked to check the result of a flow's step. */
  check: z.enum(['PASS', 'FAIL']).default('PASS'),
})
const Script = z.strictObject({ rules: z.array(Rule).max(200) })
type Script = z.infer<typeof Script>

const NOTICE =
  'No model is configured: a scripted model answers. It knows a few phrases of the demo and nothing else. Set `models.agent` in the configuration.'

/** The demo's script, if there is no file. */
const DEMO: Script = Script.parse({
  rules: [
    {
      when: '^(?:list|show)(?: me)? (?:the |my )?files',
      plan: ['List the files of the folder'],
      calls: [{ tool: 'files__list_directory', args: { path: '.' } }],
      answer: 'These are the files:\n{{result}}',
    },
    {
      when: '^read (?:the file )?([\\w./-]+)$',
      plan: ['Read the file'],
      calls: [{ tool: 'files__read_text_file', args: { path: '{{1}}' } }],
      answer: 'The file says:\n{{result}}',
    },
    {
      when: '^(?:list|show)(?: me)? (?:the |my )?(?:messages|mails|e-mails)',
      plan: ['List the messages'],
      calls: [{ tool: 'outbox__list_messages' }],
      answer: 'These are the messages:\n{{result}}',
    },
    {
      when: '^(?:send|mail) "([^"]+)" to (\\S+@\\S+)$',
      plan: ['Send the message'],
      calls: [{ tool: 'outbox__send_message', args: { to: '{{2}}', subject: 'A message', body: '{{1}}' } }],
      answer: 'It was sent:\n{{result}}',
    },
  ],
})

const PHRASES = ['list files', 'read notes.txt', 'list messages', 'send "hello" to ana@example.com']
const UNKNOWN = `I am a scripted model and do not understand this. Try: ${PHRASES.join(' · ')}`

/** A model that follows a script: for demos and tests without a network. It says so wherever it answers. */
export function openScriptedModel(file: string | undefined, folder: string): Result<AgentModels> {
  const script = file === undefined ? ok(DEMO) : readScript(isAbsolute(file) ? file : join(folder, file))
  if (!script.ok) return script
  const hasLane = (lane: string) => lane === DEFAULT_LANE
  const phrases = file === undefined ? PHRASES : []
  return ok({ notice: NOTICE, phrases, hasLane, ask: (question) => Promise.resolve(follow(script.value, question)) })
}

function readScript(path: string): Result<Script> {
  try {
    const script = Script.safeParse(parse(readFileSync(path, 'utf8')))
    if (!script.success)
      return refuse('config.invalid', { paths: issueLines(script.error.issues, 'models.script').join('; ') })
    for (const { when } of script.data.rules) RegExp(when, 'i')
    return ok(script.data)
  } catch (error) {
    return refuse('config.invalid', {
      paths: `models.script: ${error instanceof Error ? error.message : 'unreadable'}`,
    })
  }
}

function follow({ rules }: Script, { purpose, script, onText }: ModelQuestion): ModelOutput {
  const { message, step, tries, results } = script
  const fits = rules.map((rule) => ({ rule, groups: new RegExp(rule.when, 'i').exec(message.trim()) }))
  const found = fits.find(({ groups }) => groups !== null)
  const fill = (text: string) =>
    text.replace(/\{\{(\d|result|message)\}\}/g, (_, name: string) =>
      name === 'result' ? (results.at(-1) ?? '') : name === 'message' ? message : (found?.groups?.[Number(name)] ?? ''),
    )
  if (purpose === 'plan') return said(JSON.stringify(found?.rule.plan ?? ['Answer']))
  if (purpose === 'check') return said(found?.rule.check ?? 'FAIL')
  if (purpose === 'intent') return said(found === undefined ? 'CONVERSATION' : 'TASK')
  if (purpose === 'summary') return said(results.join('\n').slice(0, 1_000))
  if (purpose === 'propose') {
    const call = found?.rule.calls[step]
    if (call === undefined || tries > 1) return said(found === undefined ? UNKNOWN : 'There is nothing to call.')
    return { ...said(''), call: { name: call.tool, args: filled(call.args, fill) } }
  }
  const text = found === undefined ? UNKNOWN : fill(found.rule.answer)
  onText?.(text)
  return said(text)
}

const said = (text: string): ModelOutput => ({
  text,
  usage: { model_calls: 1, input_tokens: 0, output_tokens: 0, cost: 0 },
})

function filled(value: Json, fill: (text: string) => string): Json {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((one) => filled(one as Json, fill))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, fill)]))
}
