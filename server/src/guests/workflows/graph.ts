import type { RunGraph } from '../../kernel/contract/run.ts'
import { innerOf, typeOf } from './steps/steps.ts'
import type { AnyStep } from './steps/step-type.ts'
import type { Protocol, WorkflowDocument } from './workflow-document.ts'

/** The steps of a protocol, and where each can lead. */
export function graphOf({ steps }: Pick<Protocol, 'steps'>): RunGraph {
  const nodes = nodesOf(steps, '')
  const end = { id: 'end', says: 'the run is over' }
  return { nodes: [...nodes, end], edges: edgesOf(steps, '', 'end') }
}

function nodesOf(steps: readonly AnyStep[], prefix: string): RunGraph['nodes'][number][] {
  return steps.flatMap((step, index) => {
    const id = `${prefix}${index}`
    return [{ id, says: sayStep(step) }, ...nodesOf(innerOf(step), `${id}.`)]
  })
}

function edgesOf(steps: readonly AnyStep[], prefix: string, after: string): RunGraph['edges'][number][] {
  const nodeOf = (id: string) => `${prefix}${steps.findIndex((one) => one.id === id)}`
  return steps.flatMap((step, index) => {
    const from = `${prefix}${index}`
    const next = index + 1 < steps.length ? `${prefix}${index + 1}` : after
    return typeOf(step).edges?.(step, from, { next, nodeOf, edgesIn: edgesOf }) ?? [{ from, to: next, when: '' }]
  })
}

function sayStep(step: AnyStep): string {
  const name = step.id === undefined ? '' : `${step.id}: `
  return `${name}${typeOf(step).says?.(step) ?? step.type}`
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
