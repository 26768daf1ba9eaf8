import { drawGraph } from './draw-graph.ts'

/** The toolflow's graph, as Mermaid text. Needs no gate. */
export const drawToolflow = (): string => drawGraph()
