import type { Call } from '../../../kernel/contract/call.ts'
import type { Json, JsonObject } from '../../../kernel/contract/json.ts'
import type { Tool } from '../../../kernel/contract/tool.ts'
import type { Facts } from '../../../kernel/decide/facts.ts'
import type { HealthFact, ScoreFact } from '../health-fact.ts'
import { newestScore, readRecord, type ReadRecord } from '../newest-score.ts'
import { readGateAnswer, readRiskAnswer } from '../read-answer.ts'
import type { HealthEvidence, HealthFile, HealthProvider } from '../health-evidence.ts'
import type { Judgement } from '../../../kernel/decide/judging.ts'

/** Without `health` there is nothing to read, at no cost per call. */
export type HealthPorts = { readonly health?: HealthEvidence; readonly judgement: Pick<Judgement, 'scanner'> }

/** What the operator's own evidence says now about this call. If a provider fails, its part is unknown. */
export function healthFact(
  deps: HealthPorts,
  call: Call,
  tool: Tool,
  now: number,
): Facts['health'] | Promise<Facts['health']> {
  return deps.health === undefined ? 'off' : evidenceOf(deps, deps.health, call, tool, now)
}

async function evidenceOf(
  deps: HealthPorts,
  health: HealthEvidence,
  call: Call,
  tool: Tool,
  now: number,
): Promise<HealthFact> {
  const asked = health.gate !== undefined || health.risk !== undefined
  const question = asked ? await questionOf(deps, call, tool, now) : {}
  const [provider, risk, newest] = await Promise.all([
    health.gate === undefined ? undefined : gateFact(health.gate, question),
    riskFact(health.risk, question),
    scoreFact(health, now),
  ])
  return {
    newest,
    risk,
    max_age_ms: health.max_age_ms,
    ...(provider === undefined ? {} : { provider }),
    ...(health.forced === undefined ? {} : { forced: health.forced }),
  }
}

async function gateFact(gate: HealthProvider, question: JsonObject): Promise<HealthFact['provider'] & object> {
  return readGateAnswer(await askProvider(gate, question), gate.source)
}

async function riskFact(risk: HealthProvider | undefined, question: JsonObject): Promise<HealthFact['risk']> {
  if (risk === undefined) return { score: 'unknown', source: 'no risk provider' }
  return { score: readRiskAnswer(await askProvider(risk, question)), source: risk.source }
}

async function askProvider(provider: HealthProvider, question: JsonObject): Promise<Json | undefined> {
  try {
    return await provider.ask(question)
  } catch {
    return undefined
  }
}

/** Parsed once as long as the file does not change. */
const read = new WeakMap<HealthFile, ReadRecord>()

async function scoreFact(health: HealthEvidence, now: number): Promise<ScoreFact> {
  const files = await health.files()
  if (files === undefined) return { is: 'unknown', says: 'cannot be read', source: 'serenity.log_dir' }
  const records = files.map((file) => {
    const record = read.get(file) ?? readRecord(file)
    read.set(file, record)
    return record
  })
  return newestScore(records, now)
}

/** The parts of a call that a provider gets: nothing secret. */
async function questionOf({ judgement }: HealthPorts, call: Call, tool: Tool, now: number): Promise<JsonObject> {
  const { kind, id, user } = call.caller
  const args: Json = JSON.parse((await judgement.scanner.shownArgs(call.canonical_args)).args)
  return {
    skill_id: call.tool_id,
    server: call.server,
    effects: tool.effects,
    risk: tool.risk,
    args,
    args_hash: call.args_hash,
    caller: { kind, id, user },
    thread: call.thread,
    toolflow: call.by_run?.kind === 'toolflow',
    at: now,
  }
}
