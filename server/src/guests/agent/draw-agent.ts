import { drawAgentGraph } from './draw-graph.ts'

/** The graph of every thread, as Mermaid text. Needs no gate. */
export const drawAgent = (): string => drawAgentGraph()
