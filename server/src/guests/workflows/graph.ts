import type { RunGraph } from '../../kernel/contract/run.ts'
import type { Protocol, WorkflowDocument, WorkflowStep } from './workflow-document.ts'

/** The steps of a protocol, and where each can lead. */
export function graphOf({ steps }: Pick<Protocol, 'steps'>): RunGraph {
  const nodes = nodesOf(steps, '')
  const end = { id: 'end', says: 'the run is over' }
  return { nodes: [...nodes, end], edges: edgesOf(steps, '', 'end') }
}

function nodesOf(steps: readonly WorkflowStep[], prefix: string): RunGraph['nodes'][number][] {
  return steps.flatMap((step, index) => {
    const id = `${prefix}${index}`
    return [{ id, says: sayStep(step) }, ...(step.type === 'for_each' ? nodesOf(step.steps, `${id}.`) : [])]
  })
}

function edgesOf(steps: readonly WorkflowStep[], prefix: string, after: string): RunGraph['edges'][number][] {
  return steps.flatMap((step, index) => {
    const from = `${prefix}${index}`
    const next = index + 1 < steps.length ? `${prefix}${index + 1}` : after
    if (step.type === 'branch') {
      const nodeOf = (id: string) => `${prefix}${steps.findIndex((one) => one.id === id)}`
      const cases = step.when.map(({ field, op, value, goto }) => ({
        from,
        to: nodeOf(goto),
        when: `${field} ${op}${value === undefined ? '' : ` ${JSON.stringify(value)}`}`,
      }))
      return [...cases, { from, to: step.default === undefined ? next : nodeOf(step.default), when: 'otherwise' }]
    }
    if (step.type !== 'for_each') return [{ from, to: next, when: '' }]
    return [
      { from, to: `${from}.0`, when: `each ${step.itemVar}` },
      ...edgesOf(step.steps, `${from}.`, from),
      { from, to: next, when: 'all items done' },
    ]
  })
}

function sayStep(step: WorkflowStep): string {
  const name = step.id === undefined ? '' : `${step.id}: `
  switch (step.type) {
    case 'tool':
      return `${name}tool ${step.tool}`
    case 'send_message':
      return `${name}send_message to ${step.targetAlias}`
    case 'persist':
      return `${name}persist ${step.key}`
    case 'for_each':
      return `${name}for_each ${step.itemsExpr}`
    default:
      return `${name}${step.type}`
  }
}

/** All protocols of a document as Mermaid. */
export function drawDocument({ metadata, workflow }: WorkflowDocument): string {
  const lines = workflow.protocols.flatMap((protocol, at) => {
    const { nodes, edges } = graphOf(protocol)
    const { type, prefix } = protocol.trigger
    const name = (id: string) => `p${at}_${id.replaceAll('.', '_')}`
    return [
      `  subgraph p${at}["${label(protocol.id)}"]`,
      `    ${name('start')}(["${label(`${type} ${prefix}`.trim())}"]) --> ${name('0')}`,
      ...nodes.map(({ id, says }) => `    ${name(id)}${id === 'end' ? '(["end"])' : `["${label(`${id} ${says}`)}"]`}`),
      ...edges.map(
        ({ from, to, when }) => `    ${name(from)} -->${when === '' ? '' : `|"${label(when)}"|`} ${name(to)}`,
      ),
      '  end',
    ]
  })
  return [`%% ${label(metadata.name)}`, 'flowchart TD', ...lines].join('\n')
}

/** Escapes a label so that its text cannot end it. */
const label = (text: string): string =>
  text.replace(/["\\<>[\]{}|`#;\n\r]/g, (character) => `#${character.charCodeAt(0)};`).slice(0, 120)
