import type { Json, JsonObject } from '../../contract/json.ts'

/** Fills a tool's arguments from what a user wrote. What it says is data, checked by whoever asked. */
export interface ArgumentModel {
  /** Undefined when it gave no JSON in time. */
  propose(asked: {
    readonly title: string
    readonly purpose: string
    readonly schema: JsonObject
    readonly prompt: string
  }): Promise<Json | undefined>
}
